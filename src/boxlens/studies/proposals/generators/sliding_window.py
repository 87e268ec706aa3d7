"""Windows of 28 sizes spread evenly over the image: the pixels do not matter (METHODS 7.3).

Nothing is substituted. `training.sliding_window_of` takes the sizes from a training set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boxlens.data.columns import Boxes, Floats
from boxlens.errors import ParameterError
from boxlens.images import Pixels
from boxlens.studies.proposals.generators.ranked import Ranked, identity_text, ranked
from boxlens.version import VERSION

Sizes = tuple[tuple[int, int], ...]

_SIDES = (512, 256, 128, 64, 32, 16)
_LEFT_OUT = frozenset(
    {(16, 256), (16, 512), (32, 512), (256, 32), (512, 32), (128, 16), (256, 16), (512, 16)}
)
# Width and height, in the order in which the windows come: the largest first.
SIZES: Sizes = tuple((w, h) for h in _SIDES for w in _SIDES if (w, h) not in _LEFT_OUT)
# The first size that may lie denser than its share, and how much denser.
FIRST_DENSER = 5
DENSER = 0.75
# A start that misses the end of its span by rounding alone is there.
_ROUNDING = 1e-10
# Strides tried in one go.
_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """The published order is kept: the whole image, then size after size, column after column.

    The number asked for decides the strides, so fewer windows are not the first of more.
    """

    name: str = "sliding-window"
    # Width and height in pixels; windows come in this order.
    sizes: Sizes = SIZES
    nested: ClassVar[bool] = False

    def __post_init__(self) -> None:
        sound = all(len(size) == 2 and min(size) >= 1 for size in self.sizes)
        if not (self.sizes and sound and len(set(self.sizes)) == len(self.sizes)):
            raise ParameterError("sizes of sliding windows are distinct pairs of 1 pixel or more")

    @property
    def identity(self) -> str:
        sizes = " ".join(f"{w}x{h}" for w, h in self.sizes)
        return identity_text(self.name, f"boxlens {VERSION}", sizes=sizes, denser=DENSER)

    def propose(self, image: Pixels, limit: int) -> Ranked:
        height, width = image.shape[:2]
        return self.propose_for(width, height, limit)

    def propose_for(
        self,
        width_px: int,
        height_px: int,
        limit: int,
        key: int | str = "",  # noqa: ARG002 - all images of one size have the same windows
    ) -> Ranked:
        return ranked(sliding_windows(width_px, height_px, limit, self.sizes), limit)


def sliding_windows(width_px: int, height_px: int, limit: int, known: Sizes = SIZES) -> Boxes:
    """At most `limit` windows of an image of this size."""
    sizes = [(w, h) for w, h in known if w < width_px and h < height_px]
    parts = []
    if len(sizes) < len(known):
        parts.append(_whole_image(width_px, height_px))
    # Where the corners of each size may lie: from pixel 1, as the method counts, to these.
    last = np.array([(width_px - w, height_px - h) for w, h in sizes], dtype=np.float64)
    strides = _strides(last, limit, len(parts)) if sizes else []
    n_left = limit - len(parts)
    for (w, h), ends, stride in zip(sizes, last, strides, strict=True):
        if n_left <= 0:
            break
        x, y = (_starts(end, stride) for end in ends.tolist())
        boxes = np.empty((len(x) * len(y), 4))
        boxes[:, 0], boxes[:, 1] = np.repeat(x - 1, len(y)), np.tile(y - 1, len(x))
        # From x to x + w in pixels counted from 1, both ends included (METHODS 0.1).
        boxes[:, 2:] = w + 1.0, h + 1.0
        parts.append(boxes)
        n_left -= len(boxes)
    return np.concatenate(parts)[:limit]


def _whole_image(width_px: int, height_px: int) -> Boxes:
    """Published as (0, 0, W, H) where pixels count from 1: a pixel more to the left and above."""
    return np.array([[-1.0, -1.0, width_px + 1.0, height_px + 1.0]])


def _starts(last: float, stride: float) -> Floats:
    """Equally far from both ends of the image."""
    first = 1 + math.fmod(last - 1, stride) / 2
    n = math.floor((last - first) / stride + _ROUNDING) + 1
    return first + stride * np.arange(n, dtype=np.float64)


def _n_windows(last: Floats, stride: Floats) -> Floats:
    """How many windows of each size there are; `stride` has a row a size, and perhaps columns."""
    ends = last[:, :, np.newaxis]
    steps = stride.reshape(len(last), 1, -1)
    first = 1 + np.fmod(ends - 1, steps) / 2
    n: Floats = np.prod(np.floor((ends - first) / steps + _ROUNDING) + 1, axis=1)
    return n.reshape(stride.shape)


def _strides(last: Floats, limit: int, n_placed: int) -> list[float]:
    """The same share of the limit for each size; then the smaller sizes use up what is left."""
    # The method asks for more windows than sizes; fewer are the first of one a size.
    share = max(limit // len(last), 1)
    strides = _fitting(last, share)
    denser = strides * DENSER
    n, n_denser = _n_windows(last, strides), _n_windows(last, denser)
    spare = limit - n_placed - n.sum()
    for number in range(FIRST_DENSER, len(last)):
        more = n_denser[number] - n[number]
        if not spare > more:
            break
        strides[number] = denser[number]
        spare -= more
    return list(strides.tolist())


def _fitting(last: Floats, share: int) -> Floats:
    """For each size the first stride that fits, a pixel longer each time; many tried at once."""
    strides = np.sqrt(last[:, 0] * last[:, 1] / share)
    found = np.full(len(last), np.nan)
    waiting = np.arange(len(last))
    while len(waiting):
        # Summed one by one, as the method does it, to the last bit.
        ones = np.ones((len(waiting), _AT_ONCE))
        tried = np.cumsum(np.column_stack([strides[waiting], ones]), axis=1)
        fits = _n_windows(last[waiting], tried) <= share
        done = fits.any(axis=1)
        found[waiting[done]] = tried[done, np.argmax(fits[done], axis=1)]
        strides[waiting] = tried[:, -1]
        waiting = waiting[~done]
    return found
