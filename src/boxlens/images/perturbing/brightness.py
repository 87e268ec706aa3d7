"""Darker or lighter: V of HSV times a factor and at most full, hue and saturation as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.images.perturbing.perturbed import STAYS, Perturbed

if TYPE_CHECKING:
    from boxlens.images.pixels import Pixels


def brightened(image: Pixels, factor: float) -> Perturbed:
    """V is the largest channel: the channels keep their ratios to it, without a way by HSV."""
    if factor == 1:
        return Perturbed(image, STAYS)
    value = image.max(axis=2, keepdims=True).astype(np.float32)
    gain = np.minimum(factor, 255 / np.maximum(value, 1))
    return Perturbed(np.rint(image * gain).astype(np.uint8), STAYS)
