"""Where objects may be: ranked boxes without classes, as rows of a data set's images."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.columns import (
    Bools,
    Boxes,
    Offsets,
    Rows,
    check_boxes,
    check_table,
    frozen,
    offsets_of,
    owned,
    stable_order,
    take,
)
from boxlens.errors import ParameterError

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.data.source import Notice, Source


@dataclass(frozen=True, slots=True)
class Windows:
    """One row a window, grouped by image, the best of an image first.

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
        rows: Rows = frozen(image_row, np.int32)
        boxes = frozen(np.asarray(box, dtype=np.float64).reshape(-1, 4), np.float64)
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

    def limited(self, n: int) -> Windows:
        """The `n` best of each image."""
        if n < 1:
            raise ParameterError(f"expected 1 window an image or more, got {n}")
        counts = np.diff(self.offsets)
        if not len(counts) or counts.max() <= n:
            return self
        rank = np.arange(len(self)) - np.repeat(self.offsets[:-1], counts)
        offsets = np.concatenate([[0], np.cumsum(np.minimum(counts, n))])
        return replace(self, offsets=frozen(offsets, np.int64), box=owned(self.box[rank < n]))
