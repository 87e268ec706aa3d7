"""What users give a verb, files or tables, as tables."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from boxlens.data import Dataset, Detections
from boxlens.formats import read_dataset, read_detections

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.formats.files import Progress

Place = str | PathLike[str]
GivenDataset = Dataset | Place
GivenDetections = Detections | Place


def open_dataset(
    gt: GivenDataset,
    *,
    split: str | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Dataset:
    """Ground truth as a table."""
    if isinstance(gt, Dataset):
        return gt
    return read_dataset(gt, split=split, threads=threads, progress=progress)


def open_detections(
    dt: GivenDetections | Sequence[GivenDetections],
    dataset: Dataset,
    *,
    strict: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Detections]:
    """The detections of one detector or several as tables."""
    given = [dt] if isinstance(dt, (Detections, str, PathLike)) else dt
    return [
        one
        if isinstance(one, Detections)
        else read_detections(one, dataset, strict=strict, threads=threads, progress=progress)
        for one in given
    ]
