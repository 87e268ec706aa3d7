"""`boxlens evaluate`: how good is it?"""

from __future__ import annotations

import argparse
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from boxlens.cli.asking import add_report, answer, check_report, show
from boxlens.cli.options import ByName, Commands, area_range, named, thresholds
from boxlens.cli.output import print_note
from boxlens.cli.reading import add_attributes, add_files, add_intervals, add_protocol, add_reading
from boxlens.limits import AT_MOST, FINITE, NOT_NEGATIVE, OVERLAP

if TYPE_CHECKING:
    from boxlens.metrics.results import Provenance

FITTING_PROTOCOL = {"lvis": "lvis", "voc": "voc07 or voc12", "openimages": "openimages"}


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "evaluate",
        help="score detections against ground truth",
        description="Score detections against ground truth: COCO, VOC, LVIS and Open Images "
        "numbers, exact.",
    )
    command.set_defaults(run=run)
    add_files(command)
    add_attributes(command)
    add_protocol(command)
    command.flag("--per-class", "add one row per class")
    command.several("--also NAME", "add curves, confidence, confusion, olrp or images")
    command.several(
        "--iou T",
        "IoU thresholds instead of the protocol's; also START:STOP:STEP",
        thresholds,
        "0.5 or 0.5:0.95:0.05",
        into="iou_thresholds",
    )
    command.several(
        "--area NAME=LOW:HIGH",
        "area ranges in square pixels instead of s, m, l (COCO, LVIS)",
        _area,
        "tiny=0:256",
        action=ByName,
        into="area_ranges",
    )
    command.numbers(
        "--max-dets N", AT_MOST, "detections per class and image (COCO), per image (LVIS)"
    )
    group_of = "what a group-of box counts (openimages); 0 ignores it"
    command.number("--group-of-weight W", NOT_NEGATIVE, group_of, 1.0)
    command.number("--at-iou T", OVERLAP, "IoU of the --also readings", 0.5)
    command.number("--min-score S", FINITE, "score cut of --also confusion and images", 0.25)
    add_report(command, saving=("threads",))
    add_intervals(command)
    add_reading(command, classes_used="all")


def _area(text: str) -> tuple[str, tuple[float, float]]:
    name, ends = named(area_range)(text)
    if name == "all":
        raise ArgumentTypeError("'all' is there anyway: call your range something else")
    return name, ends


def run(options: argparse.Namespace) -> None:
    from boxlens.metrics import evaluate

    check_report(options)
    result, written = answer(options, evaluate)
    note_fitting(result.provenance, options.protocol)
    show(options, result, written)


def note_fitting(provenance: Provenance, protocol: str) -> None:
    """Ground truth of a benchmark that has a protocol of its own."""
    truth = provenance.ground_truth
    fitting = FITTING_PROTOCOL.get(truth.format) if truth else None
    if fitting and protocol == "coco":
        print_note(f"scored as COCO does; --protocol {fitting} is made for this ground truth")
