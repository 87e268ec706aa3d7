"""`boxlens proposals recall`: how many objects do proposals find?"""

from __future__ import annotations

import argparse

from boxlens.cli.asking import add_report
from boxlens.cli.options import Commands, Number
from boxlens.cli.proposal_actions.proposal_options import (
    add_proposals,
    add_running,
    asks_about_proposals,
)
from boxlens.cli.reading import add_attributes, add_parts
from boxlens.limits import BUDGET, OVERLAP, SHARE


def add_action(actions: Commands) -> None:
    command = actions.add_parser(
        "recall",
        help="measure how many objects proposals find",
        description="Measure how many objects proposals find, and how tightly: recall by IoU and "
        "by number of proposals, average recall, and recall by class, size and attribute.",
    )
    command.set_defaults(run=run)
    command.text("gt GT", "ground truth: a file or folder")
    command.text(
        "files FILE",
        "proposals: COCO results, CSV, Parquet, or MAT files of the public benchmark",
        nargs="*",
    )
    add_proposals(command)
    command.files("--also GT", "further data sets to compare")
    budgets = "proposals per image, at most (100,1000)"
    command.numbers("--budget N", BUDGET, budgets, into="budgets")
    ious = "IoU thresholds of recall (0.5,0.7,0.75,0.8)"
    command.numbers("--iou T", OVERLAP, ious, into="ious")
    command.text("--ar-range LOW:HIGH", "IoU range of average recall (0.5:1)", type=_range)
    command.flag("--ar-on-grid", "integrate AR in steps of 0.001, as the published code does")
    command.several("--by NAME", "attributes of objects to split recall by")
    command.flag(
        "--missing-is-empty", "count images without proposals: none of their objects is found"
    )
    command.flag("--per-class", "show every class, attribute, data set and budget")
    add_report(command)
    command.several("--name NAME", "names of FILE, in order", into="names")
    add_parts(command)
    add_attributes(command)
    add_running(command)


def _range(text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text!r}: write it like 0.5:0.7")
    read = Number(SHARE)
    return read(low), read(high)


def run(options: argparse.Namespace) -> None:
    options.gt = [options.gt, *options.also]
    asks_about_proposals("proposal_recall")(options)
