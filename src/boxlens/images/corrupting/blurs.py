"""Out of focus, in motion, and zoomed while the shutter is open."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from boxlens.images.corrupting.eight_bits import eight_bits
from boxlens.images.corrupting.filters import smeared
from boxlens.images.perturbing.libraries import opencv

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.images.pixels import Pixels

# Radius of the disk and sigma of the Gaussian that softens its rim, in pixels.
DEFOCUS_DISKS = ((3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5))
# Radius and sigma of the streak, in pixels. Published streaks begin at the pixel; centred to whole
# pixels as ours are, a longer one changes a few pictures less than a shorter one.
MOTION_STREAKS = ((10, 3), (15, 5), (15, 8), (15, 12), (20, 15))
STEEPEST_MOTION_DEG = 45
_LEAST_WEIGHT = 1e-6
# From one zoom to the next, and how many there are from 1 up. Where steps get longer (third, fifth)
# a few pictures change less than by the severity before.
ZOOMS = ((0.01, 12), (0.01, 16), (0.02, 11), (0.02, 13), (0.03, 11))


def defocus_blur(image: Pixels, severity: int, _random: np.random.Generator) -> Pixels:
    blurred: Pixels = opencv().filter2D(image, -1, disk(*DEFOCUS_DISKS[severity - 1]))
    return blurred


def motion_blur(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    """Along one direction for all severities, at most so steep."""
    angle = random.uniform(-STEEPEST_MOTION_DEG, STEEPEST_MOTION_DEG)
    return smeared(image, *MOTION_STREAKS[severity - 1], angle)


def zoom_blur(image: Pixels, severity: int, _random: np.random.Generator) -> Pixels:
    """The mean of the picture and its zooms about the centre, of which the first is itself."""
    cv2 = opencv()
    height, width = image.shape[:2]
    total = image.astype(np.float32)
    step, n_zooms = ZOOMS[severity - 1]
    for zoom in 1 + step * np.arange(n_zooms):
        rows, columns = math.ceil(height / zoom), math.ceil(width / zoom)
        top, left = (height - rows) // 2, (width - columns) // 2
        inner = image[top : top + rows, left : left + columns]
        cv2.accumulate(cv2.resize(inner, (width, height)), total)
    total /= n_zooms + 1
    return eight_bits(total)


def disk(radius_px: int, sigma_px: float) -> npt.NDArray[np.float32]:
    """Weights that sum to 1."""
    reach = max(radius_px, 8) + 2
    ruler = np.arange(-reach, reach + 1)
    inside = ruler[:, None] ** 2 + ruler**2 <= radius_px**2
    rim = (3, 3) if radius_px <= 8 else (5, 5)
    weights: npt.NDArray[np.float32] = opencv().GaussianBlur(
        inside.astype(np.float32), rim, sigma_px
    )
    used = np.flatnonzero(weights[reach] > _LEAST_WEIGHT)
    trimmed: npt.NDArray[np.float32] = weights[used[0] : used[-1] + 1, used[0] : used[-1] + 1]
    trimmed /= trimmed.sum()
    return trimmed
