"""A white veil, and flakes that fall askew."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boxlens.images.corrupting.eight_bits import eight_bits
from boxlens.images.corrupting.filters import smeared
from boxlens.images.perturbing.libraries import opencv

if TYPE_CHECKING:
    from boxlens.images.pixels import Pixels


class Snow(NamedTuple):
    # Of the normal law flakes are drawn from, 1 is white.
    mean: float
    deviation: float
    flake_px: float
    # What is darker does not fall.
    darkest: float
    radius_px: int
    sigma_px: float
    # How much of the picture has no veil.
    clear: float


# The third has fewer and larger flakes than the second and may change a picture less.
SNOWS = (
    Snow(0.1, 0.3, 3, 0.5, 10, 4, 0.8),
    Snow(0.2, 0.3, 2, 0.5, 12, 4, 0.7),
    Snow(0.55, 0.3, 4, 0.9, 12, 8, 0.7),
    Snow(0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    Snow(0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
)
LEAST_FALL_DEG, STEEPEST_FALL_DEG = -135, -45


def snow(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    """Flakes fall twice, the second time turned by half a turn."""
    cv2 = opencv()
    kind = SNOWS[severity - 1]
    angle = random.uniform(LEAST_FALL_DEG, STEEPEST_FALL_DEG)
    flakes = smeared(_flakes(image, kind, random), kind.radius_px, kind.sigma_px, angle)
    falling = flakes.astype(np.float32) + flakes[::-1, ::-1]
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.float32)
    veil = cv2.merge([1.5 * grey + 127.5] * 3)
    pixels = image.astype(np.float32)
    np.maximum(veil, pixels, out=veil)
    snowy = cv2.addWeighted(pixels, kind.clear, veil, 1 - kind.clear, 0)
    snowy += cv2.merge([falling] * 3)
    return eight_bits(snowy)


def _flakes(image: Pixels, kind: Snow, random: np.random.Generator) -> Pixels:
    height, width = image.shape[:2]
    shape = (math.ceil(height / kind.flake_px), math.ceil(width / kind.flake_px))
    drawn = random.standard_normal(shape, dtype=np.float32)
    drawn *= kind.deviation
    drawn += kind.mean
    light = opencv().resize(drawn, (width, height))
    light[light < kind.darkest] = 0
    light *= 255
    return eight_bits(light)
