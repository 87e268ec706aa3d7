"""`boxlens proposals correlate`: does recall foretell what detectors make of proposals?"""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from boxlens.cli.options import Commands, Number, add_json
from boxlens.cli.output import aligned, score
from boxlens.cli.proposal_actions.proposal_options import (
    SEVERAL,
    add_ground_truth,
    add_method,
    add_order,
    add_pictures,
    add_running,
    heading,
    read_ground_truth,
    searching_keywords,
)
from boxlens.cli.report_options import add_report, chosen_formats, show_report
from boxlens.errors import ParameterError
from boxlens.limits import BELOW_ONE, BUDGET, SHARE

if TYPE_CHECKING:
    import argparse

    from boxlens.formats.files import Progress
    from boxlens.proposals.detection_use.correlation_result import ProposalCorrelationResult

WIDTH = 95


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "correlate",
        help="say whether recall foretells what detectors make of proposals",
        description="Say whether recall foretells what detectors make of proposals: the "
        "correlation over methods of mAP with recall at each overlap and with average recall. The "
        "mAP come from a table (--scores), from a detector run on the proposals of each method "
        "(--detections), or from raw detections that are filtered by them (--raw). Options marked "
        "* may be repeated, or given once with commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth: a file or folder")
    add("files", metavar="FILE", nargs="*", help="proposals, one file a method")
    add_method(command)
    add_pictures(command)
    add("--scores", metavar="CSV", help="a table: method, mAP, and perhaps detector and class")
    add("--detections", metavar="DT", **SEVERAL, help="detections, a file a method, in order")
    add("--raw", metavar="DT", **SEVERAL, help="raw detections, a file a detector")
    add("--metric", metavar="M", default="AP50", help="mAP is AP50 (default) or AP")
    add(
        "--filter-iou",
        metavar="T",
        type=Number(BELOW_ONE),
        default=0.8,
        help="to a proposal, for --raw (.8)",
    )
    add("--nms-iou", metavar="T", type=Number(SHARE), help="of suppression, for --raw (.3)")
    add(
        "--budget", metavar="N", type=Number(BUDGET), default=1000, help="proposals an image (1000)"
    )
    add_order(command)
    add_report(command)
    add_ground_truth(command)
    add("--dt-format", metavar="F", help="read DT as this format instead of recognising it")
    add("--strict", action="store_true", help="unknown images or classes are an error")
    add_running(command)
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.cli.progress import progress_bar
    from boxlens.proposals.detection_use.correlation import check_enough_methods

    given = [options.scores is not None, bool(options.detections), bool(options.raw)]
    if sum(given) != 1:
        raise ParameterError("give the mAP of methods by one of --scores, --detections and --raw")
    check_enough_methods(len(options.files) + len(options.method))
    formats = chosen_formats(options)
    written = None
    with progress_bar() as progress:
        result = _correlated(options, progress)
        if options.output:
            from boxlens.report.writing.write_proposals import write_correlation

            written = write_correlation(
                result, Path(options.output), formats=formats, progress=progress
            )
    show_report(options, result.notices, written, result.to_json, lambda: correlation_text(result))


def _correlated(options: argparse.Namespace, progress: Progress) -> ProposalCorrelationResult:
    from boxlens.cli.reading import read_detection_files
    from boxlens.proposals.detection_use.asking import correlate_recall
    from boxlens.proposals.detection_use.filtering import NMS_IOU

    dataset = read_ground_truth(options, options.gt, progress)
    paths = options.detections or options.raw
    tables = read_detection_files(options, paths, [None] * len(paths), dataset, 1, progress)
    return correlate_recall(
        dataset,
        [*options.files, *options.method],
        scores=options.scores,
        detections=tables if options.detections else (),
        raw=tables if options.raw else (),
        budget=options.budget,
        metric=options.metric,
        filter_iou=options.filter_iou,
        nms_iou=NMS_IOU if options.nms_iou is None else options.nms_iou,
        progress=progress,
        **searching_keywords(options),
    )


def correlation_text(result: ProposalCorrelationResult) -> str:
    from boxlens.proposals.detection_use.verdict import correlation_sentences
    from boxlens.proposals.words import mean_count, proposals_an_image

    whole = [one for one in result.correlations if not one.class_name]
    # As in the sentences, and in the table of correlations.
    place = {one.detector: number for number, one in enumerate(whole)}
    rows = [["method", "detector", "found", "AR", "mAP"]]
    rows += [
        [one.method, one.detector or "-", mean_count(one.n_mean), score(one.ar), score(one.map)]
        for one in sorted(result.scores, key=lambda one: (place[one.detector], -one.ar))
    ]
    parts = [
        heading("Recall and mAP", result.provenance, proposals_an_image(result.budget)),
        "\n".join(fill(sentence, WIDTH) for sentence in correlation_sentences(result)),
        aligned(rows),
    ]
    if whole:
        shown = range(0, len(whole[0].ious), 2)
        heads = [f"{whole[0].ious[row]:.2f}" for row in shown]
        rows = [["r of mAP with recall", "AR", "AR .5-.7", *heads]]
        rows += [
            [
                one.detector or "all",
                _r(one.with_ar),
                _r(one.with_partial_ar),
                *(_r(float(one.at_iou[row])) for row in shown),
            ]
            for one in whole
        ]
        parts.append(aligned(rows))
    return "\n\n".join(parts)


def _r(value: float) -> str:
    return f"{value:.2f}" if value == value else "-"  # noqa: PLR0124 - NaN is not itself
