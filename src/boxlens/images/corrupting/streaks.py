"""Blur along a line: half a Gaussian on its pixels, as something moving leaves it.

Published kernels begin at the pixel and shift the picture by up to eleven; ours have their centre
of mass there, so that boxes stay where they are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.images.perturbing.libraries import opencv

if TYPE_CHECKING:
    import numpy.typing as npt


def smeared(
    pixels: npt.NDArray[Any], radius_px: int, sigma_px: float, angle_deg: float
) -> npt.NDArray[Any]:
    """Counter-clockwise angles from the right; beyond its border a picture goes on as it ends."""
    kernel, (row, column) = streak(radius_px, sigma_px, angle_deg)
    cv2 = opencv()
    smeared: npt.NDArray[Any] = cv2.filter2D(
        pixels, -1, kernel, anchor=(column, row), borderType=cv2.BORDER_REPLICATE
    )
    return smeared


def streak(
    radius_px: int, sigma_px: float, angle_deg: float
) -> tuple[npt.NDArray[np.float32], tuple[int, int]]:
    """Weights that sum to 1, and the row and column of the pixel they are centred on."""
    steps = np.arange(2 * radius_px + 1)
    weights = np.exp(-(steps**2) / (2 * sigma_px**2))
    weights /= weights.sum()
    angle = math.radians(angle_deg)
    rows = np.rint(-steps * math.sin(angle)).astype(int)
    columns = np.rint(steps * math.cos(angle)).astype(int)
    top, left = rows.min(), columns.min()
    kernel = np.zeros((rows.max() - top + 1, columns.max() - left + 1), dtype=np.float32)
    np.add.at(kernel, (rows - top, columns - left), weights)
    return kernel, (round(weights @ rows) - top, round(weights @ columns) - left)
