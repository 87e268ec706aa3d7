"""Larger or smaller: bicubic, and smoothed before it is made smaller, as Pillow does both."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from boxlens.images.perturbing.libraries import pillow
from boxlens.images.perturbing.perturbed import STAYS, Perturbed

if TYPE_CHECKING:
    from boxlens.images.pixels import Pixels

# What a product of floats may exceed a whole number by: 1.1 x 100 pixels are 110.
_ROUNDING = 1e-9


def scaled(image: Pixels, factor: float) -> Perturbed:
    """At least one pixel is left. Coordinates go by the sizes that result, not by the factor."""
    height, width = image.shape[:2]
    new_width, new_height = scaled_side(width, factor), scaled_side(height, factor)
    if (new_width, new_height) == (width, height):
        return Perturbed(image, STAYS)
    library = pillow()
    resized = library.fromarray(image).resize((new_width, new_height), library.Resampling.BICUBIC)
    matrix = np.array([[new_width / width, 0.0, 0.0], [0.0, new_height / height, 0.0]])
    return Perturbed(np.array(resized), matrix)


def scaled_side(side_px: int, factor: float) -> int:
    return max(math.ceil(side_px * factor - _ROUNDING), 1)
