"""Thin edges of a picture, with their strength and direction, from its colour gradients alone.

They stand in for the learnt edges that EdgeBoxes was made with (METHODS 7.5, 7.6).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from boxlens.images import Pixels

Map = npt.NDArray[np.float32]

BLUR_PX = 2.0
# Directions are those of a neighbourhood, not of a pixel.
DIRECTION_BLUR_PX = 3.0
# The gradient that counts as 1: this share of all pixels has a weaker one.
STRONG_SHARE = 0.98
# Below this, in grey levels a pixel, there is nothing but noise, however flat the picture is.
WEAKEST = 4.0


@dataclass(frozen=True, slots=True)
class Edges:
    """One value a pixel: strength from 0 to 1, 0 off the ridge, and the normal in [0, pi)."""

    strength: Map
    normal: Map


def find_edges(image: Pixels) -> Edges:
    """Gradients of all colours together, thinned across the edge."""
    import cv2

    smooth = cv2.GaussianBlur(image.astype(np.float32), (0, 0), BLUR_PX)
    x, y = (cv2.Sobel(smooth, cv2.CV_32F, *axis, scale=1 / 8) for axis in ((1, 0), (0, 1)))
    # The tensor of the gradients: channels add up, even where they point in opposite directions.
    xx, yy, xy = ((a * b).sum(axis=2) for a, b in ((x, x), (y, y), (x, y)))
    strength = np.sqrt((xx + yy + np.hypot(xx - yy, 2 * xy)) / 2)
    xx, yy, xy = (cv2.GaussianBlur(one, (0, 0), DIRECTION_BLUR_PX) for one in (xx, yy, xy))
    normal = np.mod(np.arctan2(2 * xy, xx - yy) / 2, np.pi).astype(np.float32)
    thin = np.where(_on_ridge(strength, normal), strength, np.float32(0))
    scale = max(float(np.quantile(strength, STRONG_SHARE)), WEAKEST)
    return Edges(np.minimum(thin / np.float32(scale), np.float32(1)), normal)


def _on_ridge(strength: Map, normal: Map) -> npt.NDArray[np.bool_]:
    """Not weaker than one pixel further on either side of the edge."""
    import cv2

    height, width = strength.shape
    row, column = np.mgrid[:height, :width].astype(np.float32)
    x, y = np.cos(normal), np.sin(normal)
    ahead, behind = (
        cv2.remap(
            strength,
            column + sign * x,
            row + sign * y,
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        for sign in (np.float32(1), np.float32(-1))
    )
    return (strength >= ahead) & (strength >= behind)
