"""Paints of what furniture, small things and clutter are made of, drawn from palettes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boxlens.data.columns import Floats
from boxlens.scenes.models.model import Colour, Paint, Random, palette

_WOODS = palette("b07c4a cda26c 845430 623e28 a05a36 dec092")
_CLOTHS = palette("962c2e 344e82 467054 bcb098 606068 c68e34 704668 407c84 ccc4ba 7a523a")
_LACQUERS = palette("d63a30 2c68b6 f0be2c 3a9654 ecece6 303238 e2782c 5cbac8 c65c96")
_METALS = palette("b0b4ba 3c3e44 8a8c90 baa068")
_CERAMICS = palette("e8e2d6 42689e b05c3e 608c76 3a3e4a ceaa5c 964250 8cb2c4")
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
