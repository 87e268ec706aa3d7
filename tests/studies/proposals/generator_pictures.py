"""A drawn picture whose objects are known, for generators."""

from __future__ import annotations

import numpy as np

# Left, top, right and bottom of what is drawn.
SHAPES = ((20, 30, 90, 110), (120, 20, 190, 70), (110, 90, 150, 140))


def drawing(height: int = 150, width: int = 200) -> np.ndarray:
    """Rectangles of plain colours on a plain ground, with a little noise."""
    image = np.full((height, width, 3), (90, 140, 90), dtype=np.int16)
    for number, (left, top, right, bottom) in enumerate(SHAPES):
        image[top:bottom, left:right] = ((200, 40, 30), (30, 60, 220), (240, 240, 60))[number]
    noise = np.random.default_rng(0).integers(-6, 7, image.shape)
    return (image + noise).clip(0, 255).astype(np.uint8)


# Of blocks on a ground that gets lighter.
ON_GRADIENT = ((20, 30, 80, 80), (110, 20, 145, 90))


def on_gradient() -> np.ndarray:
    """Two blocks, one of two colours, with a little noise."""
    image = np.empty((120, 160, 3))
    image[:] = np.linspace(80, 130, 160)[None, :, None]
    for (left, top, right, bottom), colour in zip(
        ON_GRADIENT, ((200, 40, 30), (30, 60, 220)), strict=True
    ):
        image[top:bottom, left:right] = colour
    image[30:80, 20:40] = (190, 70, 40)
    noise = np.random.default_rng(0).integers(-5, 6, image.shape)
    return (image + noise).clip(0, 255).astype(np.uint8)


def board() -> np.ndarray:
    """Small squares of all colours."""
    noise = np.random.default_rng(3).integers(0, 256, (8, 10, 3), dtype=np.uint8)
    return np.kron(noise, np.ones((12, 12, 1), dtype=np.uint8))


def best_iou(boxes: np.ndarray, shape: tuple[int, ...]) -> float:
    left, top, right, bottom = shape
    x, y, w, h = boxes.T
    wide = np.minimum(x + w, right) - np.maximum(x, left)
    high = np.minimum(y + h, bottom) - np.maximum(y, top)
    common = wide.clip(0) * high.clip(0)
    return float((common / (w * h + (right - left) * (bottom - top) - common)).max())
