"""Paints of what furniture, small things and clutter are made of, drawn from palettes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.scenes.models.model import Paint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data.columns import Floats
    from boxlens.scenes.models.model import Colour, Random

_WOODS: tuple[Colour, ...] = (
    (176, 124, 74),
    (205, 162, 108),
    (132, 84, 48),
    (98, 62, 40),
    (160, 90, 54),
    (222, 192, 146),
)
_CLOTHS: tuple[Colour, ...] = (
    (150, 44, 46),
    (52, 78, 130),
    (70, 112, 84),
    (188, 176, 152),
    (96, 96, 104),
    (198, 142, 52),
    (112, 70, 104),
    (64, 124, 132),
    (204, 196, 186),
    (122, 82, 58),
)
_LACQUERS: tuple[Colour, ...] = (
    (214, 58, 48),
    (44, 104, 182),
    (240, 190, 44),
    (58, 150, 84),
    (236, 236, 230),
    (48, 50, 56),
    (226, 120, 44),
    (92, 186, 200),
    (198, 92, 150),
)
_METALS: tuple[Colour, ...] = ((176, 180, 186), (60, 62, 68), (138, 140, 144), (186, 160, 104))
_CERAMICS: tuple[Colour, ...] = (
    (232, 226, 214),
    (66, 104, 158),
    (176, 92, 62),
    (96, 140, 118),
    (58, 62, 74),
    (206, 170, 92),
    (150, 66, 80),
    (140, 178, 196),
)
# Colours nearer than this, in red, green and blue, are not told apart at a glance.
_APART = 110.0


def wood(random: Random) -> Paint:
    return Paint(_varied(random, _WOODS), "wood", random.uniform(0.12, 0.26))


def cloth(random: Random) -> Paint:
    return Paint(_varied(random, _CLOTHS), "cloth", random.uniform(0.1, 0.22))


def lacquer(random: Random, unlike: Paint | None = None) -> Paint:
    """Bright and smooth: painted wood, plastic, rubber, print; far from another's colour."""
    palette: Sequence[Colour] = _LACQUERS
    if unlike is not None:
        palette = [c for c in palette if math.dist(c, unlike.colour) > _APART]
    return Paint(_varied(random, palette), "grain", random.uniform(0.02, 0.06))


def metal(random: Random) -> Paint:
    return Paint(_varied(random, _METALS), "metal", random.uniform(0.05, 0.12))


def ceramic(random: Random) -> Paint:
    return Paint(_varied(random, _CERAMICS), "grain", random.uniform(0.02, 0.08))


def picked(random: Random, palette: Sequence[Colour], texture: str, strength: float) -> Paint:
    """One colour of a palette of the caller's own."""
    return Paint(_varied(random, palette), texture, strength)


def toned(paint: Paint, factor: float) -> Paint:
    """The same material, darker (below 1) or lighter."""
    red, green, blue = (min(255.0, channel * factor) for channel in paint.colour)
    return replace(paint, colour=(red, green, blue))


def mottled(random: Random, colour: Colour, n_faces: int, spread: float) -> Floats:
    """One colour per face, each of its own brightness."""
    bright = random.uniform(1 - spread, 1 + spread, (n_faces, 1))
    return np.asarray(np.clip(np.array([colour]) * bright, 0, 255))


def _varied(random: Random, palette: Sequence[Colour]) -> Colour:
    colour = np.array(palette[random.randint(len(palette))])
    stirred = colour * random.uniform(0.84, 1.12) + random.normal(0, 5, 3)
    red, green, blue = np.clip(stirred, 8, 250).tolist()
    return red, green, blue
