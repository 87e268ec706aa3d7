"""`boxlens evaluate`: how good is it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.intervals import add_intervals, chosen_intervals
from boxlens.cli.options import Commands, Number, add_json, area_range, several, thresholds
from boxlens.cli.output import print_note
from boxlens.cli.reading import add_classes_used, add_files, add_reading, read_tables
from boxlens.cli.report_options import add_report, chosen_formats, save, show_result
from boxlens.errors import ParameterError
from boxlens.limits import AT_MOST, FINITE, NOT_NEGATIVE, OVERLAP

if TYPE_CHECKING:
    import argparse

    from boxlens.metrics.evaluation import EvaluationChoice

FITTING_PROTOCOL = {"lvis": "lvis", "voc": "voc07 or voc12", "openimages": "openimages"}


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "evaluate",
        help="score detections against ground truth",
        description="Score detections against ground truth: COCO, VOC, LVIS and Open Images "
        "numbers, exact. Options marked * may be repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add_files(command)
    add = command.add_argument
    add("--protocol", default="coco", help="coco (default), voc07, voc12, lvis or openimages")
    add("--per-class", action="store_true", help="add one row per class")
    _add_counting(command)
    add_report(command)
    add_intervals(command)
    add_classes_used(command)
    add_reading(command)
    add_json(command)


def _add_counting(command: argparse.ArgumentParser) -> None:
    """What is counted, beyond the protocol's own choice."""
    add = command.add_argument
    add(
        "--also",
        metavar="NAME",
        **several(str, "confusion"),
        help="* add curves, confidence, confusion, olrp or images",
    )
    add(
        "--iou",
        metavar="T",
        **several(thresholds, "0.5 or 0.5:0.95:0.05"),
        help="* IoU thresholds instead of the protocol's; also START:STOP:STEP",
    )
    add(
        "--area",
        metavar="NAME=LOW:HIGH",
        **several(area_range, "tiny=0:256"),
        help="* area ranges in square pixels instead of s, m, l (COCO, LVIS)",
    )
    add(
        "--max-dets",
        metavar="N",
        **several(Number(AT_MOST), "100"),
        help="* detections per class and image (COCO), per image (LVIS)",
    )
    add(
        "--group-of-weight",
        metavar="W",
        type=Number(NOT_NEGATIVE),
        default=1.0,
        help="what a group-of box counts (openimages): 1, or 0 to ignore it",
    )
    add(
        "--at-iou",
        metavar="T",
        type=Number(OVERLAP),
        default=0.5,
        help="IoU of the --also readings (0.5)",
    )
    add(
        "--min-score",
        metavar="S",
        type=Number(FINITE),
        default=0.25,
        help="score cut of --also confusion and images (0.25)",
    )


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.metrics import evaluate_tables

    formats = chosen_formats(options)
    choice = _choice(options)
    with progress_bar() as progress:
        dataset, detections = read_tables(options, progress, classes_used=options.classes_used)
        result = evaluate_tables(
            dataset, detections, choice, threads=options.threads, progress=progress
        )
        written = save(
            options,
            result,
            formats,
            progress,
            dataset=dataset,
            detections=detections,
            iou=options.at_iou,
        )
    fitting = FITTING_PROTOCOL.get(dataset.source.format) if dataset.source else None
    if fitting and options.protocol == "coco":
        print_note(f"scored as COCO does; --protocol {fitting} is made for this ground truth")
    show_result(options, result, written, detail=options.per_class)


def _choice(options: argparse.Namespace) -> EvaluationChoice:
    from boxlens.metrics import choose

    resampling = chosen_intervals(options)
    return choose(
        options.protocol,
        iou_thresholds=options.iou,
        area_ranges=_area_ranges(options.area) if options.area else None,
        max_dets=options.max_dets,
        group_of_weight=options.group_of_weight,
        also=options.also,
        extra_iou=options.at_iou,
        min_score=options.min_score,
        intervals=resampling if options.intervals else False,
    )


def _area_ranges(given: list[tuple[str, tuple[float, float]]]) -> dict[str, tuple[float, float]]:
    names = [name for name, _ in given]
    for name in names:
        if name == "all" or names.count(name) > 1:
            raise ParameterError(f"--area {name}: a range needs a unique name, and not 'all'")
    return {"all": (0.0, 1e10), **dict(given)}
