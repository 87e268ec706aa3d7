"""Perturbations under which boxes stay: brightness, blur, JPEG, salt and pepper."""

from __future__ import annotations

import math
from io import BytesIO

import numpy as np

from boxlens.images.perturbing.families import LOSSLESS
from boxlens.images.perturbing.libraries import opencv, pillow
from boxlens.images.pixels import Pixels, eight_bits

SMALLEST_KERNEL_PX = 3
# Luma of ITU-R BT.601, rounded to 8 bits as grey pictures are.
_GREY = np.array([0.2989, 0.5870, 0.1140])
LIGHT = 128


def brightened(image: Pixels, factor: float) -> Pixels:
    """V of HSV times a factor and at most full, hue and saturation as they were.

    V is the largest channel: the channels keep their ratios to it, without a way by HSV.
    """
    if factor == 1:
        return image
    value = image.max(axis=2, keepdims=True).astype(np.float32)
    gain = np.minimum(factor, 255 / np.maximum(value, 1))
    brighter: Pixels = np.rint(image * gain).astype(np.uint8)
    return brighter


def blurred(image: Pixels, sigma_px: float) -> Pixels:
    """By a Gaussian that reaches ten sigmas, with the picture mirrored at its border.

    The published kernels have ceil(20 sigma) pixels per side. That is even for every published
    sigma and shifts the picture by half a pixel; ours has one more, so that boxes stay where they
    are.
    """
    size = math.ceil(20 * sigma_px)
    if size < SMALLEST_KERNEL_PX:
        return image
    odd = size + 1 - size % 2
    cv2 = opencv()
    # In 8 bits OpenCV rounds the kernel to 256 steps, which loses the flanks of a wide one.
    smooth = cv2.GaussianBlur(
        image.astype(np.float32), (odd, odd), sigma_px, borderType=cv2.BORDER_REFLECT
    )
    return eight_bits(smooth)


def compressed(image: Pixels, quality: float) -> Pixels:
    """As JPEG with colour at half the resolution (4:2:0), and read again."""
    if quality == LOSSLESS:
        return image
    library = pillow()
    file = BytesIO()
    library.fromarray(image).save(file, "JPEG", quality=int(quality), subsampling="4:2:0")
    with library.open(file, formats=("JPEG",)) as again:
        return np.array(again)


def peppered(image: Pixels, n_pixels: float, seed: int) -> Pixels:
    """Single pixels turned white where they are dark, and black where they are light.

    Distinct pixels, all of a smaller picture; which ones depends on the sum of the picture.
    """
    height, width = image.shape[:2]
    n = min(int(n_pixels), width * height)
    if n == 0:
        return image
    random = np.random.default_rng([seed, int(image.sum(dtype=np.int64))])
    chosen = random.choice(width * height, size=n, replace=False)
    pixels = image.reshape(-1, 3).copy()
    dark = np.rint(pixels[chosen] @ _GREY) < LIGHT
    pixels[chosen] = np.where(dark, 255, 0)[:, None]
    return pixels.reshape(image.shape)
