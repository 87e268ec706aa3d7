"""`boxlens disagree`: which images should be annotated next?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from boxlens.cli.asking import answer, check_report, show
from boxlens.cli.options import Commands
from boxlens.cli.reading import add_images_used, add_json, add_parts, add_reading
from boxlens.limits import AT_MOST, FINITE
from boxlens.wording import counted


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "disagree",
        help="rank images by how much detectors disagree, without ground truth",
        description="Rank images by how much two or more detectors disagree, to choose what to "
        "annotate next. The ground truth is not used.",
    )
    command.set_defaults(run=run, saving=())
    command.text(
        "gt IMAGES", "images and classes: a data set; its objects are not used and may be missing"
    )
    command.text("dt DT", "detections: one file or folder per detector", nargs="+")
    command.numbers(
        "--min-score S",
        FINITE,
        "lowest score of a box that counts: one for all detectors, or one per detector",
        required=True,
    )
    command.choice(
        "--by",
        ("boxes", "share"),
        "rank by the number of disputed boxes, or by their share",
        "boxes",
    )
    command.flag("--class-agnostic", "boxes may agree across classes")
    add_images_used(command)
    command.number("--top N", AT_MOST, "images shown, and listed in the JSON", 20)
    command.text(
        "-o --output PATH", "write all images in order to a .csv file, or to a folder with a report"
    )
    add_parts(command)
    add_reading(command, classes_used="check")
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.studies.comparison.cases.images_to_annotate import disagree

    csv = options.output if options.output and options.output.lower().endswith(".csv") else None
    if csv:
        options.output = None
    check_report(options)
    result, written = answer(options, disagree)
    show(options, result, _write_csv(result, csv) if csv else written)


def _write_csv(result: Any, path: str) -> str:
    """All images in order; returns in a line what was written."""
    from boxlens.formats.files import written_whole

    images = result.tables()["images"]
    with written_whole(Path(path)) as temporary:
        images.write_csv(temporary)
    return f"{path}: {counted(len(images), 'image')}"
