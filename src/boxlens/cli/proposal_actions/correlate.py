"""`boxlens proposals correlate`: does recall of proposals predict mAP?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.options import SEVERAL, Commands, Number, add_json
from boxlens.cli.proposal_actions.proposal_options import (
    add_budget,
    add_ground_truth,
    add_method,
    add_order,
    add_pictures,
    add_running,
    read_ground_truth,
    searching_keywords,
)
from boxlens.cli.report_options import add_report, chosen_formats, save, show_result
from boxlens.errors import ParameterError
from boxlens.limits import BELOW_ONE, SHARE

if TYPE_CHECKING:
    import argparse

    from boxlens.formats.files import Progress
    from boxlens.studies.proposals.detection_use.correlation_result import ProposalCorrelationResult


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "correlate",
        help="test whether recall of proposals predicts mAP",
        description="Test whether recall of proposals predicts the mAP of detectors that use them: "
        "the correlation over methods of mAP with recall at each IoU and with average recall. The "
        "mAP come from a table (--scores), from a detector run on the proposals of each method "
        "(--dt), or from raw detections that are filtered by them (--raw). Options marked * may be "
        "repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth: a file or folder")
    add("files", metavar="FILE", nargs="*", help="proposals, one file per method")
    add_method(command)
    add_pictures(command)
    add("--scores", metavar="CSV", help="a table: method, mAP, and perhaps detector and class")
    add("--dt", metavar="DT", **SEVERAL, help="detections, one file per method, in order")
    add("--raw", metavar="DT", **SEVERAL, help="raw detections, one file per detector")
    add("--metric", metavar="M", default="AP50", help="mAP is AP50 (default) or AP")
    add(
        "--filter-iou",
        metavar="T",
        type=Number(BELOW_ONE),
        default=0.8,
        help="IoU with a proposal above which a raw detection is kept (0.8)",
    )
    add("--nms-iou", metavar="T", type=Number(SHARE), help="IoU of suppression, for --raw (0.3)")
    add_budget(command)
    add("--per-class", action="store_true", help="show every class")
    add_order(command)
    add_report(command)
    add_ground_truth(command)
    add("--dt-format", metavar="F", help="read DT as this format instead of recognising it")
    add("--strict", action="store_true", help="unknown images or classes are an error")
    add_running(command)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.studies.proposals.detection_use.correlation import check_enough_methods

    given = [options.scores is not None, bool(options.dt), bool(options.raw)]
    if sum(given) != 1:
        raise ParameterError("give the mAP of methods by one of --scores, --dt and --raw")
    check_enough_methods(len(options.files) + len(options.method))
    formats = chosen_formats(options)
    with progress_bar() as progress:
        result = _correlated(options, progress)
        written = save(options, result, formats, progress)
    show_result(options, result, written, detail=options.per_class)


def _correlated(options: argparse.Namespace, progress: Progress) -> ProposalCorrelationResult:
    from boxlens.cli.reading import read_detection_files
    from boxlens.studies.proposals.detection_use.asking import correlate_recall
    from boxlens.studies.proposals.detection_use.filtering import NMS_IOU

    dataset = read_ground_truth(options, options.gt, progress)
    paths = options.dt or options.raw
    tables = read_detection_files(options, paths, [None] * len(paths), dataset, 1, progress)
    return correlate_recall(
        dataset,
        [*options.files, *options.method],
        scores=options.scores,
        dt=tables if options.dt else (),
        raw=tables if options.raw else (),
        budget=options.budget,
        metric=options.metric,
        filter_iou=options.filter_iou,
        nms_iou=NMS_IOU if options.nms_iou is None else options.nms_iou,
        progress=progress,
        **searching_keywords(options),
    )
