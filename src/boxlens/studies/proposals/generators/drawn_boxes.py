"""Boxes drawn at random for a picture of some size: what Uniform and Gaussian have in common."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.boxes import xywh_from_inclusive_corners

if TYPE_CHECKING:
    from boxlens.data.columns import Boxes, Floats
    from boxlens.images import Pixels

# A draw: one row a box, with log2 of width / height, root of relative area, and relative centre.
Draw = Callable[[np.random.Generator, int], "Floats"]

# Drawn at once, however many are asked for: so fewer boxes are the first of more.
_AT_ONCE = 1280
# So often the number asked for is drawn, where a small picture has no more boxes to give.
_PATIENCE = 10


def key_of(image: Pixels) -> int:
    """What tells a picture from others."""
    return zlib.crc32(np.ascontiguousarray(image).tobytes())


def stream_of(seed: int, key: int | str) -> np.random.Generator:
    """The random numbers of one image."""
    return np.random.default_rng([seed, zlib.crc32(str(key).encode())])


def collect(draw: Callable[[int], Boxes], limit: int) -> Boxes:
    """The first `limit` distinct boxes that are drawn, and have an area."""
    found = np.zeros((0, 4))
    for _ in range(0, _PATIENCE * limit, _AT_ONCE):
        more = draw(_AT_ONCE)
        found = _distinct(np.concatenate([found, more[(more[:, 2:] > 0).all(axis=1)]]))
        if len(found) >= limit:
            break
    return found[:limit]


def corners_of(shapes: Floats, width_px: int, height_px: int, *, least_side_px: float) -> Floats:
    """Inclusive corners counted from 1, rounded, not yet clipped (METHODS 7.1, 7.2)."""
    log_aspect, root_area, x, y = shapes.T
    area = root_area**2 * width_px * height_px
    height = np.sqrt(area / 2**log_aspect)
    width = np.divide(area, height, out=np.zeros_like(area), where=height > 0)
    width, height = np.maximum(width, least_side_px), np.maximum(height, least_side_px)
    left, top = _rounded(x * width_px - width / 2), _rounded(y * height_px - height / 2)
    return np.column_stack([left, top, _rounded(left + width - 1), _rounded(top + height - 1)])


def clipped(corners: Floats, width_px: int, height_px: int) -> Boxes:
    """Boxes cut at all sides of the picture; one that lies beside it has no area."""
    low = np.maximum(corners[:, :2], 1)
    high = np.minimum(corners[:, 2:], (width_px, height_px))
    return xywh_from_inclusive_corners(np.hstack([low, np.maximum(high, low - 1)]))


def _rounded(values: Floats) -> Floats:
    return np.floor(values + 0.5)


def _distinct(boxes: Boxes) -> Boxes:
    """Each box once, where it stood first. One number a box sorts faster than four."""
    x, y, w, h = boxes.astype(np.int64).T
    base = int(boxes.max(initial=0)) + 1
    _, first = np.unique(((x * base + y) * base + w) * base + h, return_index=True)
    return boxes[np.sort(first)]
