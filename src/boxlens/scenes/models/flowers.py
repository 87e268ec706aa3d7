"""A few cut flowers on bent stems, for vases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from boxlens.scenes.models.materials import picked
from boxlens.scenes.models.model import Piece
from boxlens.scenes.solids import ellipsoid, joined, limb

if TYPE_CHECKING:
    from boxlens.scenes.models.model import Colour, Random

_PETALS: tuple[Colour, ...] = (
    (214, 48, 60),
    (240, 196, 60),
    (236, 232, 224),
    (226, 120, 170),
    (132, 84, 178),
    (238, 130, 50),
)
_HEARTS: tuple[Colour, ...] = ((226, 182, 48), (120, 76, 34))
_STEMS: tuple[Colour, ...] = ((70, 122, 56), (92, 140, 72), (54, 98, 60))


def flowers(random: Random, mouth: float, base: float, length: float) -> list[Piece]:
    """Three or four, fanning out of a mouth of this radius at this height."""
    petals, heart = picked(random, _PETALS, "grain", 0.08), picked(random, _HEARTS, "grain", 0.1)
    green = picked(random, _STEMS, "leaves", 0.15)
    n, tulips = random.randint(3, 5), random.uniform() < 0.4
    size = random.uniform(0.15, 0.2) * length
    stems, blooms, hearts = [], [], []
    for k in range(n):
        angle = 2 * math.pi * (k + random.uniform(0, 0.6)) / n
        lean = random.uniform(0.2, 0.5) if k else 0.08
        aim = np.array([math.cos(angle) * lean, math.sin(angle) * lean, 1])
        aim /= np.linalg.norm(aim)
        start = np.array([math.cos(angle) * mouth, math.sin(angle) * mouth, base])
        end = start + aim * length * random.uniform(0.65, 1)
        stems.append(limb(tuple(start), tuple(end), 0.05 * size + 0.001, 0.04 * size + 0.001, 3))
        if tulips:
            blooms.append(ellipsoid(0.62 * size, 0.62 * size, 0.9 * size, 5, 3).moved(*end))
            continue
        # The bloom nods outwards, so that its face is seen from the side.
        aim = aim + np.array([math.cos(angle), math.sin(angle), 0]) * random.uniform(0.2, 0.9)
        aim /= np.linalg.norm(aim)
        face = end + aim * 0.45 * size
        blooms.append(limb(tuple(end), tuple(face), 0.3 * size, size, 8))
        hearts.append(limb(tuple(face), tuple(face + aim * 0.3 * size), 0.42 * size, 0.3 * size, 4))
    pieces = [Piece("stem", joined(stems), green), Piece("flower", joined(blooms), petals)]
    return [*pieces, Piece("flower", joined(hearts), heart)] if hearts else pieces
