"""Sheep: a round woolly body on thin legs, with a bare face; standing, grazing or lying."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.scenes.models.animal_parts import DARK, ear, scaled, skin, spot, stirred, tail
from boxlens.scenes.models.assembly import standing
from boxlens.scenes.models.coats import HOOF, Coat, natural
from boxlens.scenes.models.model import Paint, Piece
from boxlens.scenes.models.stances import (
    Frame,
    grazing,
    head_on_neck,
    legs,
    looking_about,
    lying,
    on_all_fours,
    tail_root,
    trunk,
)

if TYPE_CHECKING:
    from boxlens.scenes.models.animal_parts import Station
    from boxlens.scenes.models.model import Colour, Model, Random

_WOOLS: tuple[Colour, ...] = (
    (236, 230, 214),
    (226, 216, 194),
    (208, 198, 178),
    (240, 238, 232),
    (232, 222, 200),
)
_FACES: tuple[Colour, ...] = ((40, 36, 35), (60, 52, 48), (214, 200, 178), (230, 220, 206))
_TRUNK: tuple[Station, ...] = (
    (-0.42, 0.02, 0.5, 0.5),
    (-0.28, 0.02, 0.9, 0.9),
    (0.05, 0.03, 1.05, 1.05),
    (0.45, 0.03, 1.07, 1.07),
    (0.85, 0.03, 1.03, 1.03),
    (1.2, 0.05, 0.75, 0.75),
)


def sheep(random: Random) -> Model:
    height = random.uniform(0.64, 0.88)
    depth = height * random.uniform(0.58, 0.72)
    width, leg = depth * random.uniform(0.9, 1.08), height * random.uniform(0.034, 0.044)
    length = height * random.uniform(0.7, 0.92)
    frame = Frame(length, height, depth, width, leg, 0.28 * width, angled=0.5)
    stance = lying(frame) if random.uniform() < 0.15 else on_all_fours(random, frame)
    wool = Coat(natural(random, _WOOLS), texture="leaves", strength=0.3)
    bare = Coat(natural(random, _FACES))
    body = stirred(random, skin(trunk(frame, stance, _TRUNK), 9), np.full(3, 0.05 * depth))
    pieces = [wool.over("body", body), *legs(frame, stance, bare, HOOF)]
    if stance.resting or random.uniform() < 0.6:
        look = looking_about(random, frame, stance, 0.75, (0.15, 0.5))
    else:
        look = grazing(random, frame, stance)
    head = _head(random, wool, bare, height * random.uniform(0.98, 1.14))
    pieces += head_on_neck(head, look, frame, stance, wool, (0.42, 0.19))
    thick = height * np.array([0.05, 0.05, 0.03])
    dock = tail(tail_root(frame, stance, -0.36, 0.2), 0.24 * height, thick.tolist(), (-0.6, -1.4))
    return standing([*pieces, wool.over("tail", dock)])


def _head(random: Random, wool: Coat, bare: Coat, size: float) -> list[Piece]:
    skull = skin(
        scaled(
            (
                (-0.05, 0.0, 0.07, 0.085),
                (0.03, 0.0, 0.085, 0.095),
                (0.12, -0.02, 0.07, 0.08),
                (0.26, -0.05, 0.045, 0.05),
            ),
            size,
        )
    )
    pieces = [bare.over("head", skull)]
    # A dark eye would not be seen in a dark face.
    eye = DARK if sum(bare.colour) > 300 else Paint((196, 176, 120), "plain", 0)
    pieces += [Piece("head", spot(skull, row, 0.4), eye, decal=True) for row in (8, 10)]
    nostrils = Paint((78, 62, 60), "plain", 0)
    muzzle = spot(skull, len(skull.faces) - 1, 0.7)
    pieces.append(Piece("head", muzzle, nostrils, decal=True))
    crown = skin(scaled(((-0.09, 0.04, 0.085, 0.09), (0.06, 0.08, 0.065, 0.05)), size), 6)
    pieces.append(wool.over("head", stirred(random, crown, np.full(3, 0.01 * size))))
    for side in (-1, 1):
        base = (0.0, side * 0.06 * size, 0.04 * size)
        flap = ear(base, (0.035 * size, 0.016 * size, 0.15 * size), 1.8, tip=0.4)
        pieces.append(bare.over("ear", flap))
    return pieces
