"""Single pixels turned white where they are dark, and black where they are light."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.images.perturbing.perturbed import STAYS, Perturbed

if TYPE_CHECKING:
    from boxlens.images.pixels import Pixels

# Luma of ITU-R BT.601, rounded to 8 bits as grey pictures are.
_GREY = np.array([0.2989, 0.5870, 0.1140])
LIGHT = 128


def peppered(image: Pixels, n_pixels: float, seed: int) -> Perturbed:
    """Distinct pixels, all of a smaller picture; which ones depends on the sum of the picture."""
    height, width = image.shape[:2]
    n = min(int(n_pixels), width * height)
    if n == 0:
        return Perturbed(image, STAYS)
    random = np.random.default_rng([seed, int(image.sum(dtype=np.int64))])
    chosen = random.choice(width * height, size=n, replace=False)
    pixels = image.reshape(-1, 3).copy()
    dark = np.rint(pixels[chosen] @ _GREY) < LIGHT
    pixels[chosen] = np.where(dark, 255, 0)[:, None]
    return Perturbed(pixels.reshape(image.shape), STAYS)
