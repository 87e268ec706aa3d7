"""`boxlens proposals oracle`: do proposals or suppression hold a detector back?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.options import SEVERAL, Commands, Number, add_json
from boxlens.cli.proposal_actions.proposal_options import (
    add_budget,
    add_method,
    add_order,
    add_pictures,
    add_running,
    searching_keywords,
)
from boxlens.cli.reading import add_files, read_tables
from boxlens.cli.report_options import add_report, chosen_formats, save, show_result
from boxlens.limits import BELOW_ONE, OVERLAP, SHARE

if TYPE_CHECKING:
    import argparse

    from boxlens.formats.files import Progress
    from boxlens.studies.proposals.detection_use.oracle_result import ProposalOracleResult


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "oracle",
        help="measure what perfect proposals or perfect suppression would add to AP",
        description="Measure what perfect proposals or perfect suppression would add to AP: raw "
        "detections are filtered by proposals, suppressed and evaluated, with each oracle and with "
        "both; and how scores rise towards objects. Options marked * may be repeated, or given "
        "once with commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add_files(command)
    add("--proposals", metavar="FILE", **SEVERAL, help="proposals, one file per method")
    add_method(command)
    add_pictures(command)
    add_budget(command)
    add(
        "--filter-iou",
        metavar="T",
        type=Number(BELOW_ONE),
        default=0.8,
        help="IoU with a proposal above which a detection is kept (0.8)",
    )
    add("--nms-iou", metavar="T", type=Number(SHARE), help="IoU of suppression (0.3)")
    add(
        "--oracle-iou",
        metavar="T",
        type=Number(OVERLAP),
        default=0.5,
        help="IoU with a true positive that suppresses a false one (0.5)",
    )
    add("--per-class", action="store_true", help="show every class")
    add_order(command)
    add_report(command)
    add("--name", metavar="NAME", action="append", default=[], help="name of DT; repeat it")
    add("--gt-format", metavar="F", help="read GT as this format instead of recognising it")
    add("--dt-format", metavar="F", help="read DT as this format instead of recognising it")
    add("--strict", action="store_true", help="unknown images or classes are an error")
    add_running(command)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar

    formats = chosen_formats(options)
    with progress_bar() as progress:
        result = _asked(options, progress)
        written = save(options, result, formats, progress)
    show_result(options, result, written, detail=options.per_class)


def _asked(options: argparse.Namespace, progress: Progress) -> ProposalOracleResult:
    from boxlens.studies.proposals.detection_use.asking import proposal_oracles
    from boxlens.studies.proposals.detection_use.filtering import NMS_IOU

    dataset, tables = read_tables(options, progress)
    return proposal_oracles(
        dataset,
        tables,
        [*options.proposals, *options.method],
        budget=options.budget,
        filter_iou=options.filter_iou,
        nms_iou=NMS_IOU if options.nms_iou is None else options.nms_iou,
        oracle_iou=options.oracle_iou,
        progress=progress,
        **searching_keywords(options),
    )
