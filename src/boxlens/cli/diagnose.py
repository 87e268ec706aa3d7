"""`boxlens diagnose`: what goes wrong, and what would fixing it bring?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.cli.intervals import add_intervals, chosen_intervals
from boxlens.cli.options import Commands, Number, add_json
from boxlens.cli.reading import add_classes_used, add_files, add_reading, read_tables
from boxlens.cli.report_options import add_report, chosen_formats, show_report
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
        help="say what goes wrong and what fixing it would bring",
        description="Say what goes wrong and what fixing it would bring: error types after Hoiem, "
        "TIDE, COCO analyze and Borji, missed objects, sensitivity, and a verdict. Options marked "
        "* may be repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add_files(command, one=True)
    add = command.add_argument
    add("--per-class", action="store_true", help="add a row a class")
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
        help="overlap that counts as right (.5)",
    )
    add(
        "--background-iou",
        metavar="T",
        type=Number(OVERLAP),
        help="overlap below which a box lies on background (.1, or half of --iou if it is no more)",
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
    from boxlens.cli.diagnose_text import diagnosis_text
    from boxlens.cli.progress import progress_bar
    from boxlens.data.selection import shared_classes
    from boxlens.diagnosis import DiagnosisChoice, diagnose_tables
    from boxlens.formats.class_groups import read_similarity

    formats = chosen_formats(options)
    written = None
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
        if options.output:
            from boxlens.report.writing.write_diagnosis import write_diagnosis

            written = write_diagnosis(
                result,
                Path(options.output),
                formats=formats,
                images=options.images,
                images_mb=options.images_mb,
                pdf=options.pdf,
                progress=progress,
            )
    show_report(
        options,
        result.notices,
        written,
        result.to_json,
        lambda: diagnosis_text(result, per_class=options.per_class),
    )
