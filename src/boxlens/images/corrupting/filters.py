"""Gaussian blur, and blur along a line: half a Gaussian, as something moving leaves it.

Beyond its border a picture goes on as it ends. Published kernels along a line begin at the pixel
and shift the picture by up to eleven; ours have their centre of mass there, so that boxes stay
where they are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.images.perturbing.libraries import opencv

if TYPE_CHECKING:
    import numpy.typing as npt


def smoothed(values: npt.NDArray[np.float32], sigma_px: float) -> npt.NDArray[np.float32]:
    """A picture or a plane, by a Gaussian up to four sigmas."""
    cv2 = opencv()
    side = 2 * round(4 * sigma_px) + 1
    smooth: npt.NDArray[np.float32] = cv2.GaussianBlur(
        values, (side, side), sigma_px, borderType=cv2.BORDER_REPLICATE
    )
    return smooth


def smeared(
    pixels: npt.NDArray[Any], radius_px: int, sigma_px: float, angle_deg: float
) -> npt.NDArray[Any]:
    """Counter-clockwise angles from the right."""
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
