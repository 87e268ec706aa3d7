"""Windows of 28 sizes spread evenly over the image: the pixels do not matter (METHODS 7.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boxlens.proposals.generators.ranked import identity_text, ranked
from boxlens.version import VERSION

if TYPE_CHECKING:
    from boxlens.data.columns import Boxes, Floats
    from boxlens.images import Pixels
    from boxlens.proposals.generators.ranked import Ranked

_SIDES = (512, 256, 128, 64, 32, 16)
_LEFT_OUT = frozenset(
    {(16, 256), (16, 512), (32, 512), (256, 32), (512, 32), (128, 16), (256, 16), (512, 16)}
)
# Width and height, in the order in which the windows come: the largest first.
SIZES = tuple((w, h) for h in _SIDES for w in _SIDES if (w, h) not in _LEFT_OUT)
# The first size that may lie denser than its share, and how much denser.
FIRST_DENSER = 5
DENSER = 0.75
# A start that misses the end of its span by rounding alone is there.
_ROUNDING = 1e-10


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """The published order is kept: the whole image, then size after size, column after column.

    The number asked for decides the strides, so fewer windows are not the first of more.
    """

    name: str = "sliding-window"

    @property
    def identity(self) -> str:
        return identity_text(self.name, f"boxlens {VERSION}", sizes=len(SIZES), denser=DENSER)

    def propose(self, image: Pixels, limit: int) -> Ranked:
        height, width = image.shape[:2]
        return ranked(sliding_windows(width, height, limit), limit)


def sliding_windows(width_px: int, height_px: int, limit: int) -> Boxes:
    """At most `limit` windows of an image of this size."""
    sizes = [(w, h) for w, h in SIZES if w < width_px and h < height_px]
    parts = []
    if len(sizes) < len(SIZES):
        parts.append(np.array([[0.0, 0.0, width_px, height_px]]))
    grids = [_Grid(width_px - w, height_px - h) for w, h in sizes]
    strides = _strides(grids, limit, len(parts))
    for (w, h), grid, stride in zip(sizes, grids, strides, strict=True):
        x, y = (axis.ravel() for axis in np.meshgrid(*grid.starts(stride), indexing="ij"))
        # From x to x + w in pixels counted from 1, both ends included (METHODS 0.1).
        sides = np.broadcast_to([w + 1.0, h + 1.0], (len(x), 2))
        parts.append(np.column_stack([x - 1, y - 1, sides]))
    return np.concatenate(parts)[:limit]


class _Grid(NamedTuple):
    """Where the corners of one size may lie: from pixel 1, as the method counts, to these."""

    last_x: int
    last_y: int

    def starts(self, stride: float) -> tuple[Floats, Floats]:
        """Equally far from both ends of the image."""
        return _starts(self.last_x, stride), _starts(self.last_y, stride)

    def count(self, stride: float) -> int:
        x, y = self.starts(stride)
        return len(x) * len(y)


def _starts(last: int, stride: float) -> Floats:
    first = 1 + math.fmod(last - 1, stride) / 2
    n = math.floor((last - first) / stride + _ROUNDING) + 1
    return first + stride * np.arange(n, dtype=np.float64)


def _strides(grids: list[_Grid], limit: int, n_placed: int) -> list[float]:
    """The same share of the limit for each size; then the smaller sizes use up what is left."""
    if not grids:
        return []
    # The method asks for more windows than sizes; fewer are the first of one a size.
    share = max(limit // len(grids), 1)
    strides = [_stride(grid, share) for grid in grids]
    spare = limit - n_placed - sum(map(_Grid.count, grids, strides))
    for number in range(FIRST_DENSER, len(grids)):
        denser = strides[number] * DENSER
        more = grids[number].count(denser) - grids[number].count(strides[number])
        if not spare > more:
            break
        strides[number] = denser
        spare -= more
    return strides


def _stride(grid: _Grid, share: int) -> float:
    stride = math.sqrt(grid.last_x * grid.last_y / share)
    while grid.count(stride) > share:
        stride += 1
    return stride
