"""`boxlens demo`: the main job on data the package carries."""

from __future__ import annotations

from importlib.resources import as_file, files

DETECTORS = ("steady", "eager")


def demo_command() -> None:
    """Evaluate two detectors on the data that comes with Boxlens."""
    from boxlens.cli.evaluate_table import evaluation_text
    from boxlens.metrics import evaluate

    with as_file(files("boxlens") / "demo") as folder:
        paths = [folder / f"{name}.json.gz" for name in DETECTORS]
        result = evaluate(folder / "ground_truth.json.gz", paths)
        command = " ".join(
            ["boxlens evaluate", *map(str, (folder / "ground_truth.json.gz", *paths))]
        )
    print(evaluation_text(result, per_class=True))
    print()
    print("The data are synthetic boxes, made by examples/make_demo_data.py. The same by hand:")
    print(f"  {command} --per-class")
    print("Next: --also confusion says what is taken for what, --json - is for machines;")
    print("docs/ explains every number, and boxlens evaluate --help every option.")
