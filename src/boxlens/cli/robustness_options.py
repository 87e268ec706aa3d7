"""Options of `boxlens robustness`: how pictures are changed, and where detectors run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.options import SEVERAL, Number, several
from boxlens.limits import AT_MOST, BATCH, FINITE, NOT_NEGATIVE, SEVERITY, THREADS

if TYPE_CHECKING:
    import argparse


def add_transforms(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "--transform",
        metavar="WORD",
        **several(str, "gaussian_noise:3"),
        help="* transforms, one level of one (gaussian_noise:3), or groups: study, corruptions, "
        "noise, blur, weather, digital, graded, all (study,corruptions)",
    )
    add(
        "--severity",
        metavar="N",
        **several(Number(SEVERITY), "3"),
        help="* severities of corruptions, from 1 to 5 (all five)",
    )
    add(
        "--n-images",
        metavar="N",
        type=Number(AT_MOST),
        help="number of pictures, evenly spread (all)",
    )
    add("--cut", choices=("box", "mask"), default="box", help="what is kept of an object (box)")
    add(
        "--ignore-neighbours",
        action="store_true",
        help="do not count detections of a neighbour in the picture of another object as errors",
    )
    add("--scenes", metavar="DIR", help="pictures to paste objects on (others of the data set)")


def add_elsewhere(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "--export",
        metavar="DIR",
        help="write changed pictures and their ground truth, and stop",
    )
    add("--sets", metavar="DIR", help="folder that --export has written, instead of GT")
    add("--results", metavar="DIR", **SEVERAL, help="results on --sets: one folder per detector")
    add("--partial", action="store_true", help="skip sets without results")
    add("--name", metavar="NAME", **several(str, "mine"), help="* names of the detectors, in order")


def add_running(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--keep", metavar="DIR", help="keep detections there (with -o: DIR/detections)")
    add("--batch", metavar="N", type=Number(BATCH), help="batch size of the models (8)")
    add("--restart", action="store_true", help="ignore kept detections and start again")
    add(
        "--shown-score",
        metavar="S",
        type=Number(FINITE),
        default=0.3,
        help="minimum score of detections in error counts, maps and examples (0.3)",
    )
    add(
        "--images-mb",
        dest="page_mb",
        metavar="N",
        type=Number(NOT_NEGATIVE),
        default=8.0,
        help="maximum megabytes of pictures in the page (8)",
    )
    add(
        "--workers",
        metavar="N",
        type=Number(THREADS),
        default=0,
        help="threads of --export (all cores)",
    )
    add(
        "--threads",
        metavar="N",
        type=Number(THREADS),
        default=0,
        help="threads for matching (all cores)",
    )
