"""What actions have in common: whose proposals, from which pictures, on which cores."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from boxlens.cli.options import SEVERAL, Number, several
from boxlens.cli.report_options import kept_folder
from boxlens.limits import BUDGET, SEED, THREADS

if TYPE_CHECKING:
    import argparse

    from boxlens.data import Dataset
    from boxlens.formats.files import Progress

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


def add_budget(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--budget",
        metavar="N",
        type=Number(BUDGET),
        default=1000,
        help="proposals per image, at most (1000)",
    )


def add_pictures(command: argparse.ArgumentParser) -> None:
    """For methods that look at pictures, and where to keep what they find."""
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
    add("--seed", metavar="N", type=Number(SEED), default=0, help="seed of everything random (0)")
    add(
        "--workers",
        metavar="N",
        type=Number(THREADS),
        default=0,
        help="processes that search pictures (all cores)",
    )
    if threads:
        add(
            "--threads",
            metavar="N",
            type=Number(THREADS),
            default=0,
            help="threads that match boxes (all cores)",
        )


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


def worker_count(options: argparse.Namespace) -> int:
    return options.workers or os.cpu_count() or 1


def searching_keywords(options: argparse.Namespace) -> dict[str, Any]:
    """How proposals are found that are not in files."""
    return {
        "images": options.images,
        "keep": kept_folder(options, "windows"),
        "order": options.order or "descending",
        "seed": options.seed,
        "workers": worker_count(options),
        "threads": options.threads,
    }
