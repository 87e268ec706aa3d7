"""`boxlens proposals recall`: how many objects do proposals find?"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from boxlens.cli.options import SEVERAL, Commands, Number, add_json, several
from boxlens.cli.proposal_actions.proposal_options import (
    add_ground_truth,
    add_method,
    add_order,
    add_pictures,
    add_running,
    read_ground_truth,
    searching_keywords,
)
from boxlens.cli.report_options import add_report, chosen_formats, save, show_result
from boxlens.limits import BUDGET, OVERLAP, SHARE

if TYPE_CHECKING:
    from boxlens.formats.files import Progress
    from boxlens.studies.proposals.recall.result import ProposalRecallResult


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "recall",
        help="measure how many objects proposals find",
        description="Measure how many objects proposals find, and how tightly: recall by IoU and "
        "by number of proposals, average recall, and recall by class, size and attribute. Options "
        "marked * may be repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth: a file or folder")
    add(
        "files",
        metavar="FILE",
        nargs="*",
        help="proposals: COCO results, CSV, Parquet, or MAT files of the public benchmark",
    )
    add_method(command)
    add_pictures(command)
    add("--also", metavar="GT", **SEVERAL, help="further data sets to compare")
    add(
        "--budget",
        metavar="N",
        **several(Number(BUDGET), "1000"),
        help="* proposals per image, at most (100,1000)",
    )
    add(
        "--iou",
        metavar="T",
        **several(Number(OVERLAP), "0.5"),
        help="* IoU thresholds of recall (0.5,0.7,0.75,0.8)",
    )
    add(
        "--ar-range",
        metavar="LOW:HIGH",
        type=_range,
        default=(0.5, 1.0),
        help="IoU range of average recall (0.5:1)",
    )
    add(
        "--ar-on-grid",
        action="store_true",
        help="integrate AR in steps of 0.001, as the published code does",
    )
    add(
        "--attribute",
        metavar="NAME",
        **several(str, "pose"),
        help="* attributes of objects to split recall by",
    )
    add(
        "--missing-is-empty",
        action="store_true",
        help="count images without proposals: none of their objects is found",
    )
    add("--per-class", action="store_true", help="show every class, attribute, data set and budget")
    add_order(command)
    add_report(command)
    add("--name", metavar="NAME", **several(str, "mine"), help="* names of FILE, in order")
    add_ground_truth(command)
    add_running(command)
    add_json(command)


def _range(text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text!r}: write it like 0.5:0.7")
    read = Number(SHARE)
    return read(low), read(high)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar

    formats = chosen_formats(options)
    with progress_bar() as progress:
        result = _measured(options, progress)
        written = save(options, result, formats, progress)
    show_result(options, result, written, detail=options.per_class)


def _measured(options: argparse.Namespace, progress: Progress) -> ProposalRecallResult:
    from boxlens.studies.proposals.recall.analysis import proposal_recall
    from boxlens.studies.proposals.recall.choice import BUDGETS, IOUS

    return proposal_recall(
        [read_ground_truth(options, path, progress) for path in (options.gt, *options.also)],
        [*options.files, *options.method],
        budgets=options.budget or BUDGETS,
        ious=options.iou or IOUS,
        ar_range=options.ar_range,
        ar_on_grid=options.ar_on_grid,
        attributes=options.attribute,
        missing_is_empty=options.missing_is_empty,
        names=options.name,
        progress=progress,
        **searching_keywords(options),
    )
