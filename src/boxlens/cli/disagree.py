"""`boxlens disagree`: which images should be annotated next?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.cli.options import Commands, Number, add_json, several
from boxlens.cli.reading import add_classes_used, add_reading, read_tables
from boxlens.cli.report_options import save, show_result
from boxlens.errors import ParameterError
from boxlens.limits import AT_MOST, FINITE
from boxlens.wording import counted

if TYPE_CHECKING:
    import argparse

    from boxlens.studies.comparison.cases.disagreement import DisagreementResult


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "disagree",
        help="rank images by how much detectors disagree, without ground truth",
        description="Rank images by how much two or more detectors disagree, to choose what to "
        "annotate next. The ground truth is not used. Options marked * may be repeated, or given "
        "once with commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add(
        "gt",
        metavar="IMAGES",
        help="images and classes: a data set; its objects are not used and may be missing",
    )
    add("dt", metavar="DT", nargs="+", help="detections: one file or folder per detector")
    add(
        "--min-score",
        metavar="S",
        required=True,
        **several(Number(FINITE), "0.3"),
        help="* lowest score of a box that counts: one for all detectors, or one per detector",
    )
    add(
        "--by",
        choices=("boxes", "share"),
        default="boxes",
        help="rank by the number of disputed boxes (default), or by their share",
    )
    add("--class-agnostic", action="store_true", help="boxes may agree across classes")
    add(
        "--images-used",
        choices=("check", "all", "common"),
        default="check",
        help="all images, or those common to all detectors; check (default) takes all and stops "
        "if the detectors were clearly run on different images",
    )
    add(
        "--top",
        metavar="N",
        type=Number(AT_MOST),
        default=20,
        help="images shown, and listed in the JSON (20)",
    )
    add(
        "-o",
        "--output",
        metavar="PATH",
        help="write all images in order to a .csv file, or to a folder with a report",
    )
    add("--split", metavar="NAME", help="part of the data set, e.g. test (VOC, YOLO)")
    add_classes_used(command, compared=True)
    add_reading(command)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.studies.comparison.cases.images_to_annotate import disagree_tables

    cuts = _cuts(options)
    if options.output and not _is_csv(options.output):
        from boxlens.report.writing.output_folder import check_output

        check_output(Path(options.output))
    with progress_bar() as progress:
        dataset, tables = read_tables(options, progress, objects=False)
        result = disagree_tables(
            dataset,
            tables,
            min_score=cuts,
            by=options.by,
            class_agnostic=options.class_agnostic,
            top=options.top,
            images_used=options.images_used,
            classes_used=options.classes_used,
            threads=options.threads,
        )
        csv = options.output and _is_csv(options.output)
        written = _write_csv(result, options.output) if csv else save(options, result, (), progress)
    show_result(options, result, written)


def _cuts(options: argparse.Namespace) -> list[float]:
    given: list[float] = options.min_score
    if len(given) not in (1, len(options.dt)):
        raise ParameterError(
            f"--min-score: give one for all, or one for each of {len(options.dt)} detectors, got "
            f"{len(given)}"
        )
    return given if len(given) > 1 else given * len(options.dt)


def _is_csv(path: str) -> bool:
    return path.lower().endswith(".csv")


def _write_csv(result: DisagreementResult, path: str) -> str:
    """All images in order; returns in a line what was written."""
    from boxlens.formats.files import written_whole

    with written_whole(Path(path)) as temporary:
        result.tables()["images"].write_csv(temporary)
    return f"{path}: {counted(len(result.images), 'image')}"
