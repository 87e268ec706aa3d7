"""VOC's corners as text that reads back as the very box it was written from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.boxes import inclusive_corners_from_xywh

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from boxlens.data.columns import Boxes, Floats

# Reading subtracts and adds 1, which may round; the corner that was read lies within these steps.
_STEPS = range(1, 5)


def corners_that_read_back(boxes: npt.ArrayLike) -> Boxes:
    """Inclusive corners from which the reader makes exactly these boxes, where such corners exist.

    They do for every box that came from VOC; for others the last bit may differ.
    """
    box = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    corners = inclusive_corners_from_xywh(box)
    with np.errstate(over="ignore", invalid="ignore"):
        for axis in (0, 1):
            low, high = _side(box[:, axis], box[:, axis + 2])
            corners[:, axis], corners[:, axis + 2] = low, high
    return corners


def number_text(value: float) -> str:
    """The shortest text of the same float; whole numbers without a point, as VOC tools expect."""
    return str(int(value)) if value.is_integer() else repr(value)


def _side(start: Floats, size: Floats) -> tuple[Floats, Floats]:
    low, high = start + 1, start + size
    # Steps below the spacing of what the reader computes, so that no corner is stepped over.
    low_step = np.spacing(np.abs(start)) / 8
    high_step = np.spacing(np.maximum(np.abs(high), size)) / 2
    best_low, best_high = low.copy(), high.copy()
    open_rows = np.arange(len(start))
    for low_try in _tries(low, low_step):
        for high_try in _tries(high, high_step):
            if len(open_rows) == 0:
                return best_low, best_high
            low_here, high_here = low_try[open_rows], high_try[open_rows]
            same_start = low_here - 1 == start[open_rows]
            exact = same_start & (high_here - low_here + 1 == size[open_rows])
            best_low[open_rows[exact]] = low_here[exact]
            best_high[open_rows[exact]] = high_here[exact]
            open_rows = open_rows[~exact]
    return best_low, best_high


def _tries(values: Floats, step: Floats) -> Iterator[Floats]:
    """Few decimals first: that is what files hold, and it reads well."""
    yield np.round(values, 10)
    yield values
    for count in _STEPS:
        yield values + count * step
        yield values - count * step
