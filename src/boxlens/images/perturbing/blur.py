"""Blurred by a Gaussian that reaches ten sigmas, with the picture mirrored at its border.

The published kernels have ceil(20 sigma) pixels per side. That is even for every published sigma
and shifts the picture by half a pixel; ours has one more, so that boxes stay where they are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from boxlens.images.perturbing.libraries import opencv
from boxlens.images.perturbing.perturbed import STAYS, Perturbed

if TYPE_CHECKING:
    from boxlens.images.pixels import Pixels

SMALLEST_KERNEL_PX = 3


def blurred(image: Pixels, sigma_px: float) -> Perturbed:
    size = math.ceil(20 * sigma_px)
    if size < SMALLEST_KERNEL_PX:
        return Perturbed(image, STAYS)
    odd = size + 1 - size % 2
    cv2 = opencv()
    # In 8 bits OpenCV rounds the kernel to 256 steps, which loses the flanks of a wide one.
    smooth = cv2.GaussianBlur(
        image.astype(np.float32), (odd, odd), sigma_px, borderType=cv2.BORDER_REFLECT
    )
    return Perturbed(np.rint(smooth).clip(0, 255).astype(np.uint8), STAYS)
