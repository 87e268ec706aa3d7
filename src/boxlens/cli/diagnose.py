"""`boxlens diagnose`: what goes wrong, and what would fixing it bring?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.cli.intervals import add_intervals, chosen_intervals
from boxlens.cli.options import Commands, add_json
from boxlens.cli.output import print_note, print_notices, show_or_save_json
from boxlens.cli.reading import add_files, add_reading, read_tables
from boxlens.cli.sensitivity import (
    add_characteristics,
    add_figures,
    chosen_bins,
    chosen_formats,
    chosen_pairs,
)
from boxlens.errors import ParameterError

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
    add(
        "-o", "--output", metavar="DIR", help="write report, figures, tables and results.json there"
    )
    add("--per-class", action="store_true", help="add a row a class")
    _add_schemes(command)
    add_characteristics(command)
    add_figures(command)
    add_intervals(command)
    add("--images", metavar="DIR", help="show errors in the pictures of this folder (with -o)")
    add_reading(command, one=True)
    add_json(command)


def _add_schemes(command: argparse.ArgumentParser) -> None:
    """What counts as right, nearly right and similar."""
    add = command.add_argument
    add("--iou", metavar="T", type=float, default=0.5, help="overlap that counts as right (.5)")
    add(
        "--background-iou",
        metavar="T",
        type=float,
        default=0.1,
        help="overlap below which a box lies on background (.1)",
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
    add("--gallery", metavar="N", type=int, default=15, help="errors shown of each kind (15)")


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.diagnose_text import diagnosis_text
    from boxlens.cli.progress import progress_bar
    from boxlens.diagnosis import DiagnosisChoice, diagnose_tables
    from boxlens.formats.class_groups import read_similarity

    if options.images and not options.output:
        raise ParameterError("--images shows errors in the report: name its folder with -o")
    formats = chosen_formats(options)
    if options.images:
        from boxlens.report.gallery import check_pictures

        check_pictures(options.images)
    resampling = chosen_intervals(options)
    with progress_bar() as progress:
        dataset, (detections,) = read_tables(options, progress)
        choice = DiagnosisChoice(
            iou=options.iou,
            background_iou=options.background_iou,
            similar=read_similarity(options.similar, dataset.classes),
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
            dataset, detections, choice, threads=options.threads, progress=progress
        )
        if options.output:
            from boxlens.report.write import write_diagnosis

            written = write_diagnosis(
                result,
                Path(options.output),
                formats=formats,
                images=options.images,
                progress=progress,
            )
    print_notices(result.notices)
    if options.output:
        print_note(f"wrote {written}")
    show_or_save_json(
        result.to_json, options.json, lambda: diagnosis_text(result, per_class=options.per_class)
    )
