"""`boxlens train`: a detector trained on pictures and their ground truth."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from boxlens.cli.options import Commands
from boxlens.cli.output import print_failures, print_notices, show_or_save_json
from boxlens.cli.progress import progress_bar
from boxlens.cli.reading import add_json, add_workers
from boxlens.errors import InputError
from boxlens.limits import SEED
from boxlens.wording import counted

if TYPE_CHECKING:
    from boxlens.data import Dataset, Notice
    from boxlens.detectors.run_result import Failure
    from boxlens.progress import Progress

SCHEMA = "boxlens/train/1"
DETECTORS = ("window", "region")


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "train",
        help="train a window or region detector",
        description="Train a sliding-window or a region detector on pictures and their ground "
        "truth. boxlens detect --model runs what it writes.",
    )
    command.set_defaults(run=run)
    command.text("gt GT", "ground truth: a file or folder")
    command.text(
        "--images DIR", "folders of its pictures, or single files", nargs="+", required=True
    )
    command.text("--detector KIND", "window or region", choices=DETECTORS, required=True)
    command.text("-o --output FILE", "the .npz model to write", required=True)
    command.text("--split NAME", "part of the ground truth (VOC, YOLO)")
    command.number("--seed S", SEED, "random seed; the same seed gives the same model", 0)
    add_workers(command, "threads")
    add_json(command)


def run(options: argparse.Namespace) -> None:
    if not options.output.endswith(".npz"):
        raise InputError(
            "models can only be written as .npz",
            path=options.output,
            remedy="Name a file that ends in .npz",
        )
    with progress_bar() as progress:
        dataset, notices, failed = _trained(options, progress)
    print_notices(notices)
    print_failures(failed)
    show_or_save_json(
        lambda: _document(options, dataset, notices, failed),
        options.json,
        lambda: _text(options, dataset, failed),
    )


def _trained(
    options: argparse.Namespace, progress: Progress
) -> tuple[Dataset, tuple[Notice, ...], tuple[Failure, ...]]:
    """Trains and writes; gives the training images, and those that were skipped."""
    from boxlens.detectors.pictures import usable_pictures
    from boxlens.detectors.region_training import train_regions
    from boxlens.detectors.saved import save_detector
    from boxlens.detectors.window_training import train_windows
    from boxlens.formats import read_dataset
    from boxlens.images import find_images

    whole = read_dataset(options.gt, split=options.split, progress=progress)
    files, notices = find_images(options.images, dataset=whole)
    images, dataset, failed = usable_pictures(files, whole, progress)
    train = train_windows if options.detector == "window" else train_regions
    detector = train(
        images,
        dataset,
        seed=options.seed,
        workers=options.workers or os.cpu_count() or 1,
        progress=progress,
    )
    save_detector(detector, options.output)
    return dataset, (*whole.notices, *notices, *detector.notices), failed


def _text(options: argparse.Namespace, dataset: Dataset, failed: Sequence[Failure]) -> str:
    learnt = f"{counted(len(dataset.images), 'image')} with {counted(len(dataset.gt), 'object')}"
    lines = [f"wrote {options.output}: a {options.detector} detector trained on {learnt}"]
    if failed:
        lines.append(
            f"{len(failed):,} of {counted(len(dataset.images) + len(failed), 'picture')} failed"
        )
    return "\n".join(lines)


def _document(
    options: argparse.Namespace,
    dataset: Dataset,
    notices: Sequence[Notice],
    failed: Sequence[Failure],
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "model": options.output,
        "detector": options.detector,
        "seed": options.seed,
        "n_images": len(dataset.images),
        "n_objects": len(dataset.gt),
        "classes": list(dataset.classes.name),
        "failed": [asdict(failure) for failure in failed],
        "notices": [asdict(notice) for notice in notices],
    }
