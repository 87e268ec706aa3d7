"""What actions have in common: whose proposals, from which pictures, on which cores."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from boxlens.cli.asking import asks
from boxlens.cli.options import Parser
from boxlens.cli.reading import add_seed, add_threads, add_workers
from boxlens.limits import BELOW_ONE, BUDGET, SHARE

METHOD_HELP = (
    "a method to make proposals with: uniform, gaussian, sliding-window, superpixels, "
    "selective-search[-quality|-published], edge-boxes[-50|-70|-90|-ar], bing:FOLDER, objectness, "
    "randomized-prim, rantalankila, geodesic, rahtu; METHOD:FILE.json with what tune or train wrote"
)


def asks_about_proposals(verb: str) -> Callable[[argparse.Namespace], None]:
    """How an action runs that takes files of proposals, and methods after them."""

    def run(options: argparse.Namespace) -> None:
        options.proposals = [*options.files, *options.proposals]
        asks(verb, keeps="windows")(options)

    return run


def add_budget(command: Parser) -> None:
    command.number("--budget N", BUDGET, "proposals per image, at most", 1000)


def add_proposals(command: Parser) -> None:
    """Methods after the files, where to look at pictures, and where to keep what is found."""
    command.several("--method METHOD", METHOD_HELP, into="proposals")
    command.files("--images DIR", "folders of pictures, for --method")
    command.text(
        "--keep DIR", "keep what methods find there, and use it again (with -o: DIR/windows)"
    )
    command.several(
        "--order ORDER",
        "how the boxes of files are ranked, one for all or one each: descending (default) or "
        "ascending score, as given, or shuffled",
    )


def add_filter(command: Parser) -> None:
    """How raw detections become detections that use proposals."""
    kept = "IoU with a proposal above which a raw detection is kept"
    command.number("--filter-iou T", BELOW_ONE, kept, 0.8)
    command.number("--nms-iou T", SHARE, "IoU of suppression (0.3)")


def add_running(command: Parser, *, threads: bool = True) -> None:
    add_seed(command)
    add_workers(command)
    if threads:
        add_threads(command, "threads that match boxes")
