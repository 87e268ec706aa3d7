"""Gaussian blur up to four sigmas; beyond its border a picture goes on as it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.images.perturbing.libraries import opencv

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def smoothed(values: npt.NDArray[np.float32], sigma_px: float) -> npt.NDArray[np.float32]:
    """A picture or a plane."""
    cv2 = opencv()
    side = 2 * round(4 * sigma_px) + 1
    smooth: npt.NDArray[np.float32] = cv2.GaussianBlur(
        values, (side, side), sigma_px, borderType=cv2.BORDER_REPLICATE
    )
    return smooth
