"""`boxlens proposals oracle`: do proposals or suppression hold a detector back?"""

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
from boxlens.cli.reading import add_detections_format, add_files
from boxlens.limits import OVERLAP


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "oracle",
        help="measure what perfect proposals or perfect suppression would add to AP",
        description="Measure what perfect proposals or perfect suppression would add to AP: raw "
        "detections are filtered by proposals, suppressed and evaluated, with each oracle and with "
        "both; and how scores rise towards objects.",
    )
    command.set_defaults(run=asks_about_proposals("proposal_oracles"))
    add_files(command)
    command.files("--proposals FILE", "proposals, one file per method", into="files")
    add_proposals(command)
    add_budget(command)
    add_filter(command)
    command.number(
        "--oracle-iou T", OVERLAP, "IoU with a true positive that suppresses a false one", 0.5
    )
    command.flag("--per-class", "show every class")
    add_report(command)
    command.several("--name NAME", "names of the detectors, in the order of DT", into="names")
    add_detections_format(command)
    add_running(command)
