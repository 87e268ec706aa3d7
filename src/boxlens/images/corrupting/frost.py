"""Ice on the lens, drawn and not taken from photographs as the published frost is.

Mixed with the published weights; but drawn ice is only about as light as photographed ice, so
severities match those of other code roughly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from boxlens.images.corrupting.eight_bits import eight_bits
from boxlens.images.corrupting.filters import smeared
from boxlens.images.corrupting.plasma import plasma
from boxlens.images.perturbing.libraries import opencv

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.images.pixels import Pixels

    Plane = npt.NDArray[np.float32]

# How much is left of the picture, and how much ice is added. From the third to the fourth only the
# picture fades: pixels may come nearer to what they were, yet the picture is harder to see.
FROSTS = ((1.0, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75))
# Like a photograph of a pane, ice is enlarged to cover larger pictures.
LARGEST_PANE_PX = 480
CRYSTAL_PX = 36
# Ice has six-fold symmetry.
N_DIRECTIONS = 3
_NEEDLE_RADIUS_PX, _NEEDLE_SIGMA_PX = 9, 8.0
# The cloud is smooth enough to be drawn this much smaller.
_CLOUD_SHRUNK = 4
_CLOUD_DECAY = 1.4
# Ice is a little blue.
_TINT = (0.86, 0.94, 1.0)


def frost(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    """The same ice at all severities."""
    cv2 = opencv()
    left, added = FROSTS[severity - 1]
    height, width = image.shape[:2]
    shrunk = min(1.0, LARGEST_PANE_PX / max(height, width))
    ice = _ice(max(round(height * shrunk), 1), max(round(width * shrunk), 1), random)
    ice = cv2.resize(ice, (width, height))
    ice *= 255 * added
    frosted = cv2.merge([ice * channel for channel in _TINT])
    frosted += np.float32(left) * image
    return eight_bits(frosted)


def _ice(height: int, width: int, random: np.random.Generator) -> Plane:
    """How light it is, 1 is white: thick ice is opaque, thin ice shows its needles."""
    small = plasma(
        math.ceil(height / _CLOUD_SHRUNK), math.ceil(width / _CLOUD_SHRUNK), _CLOUD_DECAY, random
    )
    thickness = opencv().resize(small, (width, height))
    needles = _needles(height, width, random)
    light: Plane = np.minimum(1.5 * thickness, 1) * (0.15 + 0.5 * thickness + 0.65 * needles)
    return light


def _needles(height: int, width: int, random: np.random.Generator) -> Plane:
    """From 0 to 1.2; every crystal has a direction and a lightness, and is lighter at its rim."""
    crystals, n_crystals, grown = _crystals(height, width, random)
    directions = random.integers(0, N_DIRECTIONS, n_crystals + 1, dtype=np.uint8)[crystals]
    lightness = random.uniform(0.2, 0.6, n_crystals + 1).astype(np.float32)[crystals]
    turn = random.uniform(0, 180)
    grains = random.integers(0, 256, (height, width), dtype=np.uint8)
    needles = np.zeros_like(grains)
    for direction in range(N_DIRECTIONS):
        angle = turn + 180 * direction / N_DIRECTIONS
        along = smeared(grains, _NEEDLE_RADIUS_PX, _NEEDLE_SIGMA_PX, angle)
        np.copyto(needles, along, where=directions == direction)
    light: Plane = np.clip((needles.astype(np.float32) - 128) / 40 + 0.5, 0, 1)
    light *= lightness + np.minimum(grown / CRYSTAL_PX, 1) * 0.6
    return light


def _crystals(
    height: int, width: int, random: np.random.Generator
) -> tuple[npt.NDArray[np.int32], int, Plane]:
    """Grown from seeds until they meet: the nearest seed, from 1, their number, how far it is."""
    cv2 = opencv()
    n_seeds = max(height * width // CRYSTAL_PX**2, 1)
    ground = np.ones((height, width), dtype=np.uint8)
    ground[random.integers(0, height, n_seeds), random.integers(0, width, n_seeds)] = 0
    grown, labels = cv2.distanceTransformWithLabels(
        ground, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    return labels, int(labels.max()), grown
