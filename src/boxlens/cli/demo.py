"""`boxlens demo`: the main job on data the package carries."""

from __future__ import annotations

import argparse
from pathlib import Path

from boxlens.cli.options import Commands
from boxlens.cli.output import print_note, show_or_save_json
from boxlens.cli.reading import add_json
from boxlens.errors import InputError

DETECTORS = ("window", "region")


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "demo",
        help="evaluate and diagnose two detectors on the data that comes with Boxlens",
        description="Evaluate and diagnose two detectors on the data that comes with Boxlens.",
    )
    command.set_defaults(run=run)
    command.text("--files DIR", "also write ground truth, detections and pictures there")
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from importlib.resources import as_file, files

    from boxlens.metrics import evaluate
    from boxlens.report.described import describe
    from boxlens.report.readers.terminal import sentences_text, study_text
    from boxlens.studies.diagnosis import diagnose

    with as_file(files("boxlens") / "demo") as folder:
        truth, *paths = (folder / f"{name}.json.gz" for name in ("ground_truth", *DETECTORS))
        result = evaluate(truth, paths)
        verdicts = [
            f"{name}:\n{sentences_text(diagnose(truth, path).verdict.sentences)}"
            for name, path in zip(DETECTORS, paths, strict=True)
        ]
        if options.files:
            _unpack(folder, Path(options.files))
    advice = [
        "Scenes rendered by Boxlens, so their ground truth is complete, and two detectors that it",
        "trained on other scenes: HOG templates in sliding windows, and regions of a segmentation.",
        "The same by hand:",
        "  boxlens demo --files .",
        "  boxlens evaluate ground_truth.json window.json region.json --per-class",
        "  boxlens compare ground_truth.json window.json region.json",
        "  boxlens diagnose ground_truth.json window.json",
        "  boxlens report ground_truth.json window.json region.json -o out",
        "  boxlens serve out --images images",
        "Open out/report.html, or browse the images in the app; report --images shows",
        "pictures on the page, too (pip install 'boxlens[images]'). docs/ explains every number,",
        "boxlens COMMAND --help every option, and --json - is for machines.",
    ]
    show_or_save_json(
        result.to_json,
        options.json,
        lambda: "\n\n".join(
            [study_text(describe(result), detail=True), *verdicts, "\n".join(advice)]
        ),
    )


def _unpack(demo: Path, folder: Path) -> None:
    from zipfile import ZipFile

    from boxlens.formats.files import read_bytes, read_text, stem, write_text

    for path in sorted(demo.glob("*.json.gz")):
        target, text = folder / f"{stem(path)}.json", read_text(path)
        if target.exists() and read_bytes(target) != text.encode():
            raise InputError(
                "a different file of this name exists",
                path=target,
                remedy="Name another folder, so that your files are kept",
            )
        write_text(target, text)
        print_note(f"wrote {target}")
    with ZipFile(demo / "images.zip") as archive:
        archive.extractall(folder / "images")
        print_note(f"wrote {folder / 'images'}: {len(archive.namelist())} pictures")
