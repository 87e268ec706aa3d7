"""Pictures of rectangles, each of one colour, with their boxes: what is where is known exactly."""

from __future__ import annotations

import numpy as np

from boxlens.data.columns import frozen
from boxlens.images.transforming.shot import Exposure, MaskOf, Shot, no_mask

WIDTH, HEIGHT = 160, 120
# Each with a channel of its own, far from the other two.
COLOURS = ((220, 40, 50), (30, 210, 40), (50, 30, 230))
BOXES = ((22, 30, 36, 44), (64, 40, 40, 32), (112, 26, 30, 62))
GROUND = (96, 96, 96)


def shot_of(boxes, width=WIDTH, height=HEIGHT, crowd=(), key="7") -> Shot:
    """Rows in `crowd` are crowds."""
    flags = np.isin(np.arange(len(boxes)), crowd)
    box = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    return Shot(key, width, height, frozen(box, np.float64), frozen(flags, np.bool_))


def painted(
    boxes=BOXES, colours=COLOURS, ground=GROUND, mask_of: MaskOf = no_mask, **shot
) -> Exposure:
    """Whole-numbered boxes, painted in their order."""
    plain = shot_of(boxes, **shot)
    pixels = np.full((plain.height_px, plain.width_px, 3), ground, dtype=np.uint8)
    for (x, y, w, h), colour in zip(boxes, colours, strict=False):
        pixels[max(y, 0) : y + h, max(x, 0) : x + w] = colour
    return Exposure(plain, frozen(pixels, np.uint8), mask_of)


def speckled(boxes=BOXES, seed=0, mask_of: MaskOf = no_mask, **shot) -> Exposure:
    """Every pixel differs from its neighbours, so that nothing can be taken for another thing."""
    plain = shot_of(boxes, **shot)
    size = (plain.height_px, plain.width_px, 3)
    pixels = np.random.default_rng(seed).integers(0, 255, size, dtype=np.uint8)
    return Exposure(plain, frozen(pixels, np.uint8), mask_of)
