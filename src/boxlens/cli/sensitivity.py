"""`boxlens sensitivity`: which objects does it fail on?"""

from __future__ import annotations

from boxlens.cli.asking import add_report, asks
from boxlens.cli.options import ByName, Commands, Parser, named, pair, thresholds_or_order
from boxlens.cli.reading import add_attributes, add_files, add_reading
from boxlens.limits import OVERLAP


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "sensitivity",
        help="say which objects a detector fails on",
        description="Say which objects a detector fails on: normalized AP by size, shape, "
        "occlusion and any attribute, and the objects it misses.",
    )
    command.set_defaults(run=asks("sensitivity"))
    add_files(command, one=True)
    add_attributes(command)
    add_right_overlap(command)
    command.flag("--per-class", "show every row, and tables with one row per class")
    add_characteristics(command)
    add_report(command, saving=("threads",))
    add_reading(command, one=True, classes_used="all")


def add_right_overlap(command: Parser) -> None:
    command.number("--iou T", OVERLAP, "overlap that counts as right", 0.5)


def add_similar(command: Parser) -> None:
    command.text(
        "--similar HOW",
        "similar classes: supercategory, tree, none, or a file with groups or a class tree",
    )


def add_characteristics(command: Parser) -> None:
    """What objects are told apart by."""
    command.several(
        "--by NAME",
        "characteristics instead of all: area, height, aspect, occlusion, truncation, parts, "
        "sides or an attribute of the file",
    )
    command.several(
        "--bins NAME=T:T",
        "own thresholds of a number instead of percentiles, or the order of words (age=new:old)",
        named(thresholds_or_order),
        "area=1024:9216",
        action=ByName,
    )
    command.several(
        "--cross NAME:NAME",
        "two characteristics at once, as a grid",
        pair,
        "area:occlusion",
    )
