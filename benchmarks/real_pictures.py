"""Makes the tables that the guide's pages on robustness and on the upper bound tell.

python benchmarks/real_pictures.py [--part PART] [--n-images N] [--fresh]; writes
RESULTS-real-pictures.md in about two hours. What is done stays in build/real-pictures: a run that
was stopped goes on, and parts that were made before stay in the text.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from boxlens.images.transforming.catalogue import GROUPS, TRANSFORMS
from boxlens.wording import score, share
from proposing import SHARED, photographed
from real_bounds import bound_section, run_bounds
from real_runs import KEEP, ROOT, Runs, code, markdown, told
from run import DATA, FOLDER, real_sets

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RESULTS = FOLDER / "RESULTS-real-pictures.md"
N_SCENES = 40
SEVERITIES = (1, 2, 3, 4, 5)
PHOTOGRAPHS, SCENES = "robustness-photographs", "robustness-scenes"
HEAD = """# Detectors and classifiers on photographs and scenes

The tables of "What it gives here" in docs/robustness.md and docs/upper-bound.md, and more levels.
DATA stands for the folder that BOXLENS_SHARED_DATA names: photographs of COCO val2017, its boxes,
and two detectors. Made by Boxlens {version} on {cores} cores, {system}; `-` is undefined.
"""
ABOUT_PHOTOGRAPHS = """177 photographs of COCO val2017 with COCO's boxes; AP, and AP relative to
that of the unchanged pictures."""
ABOUT_SCENES = """{n} of the demo's scenes, evenly spread, and the two detectors that Boxlens
carries, which have learnt from other scenes; AP, and AP relative to that of the unchanged
pictures."""
ABOUT_GRADED = """Relative to the unchanged pictures; rotations to the same crop unturned (level 0),
and that to the unchanged pictures."""


def run_photographs(runs: Runs) -> None:
    """Both models under every transform, at every level."""
    DATA.mkdir(exist_ok=True)
    images = SHARED / "images"
    truth = photographed(real_sets()[0].truth, images)
    models = [SHARED / "models" / name for name in ("yolox_nano_416.onnx", "fastestdet_352.onnx")]
    few = [] if runs.n_images is None else ["--n-images", runs.n_images]
    words: list[Any] = ["robustness", truth, "--images", images, "--model", *models]
    words += ["--name", "YOLOX-nano,FastestDet", "--transform", "all", *few]
    runs.run(PHOTOGRAPHS, [*words, "--keep", runs.folder / "photographs"])


def run_scenes(runs: Runs) -> None:
    """The scene detectors, at every second severity."""
    demo = runs.demo()
    words: list[Any] = ["robustness", demo / "ground_truth.json", "--images", demo / "images"]
    words += ["--model", "window", "region", "--transform", "study,corruptions,graded"]
    words += ["--severity", "1,3,5", "--n-images", runs.n_images or N_SCENES]
    runs.run(SCENES, [*words, "--keep", runs.folder / "scenes-found"])


def photographs_section(runs: Runs) -> str:
    return _section(runs, PHOTOGRAPHS, "Robustness on photographs", ABOUT_PHOTOGRAPHS)


def scenes_section(runs: Runs) -> str:
    about = ABOUT_SCENES.format(n=runs.n_images or N_SCENES)
    return _section(runs, SCENES, "Robustness on scenes", about)


def _section(runs: Runs, name: str, title: str, about: str) -> str:
    found = runs.found(name)
    if found is None:
        return ""
    detectors, failed = found["results"]["detectors"], len(found["results"]["failed"])
    benchmark, extra = _families(detectors[0])
    parts = [f"## {title}", about, told(found), _study_table(detectors)]
    parts += [f"### {title}: corruptions", _corruption_table(detectors, benchmark, means=True)]
    if extra:
        parts += ["Families beyond the fifteen:", _corruption_table(detectors, extra, means=False)]
    parts += [f"### {title}: graded", ABOUT_GRADED, _graded_table(detectors)]
    parts += [f"Pictures of which something could not be used: {failed}."] if failed else []
    return "\n\n".join(parts) + "\n"


def _families(detector: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Corruptions that were run: those of the benchmark, and further ones."""
    names = dict.fromkeys(one["name"] for one in detector["transforms"])
    corruptions = [name for name in names if name not in (*GROUPS["study"], *GROUPS["graded"])]
    return (
        [name for name in corruptions if not TRANSFORMS[name].extra],
        [name for name in corruptions if TRANSFORMS[name].extra],
    )


def _study_table(detectors: list[dict[str, Any]]) -> str:
    heads = [head for one in detectors for head in (one["name"], "relative")]
    rows = [["unchanged", *_values([one["clean"] for one in detectors])]]
    rows += [
        [code(steps[0]["name"]), *_values(steps)]
        for steps in _side_by_side(detectors, GROUPS["study"])
    ]
    return markdown([["transform", "pictures", *heads], *rows])


def _values(steps: list[dict[str, Any]]) -> list[str]:
    shares = [share(one["relative"]) for one in steps]
    pairs = zip((score(one["AP"]) for one in steps), shares, strict=True)
    return [f"{steps[0]['n_images']:,}", *(text for pair in pairs for text in pair)]


def _corruption_table(detectors: list[dict[str, Any]], names: list[str], *, means: bool) -> str:
    run = {one["severity"] for one in detectors[0]["transforms"] if one["name"] == names[0]}
    severities = [severity for severity in SEVERITIES if severity in run]
    heads = [f"at {severity}" for severity in severities[1:]]
    table = [["corruption"]]
    for one in detectors:
        table[0] += [f"{one['name']} at {severities[0]}", *heads, "mean"]
    for name in names:
        table.append([code(name)])
        for one in detectors:
            ap = [step["AP"] for step in one["transforms"] if step["name"] == name]
            table[-1] += [*map(score, ap), score(fmean(ap))]
    if means:
        table.append(["**mPC** (relative)"])
        for one in detectors:
            mean = one["corrupted"][0]
            text = f"{score(mean['AP'])} ({share(mean['relative'])})"
            table[-1] += [*[""] * len(severities), text]
    return markdown(table)


def _graded_table(detectors: list[dict[str, Any]]) -> str:
    table = [["perturbation", "level"]]
    for one in detectors:
        table[0] += [f"{one['name']} AP", "relative", "AP50", "relative"]
    for steps in _side_by_side(detectors, GROUPS["graded"]):
        table.append([code(steps[0]["name"]), steps[0]["label"]])
        for one in steps:
            table[-1] += [score(one["AP"]), share(one["relative"])]
            table[-1] += [score(one["AP50"]), share(one["relative_AP50"])]
    return markdown(table)


def _side_by_side(
    detectors: list[dict[str, Any]], names: tuple[str, ...]
) -> list[list[dict[str, Any]]]:
    """The same step of all detectors, for the steps of some transforms."""
    steps = zip(*(one["transforms"] for one in detectors), strict=True)
    return [list(row) for row in steps if row[0]["name"] in names]


class Part(NamedTuple):
    run: Callable[[Runs], None]
    section: Callable[[Runs], str]


PARTS = {
    "bound": Part(run_bounds, bound_section),
    "robustness": Part(run_photographs, photographs_section),
    "scenes": Part(run_scenes, scenes_section),
}


def results_text(runs: Runs) -> str:
    """All parts that are there, whenever they were made."""
    from boxlens.version import VERSION

    system = f"{platform.system()} {platform.machine()}"
    head = HEAD.format(version=VERSION, cores=os.cpu_count(), system=system)
    sections = (part.section(runs) for part in PARTS.values())
    return "\n".join([head, *filter(None, sections)])


def output_of(runs: Runs) -> Path:
    """A trial on few pictures leaves the results alone."""
    return RESULTS if runs.n_images is None else runs.folder / RESULTS.name


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--part", choices=PARTS, action="append", help="this one only; repeatable")
    parser.add_argument("--n-images", type=int, metavar="N", help="a trial on so few pictures")
    parser.add_argument("--fresh", action="store_true", help="do again what was done before")
    chosen = parser.parse_args()
    if not SHARED.exists():
        print("photographs are needed: set BOXLENS_SHARED_DATA to their folder", file=sys.stderr)
        return 1
    folder = KEEP if chosen.n_images is None else KEEP.with_name(f"{KEEP.name}-{chosen.n_images}")
    if chosen.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    runs = Runs(folder, chosen.n_images)
    folder.mkdir(parents=True, exist_ok=True)
    output = output_of(runs)
    for name in chosen.part or PARTS:
        PARTS[name].run(runs)
        output.write_text(results_text(runs), encoding="utf-8")
    print(output.relative_to(ROOT), "written", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
