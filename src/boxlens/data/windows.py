"""Where objects may be: ranked boxes without classes, as rows of a data set's images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import (
    Bools,
    Boxes,
    Offsets,
    box_column,
    check_boxes,
    check_table,
    frozen,
    offsets_of,
    owned,
    row_column,
    stable_order,
    take,
)
from boxlens.data.source import Notice, Source
from boxlens.errors import ParameterError

# So many boxes are held at once where they are taken part by part: 64 MB.
IN_A_PART = 2**21


class WindowPart(NamedTuple):
    """The windows of some images that follow one another; their rows count from `first`."""

    first: int
    windows: Windows
    # What drawing them took of one core; None where nothing was drawn.
    seconds: float | None = None

    @property
    def images(self) -> slice:
        return slice(self.first, self.first + self.windows.n_images)


@dataclass(frozen=True, slots=True)
class Windows:
    """One row per window, grouped by image, the best of an image first.

    Of an image that was `searched` all windows are here, perhaps none; of another nothing is known.
    """

    name: str
    offsets: Offsets
    box: Boxes
    searched: Bools
    source: Source | None = None
    notices: tuple[Notice, ...] = ()
    # What exactly made them: a generator's identity, or a file.
    made_by: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        n_images: int,
        *,
        image_row: npt.ArrayLike,
        box: npt.ArrayLike,
        searched: npt.ArrayLike | None = None,
        source: Source | None = None,
        notices: tuple[Notice, ...] = (),
    ) -> Windows:
        """Groups windows by image; within one they are given best first.

        Without `searched` those images were that have a window.
        """
        rows = row_column(image_row, "image_row")
        boxes = box_column(box)
        check_table({"box": boxes}, rows, n_images)
        check_boxes(boxes)
        order = stable_order(rows, n_images)
        if order is not None:
            rows, boxes = take(rows, order), take(boxes, order)
        offsets = offsets_of(rows, n_images)
        found = np.diff(offsets) > 0
        known = frozen(found if searched is None else searched, np.bool_)
        if known.shape != (n_images,):
            raise ParameterError(f"expected `searched` of {n_images} images, got {known.shape}")
        if (found & ~known).any():
            row = int(np.argmax(found & ~known))
            raise ParameterError(f"image row {row} has windows, but was not searched")
        return cls(name, offsets, boxes, known, source, notices)

    def __len__(self) -> int:
        return len(self.box)

    @property
    def n_images(self) -> int:
        return len(self.offsets) - 1

    def parts(self) -> Iterator[WindowPart]:
        """Images one after another, of at most `IN_A_PART` boxes unless one has more."""
        if len(self) <= IN_A_PART:
            yield WindowPart(0, self)
            return
        first = 0
        while first < self.n_images:
            most = int(self.offsets[first]) + IN_A_PART
            last = max(int(np.searchsorted(self.offsets, most, "right")) - 1, first + 1)
            yield WindowPart(first, self._between(first, last))
            first = last

    def _between(self, first: int, last: int) -> Windows:
        begin, end = int(self.offsets[first]), int(self.offsets[last])
        return replace(
            self,
            offsets=owned(self.offsets[first : last + 1] - begin),
            box=self.box[begin:end],
            searched=self.searched[first:last],
        )

    def limited(self, n: int) -> Windows:
        """The `n` best of each image."""
        if n < 1:
            raise ParameterError(f"expected 1 or more windows per image, got {n}")
        counts = np.diff(self.offsets)
        if not len(counts) or counts.max() <= n:
            return self
        rank = np.arange(len(self)) - np.repeat(self.offsets[:-1], counts)
        offsets = np.concatenate([[0], np.cumsum(np.minimum(counts, n))])
        return replace(self, offsets=frozen(offsets, np.int64), box=owned(self.box[rank < n]))


def joined(parts: Sequence[WindowPart]) -> Windows:
    """All images again; one part at least."""
    every = [part.windows for part in parts]
    counts = np.concatenate([np.diff(one.offsets) for one in every])
    return replace(
        every[0],
        offsets=frozen(np.concatenate([[0], np.cumsum(counts)]), np.int64),
        box=owned(np.concatenate([one.box for one in every])),
        searched=owned(np.concatenate([one.searched for one in every])),
    )
