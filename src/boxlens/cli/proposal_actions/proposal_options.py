"""What actions have in common: whose proposals, from which pictures, on which cores."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxlens.cli.options import several
from boxlens.errors import ParameterError

if TYPE_CHECKING:
    import argparse

    from boxlens.data import Dataset
    from boxlens.formats.files import Progress
    from boxlens.metrics.results import Provenance
    from boxlens.proposals.sources import Searching

SEVERAL: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
METHOD_HELP = (
    "* a method to make proposals with: uniform, gaussian, sliding-window, superpixels, "
    "selective-search[-quality|-published], edge-boxes[-50|-70|-90|-ar], bing:FOLDER, objectness, "
    "randomized-prim, rantalankila, geodesic, rahtu; METHOD:FILE.json with what tune or train wrote"
)


def add_method(command: argparse.ArgumentParser, *, required: bool = False) -> None:
    command.add_argument(
        "--method",
        metavar="METHOD",
        **several(str, "edge-boxes"),
        required=required,
        help=METHOD_HELP,
    )


def add_pictures(command: argparse.ArgumentParser) -> None:
    """For methods that look at pictures; where what they find is kept."""
    add = command.add_argument
    add("--images", metavar="DIR", **SEVERAL, help="folders of pictures, for --method")
    add(
        "--keep",
        metavar="DIR",
        help="keep what methods find there, and use it again (with -o: DIR/windows)",
    )


def add_order(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--order",
        metavar="ORDER",
        **several(str, "ascending"),
        help="* how the boxes of files are ranked, one for all or one each: descending (default) "
        "or ascending score, as given, or shuffled",
    )


def add_running(command: argparse.ArgumentParser, *, threads: bool = True) -> None:
    add = command.add_argument
    add("--seed", metavar="N", type=int, default=0, help="of everything random (0)")
    add("--workers", metavar="N", type=int, default=0, help="processes for pictures (all cores)")
    if threads:
        add("--threads", metavar="N", type=int, default=0, help="threads for matching (all cores)")


def add_ground_truth(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--split", metavar="NAME", help="part of the data set, e.g. test (VOC, YOLO)")
    add("--gt-format", metavar="F", help="read GT as this format instead of recognising it")


def read_ground_truth(options: argparse.Namespace, path: str, progress: Progress) -> Dataset:
    from boxlens.formats import read_dataset

    return read_dataset(
        path,
        format=options.gt_format,
        split=options.split,
        threads=getattr(options, "threads", 0),
        progress=progress,
    )


def heading(what: str, provenance: Provenance, *parts: str) -> str:
    """The first line of a text: the data set, as its file is called, and what is told of it."""
    from boxlens.formats import default_name

    source = provenance.ground_truth
    named = [] if source is None else [default_name(source.path)]
    return " | ".join([what, *named, *parts])


def worker_count(options: argparse.Namespace) -> int:
    for name in ("workers", "threads"):
        if getattr(options, name, 0) < 0:
            raise ParameterError(f"--{name}: 0 (all cores) or more, got {getattr(options, name)}")
    return options.workers or os.cpu_count() or 1


def searching(options: argparse.Namespace) -> Searching:
    from boxlens.proposals.sources import Searching

    return Searching(
        images=tuple(options.images),
        keep=kept_folder(options, "windows"),
        orders=tuple(options.order) or ("descending",),
        seed=options.seed,
        workers=worker_count(options),
        threads=options.threads,
    )


def searching_keywords(options: argparse.Namespace) -> dict[str, Any]:
    """The same for functions that take it in parts."""
    return {
        "images": options.images,
        "keep": kept_folder(options, "windows"),
        "order": options.order or "descending",
        "seed": options.seed,
        "workers": worker_count(options),
        "threads": options.threads,
    }


def kept_folder(options: argparse.Namespace, name: str) -> Path | None:
    """What is found stays where it is asked to, or beside the report."""
    if options.keep:
        return Path(options.keep)
    if not getattr(options, "output", None):
        return None
    from boxlens.report.writing.output_folder import Claim

    options.claim = Claim(Path(options.output))
    return Path(options.output) / name
