"""Ground truth and detections as commands take them: options, and the files behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.cli.options import Number, several
from boxlens.errors import ParameterError
from boxlens.limits import THREADS
from boxlens.wording import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from boxlens.data import Dataset, Detections
    from boxlens.data.known_classes import ClassesChoice
    from boxlens.formats.files import Progress


def add_files(command: argparse.ArgumentParser, *, one: bool = False) -> None:
    """Ground truth first, then the detections of one detector or of several."""
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth: a file or folder")
    if one:
        add("dt", metavar="DT", nargs=1, help="detections: a file or folder")
    else:
        add("dt", metavar="DT", nargs="+", help="detections: one file or folder per detector")
    add("--split", metavar="NAME", help="part of the data set, e.g. test (VOC, YOLO)")


def add_reading(command: argparse.ArgumentParser, *, one: bool = False) -> None:
    """How files are read, and with how many threads; `one`: of a single detector."""
    add = command.add_argument
    whose = "the detector's name" if one else "* names of the detectors, in the order of DT"
    add("--name", metavar="NAME", **several(str, "mine"), help=whose)
    add("--gt-format", metavar="F", help="read GT as this format instead of recognising it")
    add("--dt-format", metavar="F", help="read DT as this format instead of recognising it")
    add("--strict", action="store_true", help="fail on unknown images or classes")
    add(
        "--threads", metavar="N", type=Number(THREADS), default=0, help="worker threads (all cores)"
    )


def add_classes_used(command: argparse.ArgumentParser, *, compared: bool = False) -> None:
    """Which classes are counted; `compared`: when comparing detectors."""
    command.add_argument(
        "--classes-used",
        choices=("check", "all", "known"),
        default="check" if compared else "all",
        help="all: classes a detector lacks count as AP 0; check: skip classes without a VOC "
        "result file; known: also skip classes without any detection "
        f"({'check' if compared else 'all'})",
    )


def read_tables(
    options: argparse.Namespace,
    progress: Progress,
    *,
    objects: bool = True,
    classes_used: ClassesChoice = "all",
) -> tuple[Dataset, list[Detections]]:
    """The data set, with its objects or without, and one table per detector."""
    from boxlens.data.selection import shared_classes
    from boxlens.formats import read_dataset, read_images

    names = options.name or [None] * len(options.dt)
    if len(names) != len(options.dt):
        raise ParameterError(
            f"--name needs one name per detector: {counted(len(options.dt), 'detector')}, "
            f"{counted(len(names), 'name')}"
        )
    n_files = 1 + len(options.dt)
    progress("reading files", 0, n_files)
    dataset = (read_dataset if objects else read_images)(
        options.gt,
        format=options.gt_format,
        split=options.split,
        threads=options.threads,
        progress=progress,
    )
    tables = read_detection_files(options, options.dt, names, dataset, 1, progress)
    return shared_classes(dataset, tables, classes_used)


def read_detection_files(
    options: argparse.Namespace,
    paths: Sequence[str],
    names: Sequence[str | None],
    dataset: Dataset,
    n_before: int,
    progress: Progress,
) -> list[Detections]:
    """One table per detector, after `n_before` other files were read."""
    from boxlens.formats import read_detections

    detections: list[Detections] = []
    for path, name in zip(paths, names, strict=True):
        progress("reading files", n_before + len(detections), n_before + len(paths))
        detections.append(
            read_detections(
                path,
                dataset,
                format=options.dt_format,
                name=name,
                strict=options.strict,
                threads=options.threads,
                progress=progress,
            )
        )
    return detections
