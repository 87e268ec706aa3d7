"""Ranked guesses at what is in an image, from detections or from a file (METHODS 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data import Detections, Source
from boxlens.data.columns import Bools, Boxes, Offsets, Rows, offsets_of, owned, take
from boxlens.formats.guess_files import GuessColumns


@dataclass(frozen=True, slots=True)
class Guesses:
    """One row a guess, grouped by image, best first."""

    name: str
    image_row: Rows
    class_row: Rows
    # NaN where a guess names a class alone.
    box: Boxes
    # Place within the image, from 0.
    rank: Rows
    offsets: Offsets

    def __len__(self) -> int:
        return len(self.image_row)

    @property
    def boxed(self) -> Bools:
        """Guesses with a box."""
        with_box: Bools = ~np.isnan(self.box[:, 0])
        return with_box

    @property
    def tells_places(self) -> bool:
        """Whether the system localizes at all; one that never guessed anything might have."""
        return len(self) == 0 or bool(self.boxed.any())

    def first(self, top_k: int, *, one_per_class: bool = False) -> Guesses:
        """The k best of every image; `one_per_class` keeps only the best of a class before."""
        if one_per_class:
            n_classes = int(self.class_row.max(initial=0)) + 1
            key = self.image_row.astype(np.int64) * n_classes + self.class_row
            _, best = np.unique(key, return_index=True)
            return self._only(np.sort(best)).first(top_k)
        if int(self.rank.max(initial=-1)) < top_k:
            return self
        return self._only(np.flatnonzero(self.rank < top_k))

    def _only(self, rows: npt.NDArray[np.integer]) -> Guesses:
        return _ranked(
            self.name,
            len(self.offsets) - 1,
            take(self.image_row, rows),
            take(self.class_row, rows),
            take(self.box, rows),
        )


@dataclass(frozen=True, slots=True)
class System:
    """What is judged: its guesses, and its detections where it has some (AP needs them)."""

    name: str
    guesses: Guesses
    detections: Detections | None = None
    source: Source | None = None


def guesses_of(detections: Detections, top_k: int, *, one_per_class: bool = False) -> Guesses:
    """The k best-scored detections of every image; ties stand in file order."""
    order = np.lexsort((-detections.score, detections.image_row))
    ranked = _ranked(
        detections.name,
        detections.n_images,
        take(detections.image_row, order),
        take(detections.class_row, order),
        take(detections.box, order),
    )
    return ranked.first(top_k, one_per_class=one_per_class)


def guesses_from_file(columns: GuessColumns) -> Guesses:
    """All guesses of a file, which come grouped by image and best first."""
    return _ranked(
        columns.name, columns.n_images, columns.image_row, columns.class_row, columns.box
    )


def _ranked(name: str, n_images: int, image_row: Rows, class_row: Rows, box: Boxes) -> Guesses:
    offsets = offsets_of(image_row, n_images)
    rank = np.arange(len(image_row)) - offsets[image_row]
    return Guesses(name, image_row, class_row, box, owned(rank.astype(np.int32)), offsets)
