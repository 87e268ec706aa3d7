"""Pictures that a run goes over, or a detector learns from; read when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Protocol, overload

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Ids
from boxlens.detectors.run_result import Failure
from boxlens.errors import InputError
from boxlens.images import ImageError, ImageFiles, Picture, Pixels, read_picture
from boxlens.images.file_content import content_hash
from boxlens.progress import Progress


class Pictures(Protocol):
    """One row per picture."""

    @property
    def ids(self) -> Ids: ...

    @property
    def names(self) -> Sequence[str]: ...

    def __len__(self) -> int: ...

    def size_bytes(self, row: int) -> int:
        """Of the file behind it: another name or size is another picture. -1: there is none."""

    def read(self, row: int) -> Picture:
        """Raises `ImageError` where there is no whole picture."""


@dataclass(frozen=True, slots=True)
class PictureFiles:
    """Files as they are."""

    files: ImageFiles

    @property
    def ids(self) -> Ids:
        return self.files.ids

    @property
    def names(self) -> Sequence[str]:
        return self.files.names

    def __len__(self) -> int:
        return len(self.files)

    def size_bytes(self, row: int) -> int:
        try:
            return self.files.paths[row].stat().st_size
        except OSError:
            return -1  # reading it will say what is wrong

    def read(self, row: int) -> Picture:
        return read_picture(self.files.paths[row])


@contextmanager
def reading(
    pictures: Pictures, readers: int
) -> Iterator[Callable[[Sequence[int]], Iterable[Picture | ImageError]]]:
    """A function of rows: their pictures, or why there is none, in order."""
    one = partial(_picture_or_error, pictures)
    if readers <= 1:
        yield partial(map, one)
        return
    with ThreadPoolExecutor(readers) as pool:
        yield partial(pool.map, one)


def _picture_or_error(pictures: Pictures, row: int) -> Picture | ImageError:
    try:
        return pictures.read(row)
    except ImageError as problem:
        return problem


class PicturesOnDisk(Sequence["Pixels"]):
    """Pixels by row; nothing is kept, so that any number of pictures can be used for training."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = tuple(paths)
        # Reading sets switches of Pillow that all threads share.
        self._one_at_a_time = Lock()

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, row: int) -> Pixels: ...
    @overload
    def __getitem__(self, row: slice) -> PicturesOnDisk: ...
    def __getitem__(self, row: int | slice) -> Pixels | PicturesOnDisk:
        if isinstance(row, slice):
            return PicturesOnDisk(self._paths[row])
        with self._one_at_a_time:
            return read_picture(self._paths[row]).pixels

    def content_hashes(self, rows: Iterable[int]) -> list[str]:
        """A hash of the files of some rows, which changes with their content."""
        return [content_hash(self._paths[row]) for row in rows]


def usable_pictures(
    files: ImageFiles, dataset: Dataset, progress: Progress | None = None
) -> tuple[PicturesOnDisk, Dataset, tuple[Failure, ...]]:
    """The pictures that can be read, the part of the data set they show, and the others."""
    row_of_id = dataset.images.row_of_id()
    paths: list[Path] = []
    rows: list[int] = []
    failed: list[Failure] = []
    for number, (key, path, name) in enumerate(
        zip(files.ids.tolist(), files.paths, files.names, strict=True), start=1
    ):
        row = row_of_id[key]
        try:
            _check_size(read_picture(path).pixels, dataset, row, path)
            paths.append(path)
            rows.append(row)
        except ImageError as problem:
            failed.append(Failure(name, problem.problem))
        if progress is not None:
            progress("looking at pictures", number, len(files))
    if not paths:
        first = f"{failed[0].file}: {failed[0].reason}" if failed else "no picture was given"
        raise InputError(f"none of the {len(failed):,} pictures could be used; {first}")
    order = np.argsort(rows, kind="stable").tolist()
    part = dataset.select_images(np.array(rows))
    return PicturesOnDisk([paths[row] for row in order]), part, tuple(failed)


def _check_size(pixels: Pixels, dataset: Dataset, row: int, path: Path) -> None:
    """Boxes of a picture of another size would be misplaced."""
    stated = dataset.images.width_px[row], dataset.images.height_px[row]
    height, width = pixels.shape[:2]
    if not np.isnan(stated).any() and stated != (width, height):
        raise ImageError(
            f"is {width} x {height} pixels, the ground truth says {stated[0]:g} x {stated[1]:g}",
            path=path,
        )
