"""Fog, frost, snow and spatter between the lens and everything else.

Frost is drawn and not taken from photographs as the published one is. It is mixed with the
published weights; but drawn ice is only about as light as photographed ice, so severities match
those of other code roughly.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.images.corrupting.blurs import smeared, smoothed
from boxlens.images.perturbing.libraries import opencv
from boxlens.images.pixels import Pixels, eight_bits

Plane = npt.NDArray[np.float32]

# Thickness, 1 is white, and decay of the cloud: less decay makes a rougher one. The third and the
# fourth are equally thick, and another roughness is another cloud: from the second on a severity
# may change a picture less than the one before.
FOGS = ((1.5, 2.0), (2.0, 2.0), (2.5, 1.7), (2.5, 1.5), (3.0, 1.4))


def fog(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    """Added, and all scaled down so that nothing gets lighter than it was."""
    thickness, decay = FOGS[severity - 1]
    height, width = image.shape[:2]
    cloud = plasma(height, width, decay, random)
    lightest = float(image.max()) / 255
    scale = lightest / (lightest + thickness)
    cloud *= 255 * thickness * scale
    foggy = opencv().merge([cloud] * 3)
    foggy += np.float32(scale) * image
    return eight_bits(foggy)


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
    """Drops of water on the lens, and at the two highest severities of mud.

    Mud is dark: on a dark picture it changes less than the water of a lower severity.
    """
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


def plasma(height: int, width: int, decay: float, random: np.random.Generator) -> Plane:
    """A cloud from 0 to 1 by midpoint displacement: each grid halves the last.

    The random part that is added shrinks by the square of the decay with every grid. The square is
    the published one: swings there are scaled by themselves. Published clouds are cut from a square
    of a power of two; here only what is needed is drawn, and spans 0 to 1.
    """
    step = 1 << (max(height, width) - 1).bit_length()
    field = np.zeros((2, 2), dtype=np.float32)
    swing = 1.0
    while step > 1:
        step //= 2
        field = _halved(field, swing, random)
        field = field[: (height - 1) // step + 2, : (width - 1) // step + 2]
        swing /= decay**2
    field = np.ascontiguousarray(field[:height, :width])
    low, high = field.min(), field.max()
    if low == high:
        return np.full_like(field, 0.5)
    field -= low
    field /= high - low
    return field


def _halved(field: Plane, swing: float, random: np.random.Generator) -> Plane:
    """Centres of squares from their corners, then middles of edges from ends and centres."""
    rows, columns = field.shape
    finer = random.random((2 * rows - 1, 2 * columns - 1), dtype=np.float32)
    finer -= 0.5
    finer *= 2 * swing
    finer[::2, ::2] = field
    beside = field[:, :-1] + field[:, 1:]
    above = field[:-1] + field[1:]
    finer[1::2, 1::2] += (beside[:-1] + beside[1:]) / 4
    # At the border the only centre counts twice.
    centres = np.pad(finer[1::2, 1::2], 1, mode="edge")
    finer[::2, 1::2] += (beside + centres[:-1, 1:-1] + centres[1:, 1:-1]) / 4
    finer[1::2, ::2] += (above + centres[1:-1, :-1] + centres[1:-1, 1:]) / 4
    return finer
