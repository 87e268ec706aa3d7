"""What of a picture lies in a box, cut to whole pixels."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from boxlens.data.columns import Boxes
from boxlens.images.pixels import Pixels


class PixelSpan(NamedTuple):
    """First and last column and row, the last ones excluded."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        return self.right - self.left, self.bottom - self.top

    def of(self, pixels: Pixels) -> Pixels:
        """A view, not a copy."""
        return pixels[self.top : self.bottom, self.left : self.right]


def span_inside(box_xywh: Boxes, width_px: int, height_px: int) -> PixelSpan | None:
    """The pixels of a box that lie in the picture; None where there are none.

    Sides are rounded to whole pixels. However narrow the part inside is, one pixel is left of it.
    """
    x, y, width, height = np.asarray(box_xywh, dtype=np.float64).tolist()
    if not math.isfinite(x + y + width + height):
        return None
    horizontal = _inside(x, x + width, width_px)
    vertical = _inside(y, y + height, height_px)
    if horizontal is None or vertical is None:
        return None
    return PixelSpan(horizontal[0], vertical[0], horizontal[1], vertical[1])


def cut_inside(pixels: Pixels, box_xywh: Boxes) -> Pixels | None:
    """What of a box lies in the picture (METHODS 4.2); None for one without area, or outside."""
    span = span_inside(box_xywh, pixels.shape[1], pixels.shape[0])
    return None if span is None else span.of(pixels)


def _inside(begin: float, end: float, side_px: int) -> tuple[int, int] | None:
    low, high = max(begin, 0.0), min(end, float(side_px))
    if high <= low:
        return None
    first, last = math.floor(low + 0.5), math.floor(high + 0.5)
    if last <= first:
        first = min(math.floor((low + high) / 2), side_px - 1)
        last = first + 1
    return first, last
