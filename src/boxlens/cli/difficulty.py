"""`boxlens difficulty`: how hard is this data set, and what makes its classes hard?"""

from __future__ import annotations

import argparse

from boxlens.cli.asking import add_report, answer, check_report, keep_in, show
from boxlens.cli.options import Commands, Parser, pair
from boxlens.cli.reading import add_detections_format, add_parts, add_strict_coco, add_threads
from boxlens.errors import ParameterError
from boxlens.limits import BUDGET, NOT_NEGATIVE, OVERLAP, SEED

# Options that say something about systems, and where they stand.
OF_SYSTEMS = {
    "node": "nodes",
    "properties": "properties",
    "tree": "tree",
    "nest": "nest",
    "name": "names",
}


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "difficulty",
        help="measure how hard a data set is, and what makes its classes hard",
        description="Measure how hard a data set is: instances, neighbours, scale, chance "
        "performance of localization (CPL) and clutter of every class; with detections or guesses "
        "also what makes classes hard for them, along a class tree and by properties of classes.",
    )
    command.set_defaults(run=run)
    command.text("gt GT", "ground truth: one file or folder per data set", nargs="+")
    command.flag("--per-class", "show every class, and all columns")
    _add_systems(command)
    _add_windows(command)
    command.several(
        "--match MEASURE[=T]",
        "find the most classes of the first GT that are together as hard as T; without T: of the "
        "larger of two GT, as hard as the other. cpl, clutter, scale, instances or neighbours; -o "
        "writes them as a data set",
        _target,
        "cpl=0.087",
    )
    add_strict_coco(command)
    add_report(command, saving=("strict_coco", "threads"))
    add_parts(command)
    command.several("--name NAME", "names of DT and FILE, in order", into="names")
    command.several("--gt-name NAME", "names of GT, in order", into="gt_names")
    add_detections_format(command)
    command.number("--seed N", SEED, "of intervals and windows", 0)
    add_threads(command)


def _add_systems(command: Parser) -> None:
    """Who is judged on the first data set, and how classes are grouped."""
    command.files("--dt DT", "detections on the first GT")
    command.files(
        "--guesses FILE",
        "ranked guesses on the first GT: CSV with image, class and optionally x, y, w, h",
    )
    command.number("--top-k N", BUDGET, "guesses per image that count", 5)
    command.flag("--one-per-class", "only the best guess per class and image")
    command.number("--iou T", OVERLAP, "IoU from which a box counts as right", 0.5)
    command.text(
        "--tree FILE",
        "class tree; by default the data set's own, or its supercategories; none: no tree",
    )
    command.several("--node NAME", "nodes of the tree to score as one class", into="nodes")
    command.text("--properties FILE", "table of class properties: CSV or TOML")
    within = "a property within each value of another"
    command.several("--nest NAME:NAME", within, pair, "origin:size")


def _add_windows(command: Parser) -> None:
    """Ranked windows, for clutter; and how objects are counted."""
    command.files(
        "--windows FILE|METHOD",
        "ranked windows for clutter, one file per GT, or a method to make them with --images: "
        "edge-boxes, selective-search, sliding-window, bing:FOLDER, or another of proposals",
    )
    command.files("--images DIR", "pictures: one folder per GT, or one for all")
    command.number("--n-windows N", BUDGET, "windows per image", 1000)
    command.number("--gap PX", NOT_NEGATIVE, "most pixels between neighbours", 0.0, into="gap_px")
    command.flag("--difficult", "also count objects marked difficult")


def _target(text: str) -> tuple[str, float | None]:
    """cpl, cpl=0.087 or cpl=8.7%; a measure also as the tables head it."""
    measure, equals, value = text.partition("=")
    if not measure:
        raise ValueError(text)
    name = measure.lower()
    percent = value.endswith("%")
    target = float(value.removesuffix("%")) / (100 if percent else 1) if equals else None
    return "instances_per_image" if name == "instances" else name, target


def run(options: argparse.Namespace) -> None:
    from boxlens.studies.difficulty import difficulty

    for option, name in OF_SYSTEMS.items():
        if getattr(options, name) and not (options.dt or options.guesses):
            raise ParameterError(f"--{option} is about systems: name some with --dt")
    if options.strict_coco and not (options.match and options.output):
        raise ParameterError("--strict-coco is about the data set that --match writes with -o")
    if options.nest and not options.properties:
        raise ParameterError("--nest is about properties of classes: name a table (--properties)")
    check_report(options)
    keep_in(options, "windows")
    show(options, *answer(options, difficulty))
