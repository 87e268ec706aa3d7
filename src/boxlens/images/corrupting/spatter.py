"""Drops of water on the lens, and at the two highest severities of mud.

Mud is dark: on a dark picture it changes less than the water of a lower severity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boxlens.images.corrupting.eight_bits import eight_bits
from boxlens.images.corrupting.filters import smoothed
from boxlens.images.perturbing.libraries import opencv

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.images.pixels import Pixels

    Plane = npt.NDArray[np.float32]


class Spatter(NamedTuple):
    # Of the normal law the liquid is drawn from, how far it flows together, how much must meet.
    mean: float
    deviation: float
    sigma_px: float
    least: float
    # Water: how light it is at most. Mud: sigma of its rim.
    strength: float
    muddy: bool


SPATTERS = (
    Spatter(0.65, 0.3, 4, 0.69, 0.6, muddy=False),
    Spatter(0.65, 0.3, 3, 0.68, 0.6, muddy=False),
    Spatter(0.65, 0.3, 2, 0.68, 0.5, muddy=False),
    Spatter(0.65, 0.3, 1, 0.65, 1.5, muddy=True),
    Spatter(0.67, 0.4, 1, 0.65, 1.5, muddy=True),
)
WATER = (175, 238, 238)
MUD = (63, 42, 20)
# Mud this thin is none.
_THIN = 0.8
# Drops are shaded as far from their rim.
_RIM_PX = 20
# Light comes from the upper left.
_RELIEF = ((-2, -1, 0), (-1, 1, 1), (0, 1, 2))


def spatter(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    kind = SPATTERS[severity - 1]
    liquid = random.standard_normal(image.shape[:2], dtype=np.float32)
    liquid *= kind.deviation
    liquid += kind.mean
    liquid = smoothed(liquid, kind.sigma_px)
    pixels = image.astype(np.float32)
    if kind.muddy:
        mud = smoothed((liquid > kind.least).astype(np.float32), kind.strength)
        mud[mud < _THIN] = 0
        pixels *= opencv().merge([1 - mud] * 3)
        return eight_bits(_laid_on(pixels, mud, MUD))
    liquid[liquid < kind.least] = 0
    return eight_bits(_laid_on(pixels, kind.strength * _shine(liquid), WATER))


def _shine(liquid: Plane) -> Plane:
    """How light a drop is: by its depth, and by where its rim lies; 1 at most."""
    cv2 = opencv()
    depth = (255 * np.clip(liquid, 0, 1)).astype(np.uint8)
    rims = cv2.Canny(depth, 50, 150)
    from_rim = cv2.distanceTransform(255 - rims, cv2.DIST_L2, 5)
    shallow = cv2.blur(np.minimum(from_rim, _RIM_PX), (3, 3)).astype(np.uint8)
    relief = cv2.filter2D(cv2.equalizeHist(shallow), cv2.CV_8U, np.array(_RELIEF))
    shine: Plane = cv2.blur(relief, (3, 3)).astype(np.float32) * depth
    most = shine.max()
    return shine / most if most > 0 else shine


def _laid_on(pixels: Plane, thickness: Plane, colour: tuple[int, int, int]) -> Plane:
    pixels += opencv().merge([thickness * channel for channel in colour])
    return pixels
