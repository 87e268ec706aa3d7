"""`boxlens sensitivity`: which objects does it fail on?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.options import Commands, Number, add_json, several
from boxlens.cli.reading import add_classes_used, add_files, add_reading, read_tables
from boxlens.cli.report_options import add_report, chosen_formats, save, show_result
from boxlens.errors import ParameterError
from boxlens.limits import OVERLAP

if TYPE_CHECKING:
    import argparse


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "sensitivity",
        help="say which objects a detector fails on",
        description="Say which objects a detector fails on: normalized AP by size, shape, "
        "occlusion and any attribute, and the objects it misses. Options marked * may be "
        "repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add_files(command, one=True)
    add = command.add_argument
    add(
        "--iou",
        metavar="T",
        type=Number(OVERLAP),
        default=0.5,
        help="overlap that counts as right (0.5)",
    )
    add(
        "--per-class",
        action="store_true",
        help="show every row, and tables with one row per class",
    )
    add_characteristics(command)
    add_report(command)
    add_classes_used(command)
    add_reading(command, one=True)
    add_json(command)


def add_characteristics(command: argparse.ArgumentParser) -> None:
    """What objects are told apart by."""
    add = command.add_argument
    add(
        "--by",
        metavar="NAME",
        **several(str, "area"),
        help="* characteristics instead of all: area, height, aspect, occlusion, truncation, "
        "parts, sides or an attribute of the file",
    )
    add(
        "--bins",
        metavar="NAME=T:T",
        **several(_bins, "area=1024:9216"),
        help="* own thresholds of a number instead of percentiles",
    )
    add(
        "--cross",
        metavar="NAME:NAME",
        **several(_pair, "area:occlusion"),
        help="* two characteristics at once, as a grid",
    )


def _bins(text: str) -> tuple[str, tuple[float, ...]]:
    name, equals, values = text.partition("=")
    if not name or not equals:
        raise ValueError(text)
    return name, tuple(float(value) for value in values.split(":"))


def _pair(text: str) -> tuple[str, str]:
    first, second = text.split(":")
    if not first or not second:
        raise ValueError(text)
    return first, second


def chosen_bins(options: argparse.Namespace) -> dict[str, tuple[float, ...]]:
    names = [name for name, _ in options.bins]
    again = [name for name in names if names.count(name) > 1]
    if again:
        raise ParameterError(f"--bins {again[0]} is given twice")
    return dict(options.bins)


def chosen_pairs(options: argparse.Namespace) -> tuple[tuple[str, str], ...]:
    return tuple(options.cross)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.studies.sensitivity import sensitivity

    formats = chosen_formats(options)
    with progress_bar() as progress:
        dataset, (detections,) = read_tables(options, progress, classes_used=options.classes_used)
        result = sensitivity(
            dataset,
            detections,
            iou=options.iou,
            characteristics=tuple(options.by) or None,
            bins=chosen_bins(options),
            interactions=chosen_pairs(options),
            threads=options.threads,
        )
        written = save(options, result, formats, progress)
    show_result(options, result, written, detail=options.per_class)
