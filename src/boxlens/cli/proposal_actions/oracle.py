"""`boxlens proposals oracle`: do proposals or suppression hold a detector back?"""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from boxlens.cli.options import Commands, Number, add_json
from boxlens.cli.output import aligned, score
from boxlens.cli.proposal_actions.proposal_options import (
    SEVERAL,
    add_method,
    add_order,
    add_pictures,
    add_running,
    heading,
    searching_keywords,
)
from boxlens.cli.reading import add_files, read_tables
from boxlens.cli.report_options import add_report, chosen_formats, show_report
from boxlens.limits import BELOW_ONE, BUDGET, OVERLAP, SHARE

if TYPE_CHECKING:
    import argparse

    from boxlens.formats.files import Progress
    from boxlens.proposals.detection_use.oracle_result import ProposalOracleResult

WIDTH = 95


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "oracle",
        help="say what perfect proposals or perfect suppression would bring a detector",
        description="Say what perfect proposals (gt) or perfect suppression (nms) would bring: "
        "raw detections are filtered by proposals, suppressed and evaluated, with each oracle and "
        "with both; and how scores rise towards objects. Options marked * may be repeated, or "
        "given once with commas.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add_files(command)
    add("--proposals", metavar="FILE", **SEVERAL, help="proposals, one file a method")
    add_method(command)
    add_pictures(command)
    add(
        "--budget", metavar="N", type=Number(BUDGET), default=1000, help="proposals an image (1000)"
    )
    add("--filter-iou", metavar="T", type=Number(BELOW_ONE), default=0.8, help="to a proposal (.8)")
    add("--nms-iou", metavar="T", type=Number(SHARE), help="of suppression (.3)")
    add(
        "--oracle-iou",
        metavar="T",
        type=Number(OVERLAP),
        default=0.5,
        help="overlap with a true positive that suppresses a false one (.5)",
    )
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
    written = None
    with progress_bar() as progress:
        result = _asked(options, progress)
        if options.output:
            from boxlens.report.writing.write_proposals import write_oracles

            written = write_oracles(
                result, Path(options.output), formats=formats, progress=progress
            )
    show_report(options, result.notices, written, result.to_json, lambda: oracle_text(result))


def _asked(options: argparse.Namespace, progress: Progress) -> ProposalOracleResult:
    from boxlens.proposals.detection_use.asking import proposal_oracles
    from boxlens.proposals.detection_use.filtering import NMS_IOU

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


def oracle_text(result: ProposalOracleResult) -> str:
    from boxlens.proposals.detection_use.verdict import oracle_sentences
    from boxlens.proposals.words import proposals_an_image

    rows = [["detector", "proposals", "oracle", "AP", "AP50", "detections"]]
    for one in result.oracles:
        rows += [
            [
                one.detector,
                one.method or "-",
                row.oracle,
                score(row.ap),
                score(row.ap50),
                f"{row.n_detections:,}",
            ]
            for row in one.scores
        ]
    by_iou = [["score by IoU", *(one.detector for one in result.scores)]]
    if result.scores:
        edges = result.scores[0].by_iou.edges
        by_iou += [
            [
                f"{edges[row]:.2f}-{edges[row + 1]:.2f}",
                *(score(float(one.by_iou.mean[row])) for one in result.scores),
            ]
            for row in range(len(edges) - 1)
        ]
    budget = result.parameters.get("budget")
    of = [] if budget is None else [proposals_an_image(budget)]
    return "\n\n".join(
        [
            heading("Oracles", result.provenance, *of),
            "\n".join(fill(sentence, WIDTH) for sentence in oracle_sentences(result)),
            aligned(rows),
            aligned(by_iou),
        ]
    )
