"""`boxlens proposals correlate`: does recall of proposals predict mAP?"""

from __future__ import annotations

from boxlens.cli.asking import add_report
from boxlens.cli.options import Commands
from boxlens.cli.proposal_actions.proposal_options import (
    add_budget,
    add_filter,
    add_proposals,
    add_running,
    asks_about_proposals,
)
from boxlens.cli.reading import add_detections_format, add_ground_truth


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "correlate",
        help="test whether recall of proposals predicts mAP",
        description="Test whether recall of proposals predicts the mAP of detectors that use them: "
        "the correlation over methods of mAP with recall at each IoU and with average recall. The "
        "mAP come from a table (--scores), from a detector run on the proposals of each method "
        "(--dt), or from raw detections that are filtered by them (--raw).",
    )
    command.set_defaults(run=asks_about_proposals("correlate_recall"))
    add_ground_truth(command)
    command.text("files FILE", "proposals, one file per method", nargs="*")
    add_proposals(command)
    command.text("--scores CSV", "a table: method, mAP, and perhaps detector and class")
    command.files("--dt DT", "detections, one file per method, in order")
    command.files("--raw DT", "raw detections, one file per detector")
    command.text("--metric M", "mAP is AP50 (default) or AP")
    add_filter(command)
    add_budget(command)
    command.flag("--per-class", "show every class")
    add_report(command)
    add_detections_format(command)
    add_running(command)
