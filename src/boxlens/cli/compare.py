"""`boxlens compare`: which detector is better, and is the difference real?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.intervals import add_intervals, chosen_intervals
from boxlens.cli.options import Commands, Number, add_json
from boxlens.cli.reading import add_classes_used, add_files, add_reading, read_tables
from boxlens.cli.report_options import add_report, chosen_formats, save, show_result
from boxlens.limits import FINITE, NOT_NEGATIVE, PERMUTATIONS

if TYPE_CHECKING:
    import argparse

    from boxlens.studies.comparison import ComparisonChoice


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "compare",
        help="say which detector is better, and whether the difference is real",
        description="Say which of two or more detectors is better, whether the difference is "
        "real, on which images it shows and what they could reach together. Options marked * may "
        "be repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add_files(command)
    add = command.add_argument
    add("--protocol", default="coco", help="coco (default), voc07, voc12, lvis or openimages")
    add("--metric", metavar="NAME", help="metric to rank by (the protocol's first)")
    add("--per-class", action="store_true", help="show every table in full: one row per class")
    _add_tests(command)
    _add_image_scores(command)
    add_report(command, pictures="show images of this folder in the report", pdf=True)
    add_classes_used(command, compared=True)
    add_reading(command)
    add_json(command)


def _add_tests(command: argparse.ArgumentParser) -> None:
    """How chance is ruled out, over which images."""
    add_intervals(command, always=True)
    add = command.add_argument
    add(
        "--permutations",
        metavar="N",
        type=Number(PERMUTATIONS),
        default=1000,
        help="random exchanges of two detectors' detections (1000)",
    )
    add(
        "--images-used",
        choices=("check", "all", "common"),
        default="check",
        help="all images, or those common to all detectors; check (default) takes all and stops "
        "if the detectors were clearly run on different images",
    )


def _add_image_scores(command: argparse.ArgumentParser) -> None:
    """How one image is scored, and when scores of many tell detectors apart."""
    add = command.add_argument
    add(
        "--measure",
        choices=("fda", "f1", "recall", "precision"),
        default="fda",
        help="how an image is scored (fda)",
    )
    add(
        "--min-score",
        metavar="S",
        type=Number(FINITE),
        help="score cut of image scores (each detector's own, of best F1)",
    )
    add(
        "--mapping",
        choices=("one_to_one", "literal"),
        default="one_to_one",
        help="which boxes FDA pairs: one to one, or as in the paper (one_to_one)",
    )
    add("--class-agnostic", action="store_true", help="FDA pairs boxes across classes")
    add(
        "--test",
        choices=("paired", "welch", "permutation"),
        default="paired",
        help="test of the image scores (paired)",
    )
    add(
        "--largest-t0",
        metavar="T",
        type=Number(NOT_NEGATIVE),
        default=0.1,
        help="detectors differ if p stays low from a threshold of at most this (0.1)",
    )


def chosen_comparison(options: argparse.Namespace) -> ComparisonChoice:
    from boxlens.metrics import choose
    from boxlens.studies.comparison import ComparisonChoice, DiscriminativeChoice

    resampling = chosen_intervals(options, always=True)
    return ComparisonChoice(
        evaluation=choose(options.protocol),
        resampling=resampling,
        n_permutations=options.permutations,
        metric=options.metric,
        measure=options.measure,
        mapping=options.mapping,
        class_agnostic=options.class_agnostic,
        min_score=options.min_score,
        discriminative=DiscriminativeChoice(test=options.test, largest_t0=options.largest_t0),
        images=options.images_used,
        classes=options.classes_used,
    )


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.studies.comparison import compare_tables

    formats = chosen_formats(options)
    choice = chosen_comparison(options)
    with progress_bar() as progress:
        dataset, tables = read_tables(options, progress)
        result = compare_tables(dataset, tables, choice, threads=options.threads, progress=progress)
        written = save(options, result, formats, progress)
    show_result(options, result, written, detail=options.per_class)
