"""`boxlens diagnose`: what goes wrong, and what would fixing it add?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.intervals import add_intervals, chosen_intervals
from boxlens.cli.options import Commands, Number, add_json
from boxlens.cli.reading import add_classes_used, add_files, add_reading, read_tables
from boxlens.cli.report_options import add_report, chosen_formats, save, show_result
from boxlens.cli.sensitivity import (
    add_characteristics,
    chosen_bins,
    chosen_pairs,
)
from boxlens.limits import GALLERY, OVERLAP

if TYPE_CHECKING:
    import argparse


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "diagnose",
        help="show what goes wrong and what fixing it would add",
        description="Show what goes wrong and what fixing it would add: error types after Hoiem, "
        "TIDE, COCO analyze and Borji, missed objects, sensitivity, and a verdict. Options marked "
        "* may be repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add_files(command, one=True)
    add = command.add_argument
    add("--per-class", action="store_true", help="show every row and column, and one row per class")
    _add_schemes(command)
    add_characteristics(command)
    add_report(command, pictures="show errors in the pictures of this folder", pdf=True)
    add_intervals(command)
    add_classes_used(command)
    add_reading(command, one=True)
    add_json(command)


def _add_schemes(command: argparse.ArgumentParser) -> None:
    """What counts as right, nearly right and similar."""
    add = command.add_argument
    add(
        "--iou",
        metavar="T",
        type=Number(OVERLAP),
        default=0.5,
        help="overlap that counts as right (0.5)",
    )
    add(
        "--background-iou",
        metavar="T",
        type=Number(OVERLAP),
        help="overlap below which a box is on background (0.1, or half of --iou if it is no more)",
    )
    add(
        "--similar",
        metavar="HOW",
        help="similar classes: supercategory, tree, none, or a file with groups or a class tree",
    )
    add(
        "--assignment",
        choices=("priority", "argmax_iou"),
        default="priority",
        help="which class a confused false positive is counted with (Hoiem)",
    )
    add("--tidecv", action="store_true", help="add TIDE with the quirks of tidecv")
    add("--tide-range", action="store_true", help="add TIDE at COCO's ten thresholds")
    add(
        "--gallery",
        metavar="N",
        type=Number(GALLERY),
        default=15,
        help="errors shown of each kind (15)",
    )


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.data.selection import shared_classes
    from boxlens.formats.class_groups import read_similarity
    from boxlens.studies.diagnosis import DiagnosisChoice, diagnose_tables

    formats = chosen_formats(options)
    resampling = chosen_intervals(options)
    with progress_bar() as progress:
        dataset, tables = read_tables(options, progress)
        used, (detections,) = shared_classes(dataset, tables, options.classes_used)
        choice = DiagnosisChoice(
            iou=options.iou,
            background_iou=options.background_iou,
            similar=read_similarity(options.similar, dataset.classes, used.classes),
            assignment=options.assignment,
            tidecv=options.tidecv,
            tide_range=options.tide_range,
            n_gallery=options.gallery,
            characteristics=tuple(options.by) or None,
            bins=chosen_bins(options),
            interactions=chosen_pairs(options),
            intervals=resampling if options.intervals else None,
        )
        result = diagnose_tables(
            used, detections, choice, threads=options.threads, progress=progress
        )
        written = save(options, result, formats, progress)
    show_result(options, result, written, detail=options.per_class)
