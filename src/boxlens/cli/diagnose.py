"""`boxlens diagnose`: what goes wrong, and what would fixing it add?"""

from __future__ import annotations

from boxlens.cli.asking import add_report, asks
from boxlens.cli.options import Commands
from boxlens.cli.reading import add_attributes, add_files, add_intervals, add_reading
from boxlens.cli.sensitivity import add_characteristics, add_right_overlap, add_similar
from boxlens.limits import GALLERY, OVERLAP


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "diagnose",
        help="show what goes wrong and what fixing it would add",
        description="Show what goes wrong and what fixing it would add: error types after Hoiem, "
        "TIDE, COCO analyze and Borji, missed objects, sensitivity, and a verdict.",
    )
    command.set_defaults(run=asks("diagnose"))
    add_files(command, one=True)
    add_attributes(command)
    command.flag("--per-class", "show every row and column, and one row per class")
    add_right_overlap(command)
    command.number(
        "--background-iou T",
        OVERLAP,
        "overlap below which a box is on background (0.1, or half of --iou if it is no more)",
    )
    add_similar(command)
    command.choice(
        "--assignment",
        ("priority", "argmax_iou"),
        "which class a confused false positive is counted with (Hoiem)",
        "priority",
    )
    command.flag("--tidecv", "add TIDE with the quirks of tidecv")
    command.flag("--tide-range", "add TIDE at COCO's ten thresholds")
    command.number("--n-gallery N", GALLERY, "errors shown of each kind", 15)
    add_characteristics(command)
    add_report(command, pictures="show errors in the pictures of this folder", pdf=True)
    add_intervals(command)
    add_reading(command, one=True, classes_used="all")
