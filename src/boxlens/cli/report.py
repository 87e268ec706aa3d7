"""`boxlens report`: every question about one detector or several, on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.intervals import add_intervals, chosen_intervals
from boxlens.cli.options import Commands, Number, add_json, several
from boxlens.cli.reading import add_classes_used, add_files, add_reading, read_tables
from boxlens.cli.report_options import add_report, chosen_formats, save, show_report
from boxlens.cli.sensitivity import add_characteristics, chosen_bins, chosen_pairs
from boxlens.limits import OVERLAP

if TYPE_CHECKING:
    import argparse

    from boxlens.data import Dataset
    from boxlens.studies.report import ReportChoice, ReportResult


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "report",
        help="write one page that answers every question",
        description="Write one page that answers every question: scores with intervals, errors "
        "and what fixing them would add, which objects are missed, and, with two detectors or "
        "more, which is better. Options marked * may be repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add_files(command)
    add = command.add_argument
    add(
        "--ask",
        metavar="NAME",
        **several(str, "scores"),
        help="* scores, errors, sensitivity, difficulty or comparison; all that apply by default",
    )
    add("--protocol", default="coco", help="coco (default), voc07, voc12, lvis or openimages")
    add(
        "--iou",
        metavar="T",
        type=Number(OVERLAP),
        default=0.5,
        help="overlap that counts as right (0.5)",
    )
    add(
        "--similar",
        metavar="HOW",
        help="similar classes: supercategory, tree, none, or a file with groups or a class tree",
    )
    add(
        "--images-used",
        choices=("check", "all", "common"),
        default="check",
        help="images of the comparison: all, or those common to all detectors; check (default) "
        "takes all and stops where the detectors were clearly run on different ones",
    )
    add_characteristics(command)
    add_report(
        command, pictures="show pictures of this folder in the page", required=True, pdf=True
    )
    add_intervals(command, always=True)
    add_classes_used(command, compared=True)
    add_reading(command)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.data.selection import shared_classes
    from boxlens.studies.report import answer_tables, check_questions

    formats = chosen_formats(options)
    check_questions(options.ask)
    with progress_bar() as progress:
        dataset, tables = read_tables(options, progress)
        used = dataset
        if options.classes_used == "known":
            used, tables = shared_classes(dataset, tables, options.classes_used)
        choice = _choice(options, dataset, used)
        result = answer_tables(used, tables, choice, threads=options.threads, progress=progress)
        written = save(options, result, formats, progress)
    show_report(options, result.notices, written, result.to_json, lambda: _text(result))


def _choice(options: argparse.Namespace, dataset: Dataset, used: Dataset) -> ReportChoice:
    from boxlens.formats.class_groups import read_similarity
    from boxlens.metrics import choose
    from boxlens.studies.diagnosis import DiagnosisChoice
    from boxlens.studies.report import ReportChoice, check_questions

    return ReportChoice(
        ask=check_questions(options.ask),
        evaluation=choose(options.protocol),
        diagnosis=DiagnosisChoice(
            iou=options.iou,
            similar=read_similarity(options.similar, dataset.classes, used.classes),
            characteristics=tuple(options.by) or None,
            bins=chosen_bins(options),
            interactions=chosen_pairs(options),
        ),
        resampling=chosen_intervals(options, always=True),
        images=options.images_used,
        classes=options.classes_used,
    )


def _text(result: ReportResult) -> str:
    """What the page says, without its tables."""
    from boxlens.report.described import describe
    from boxlens.report.readers.terminal import headline, sentences_text

    study = describe(result)
    return f"{headline(study)}\n\n{sentences_text(study.all_sentences)}"
