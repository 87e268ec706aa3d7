"""Pictures that a run goes over, wherever they come from."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from boxlens.images import ImageError, read_picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from boxlens.data.columns import Ids
    from boxlens.images import ImageFiles, Picture


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
