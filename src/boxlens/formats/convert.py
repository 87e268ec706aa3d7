"""From one format to another, with a notice for everything the target cannot hold."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from boxlens import formats
from boxlens.data import Dataset, Notice
from boxlens.errors import InputError, ParameterError
from boxlens.formats.files import existing
from boxlens.formats.folders import refuse_occupied
from boxlens.formats.sniff import sniff_dataset, sniff_detections
from boxlens.progress import Progress
from boxlens.regular_files import real_path


def convert(
    source: str | PathLike[str],
    target: str | PathLike[str],
    to: str,
    *,
    ground_truth: str | PathLike[str] | Dataset | None = None,
    split: str | None = None,
    format: str | None = None,  # noqa: A002 - the word users know
    strict_coco: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> tuple[Notice, ...]:
    """Converts a data set, or detections where their `ground_truth` is given.

    `source` is read and written to `target`, a file or a new folder, in the format `to`; the
    notices returned name what was lost. Without `format` that of the source is recognised by
    content. `split` chooses within the data set, or within the ground truth of detections.
    `strict_coco` writes a data set with COCO's own fields alone. An existing file is overwritten
    only with `force`, a folder that is not empty never. `progress` is called with what is being
    done, how much is done, and of how much.

    >>> lost = convert(gt, "as_yolo", "yolo")
    >>> lost[0].message
    'as_yolo: YOLO cannot hold crowd flags (30 lost)'
    """
    read_from, write_to = existing(source), Path(target)
    formats.known_format(to)
    if strict_coco and (to != "coco" or ground_truth is not None):
        raise ParameterError("--strict-coco applies only to ground truth written as COCO")
    _refuse_own_input(read_from, write_to)
    if not isinstance(ground_truth, Dataset | None):
        _refuse_own_input(existing(ground_truth), write_to)
    _refuse_occupied(write_to, force=force)
    if ground_truth is None:
        if format is None:
            _refuse_detections(read_from)
        dataset = formats.read_dataset(read_from, format=format, split=split, progress=progress)
        lost = formats.write_dataset(dataset, write_to, to, strict_coco=strict_coco)
        return (*dataset.notices, *lost)
    dataset = _ground_truth(ground_truth, split, progress)
    detections = formats.read_detections(read_from, dataset, format=format, progress=progress)
    return (*detections.notices, *formats.write_detections(detections, dataset, write_to, to))


def _ground_truth(
    given: str | PathLike[str] | Dataset,
    split: str | None,
    progress: Progress | None,
) -> Dataset:
    if isinstance(given, Dataset):
        if split is not None:
            raise ParameterError(f"the ground truth is already read: remove split={split!r}")
        return given
    return formats.read_dataset(given, split=split, progress=progress)


def _refuse_detections(source: Path) -> None:
    """Detections need the ids of their ground truth; say so instead of "not a data set"."""
    try:
        sniff_dataset(source)
    except InputError:
        try:
            found = sniff_detections(source)
        except InputError:
            return
        raise InputError(
            f"contains detections ({found}), which are converted with their ground truth",
            path=source,
            remedy="Add --gt with the ground truth they belong to",
        ) from None


def _refuse_own_input(source: Path, target: Path) -> None:
    read_from, write_to = real_path(source), real_path(target)
    if read_from == write_to or (read_from.is_dir() and read_from in write_to.parents):
        raise InputError(
            "the target is the input or inside it",
            path=target,
            remedy="Name another target",
        )


def _refuse_occupied(target: Path, *, force: bool) -> None:
    if target.is_file() and not force:
        raise InputError(
            "the file exists",
            path=target,
            remedy="Name another file, or overwrite it with --force (force=True)",
        )
    if target.is_dir():
        refuse_occupied(target, target)
