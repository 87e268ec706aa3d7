"""Dogs: a snout, floppy or pointed ears, a tail that wags; standing, sitting or lying."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.scenes.models.animal_parts import DARK, ear, scaled, skin, spot
from boxlens.scenes.models.assembly import standing
from boxlens.scenes.models.coats import Coat, above, natural, patched
from boxlens.scenes.models.model import Paint, Piece
from boxlens.scenes.models.pets import pet_stance, pet_tail
from boxlens.scenes.models.stances import Frame, head_on_neck, legs, looking_about, trunk

if TYPE_CHECKING:
    from boxlens.scenes.models.animal_parts import Station
    from boxlens.scenes.models.model import Colour, Model, Random

_COLOURS: tuple[Colour, ...] = (
    (44, 40, 38),
    (92, 62, 40),
    (140, 96, 56),
    (196, 150, 92),
    (222, 196, 150),
    (150, 146, 140),
    (232, 226, 214),
)
_TRUNK: tuple[Station, ...] = (
    (-0.22, 0.08, 0.4, 0.4),
    (-0.06, 0.06, 0.86, 0.84),
    (0.35, 0.08, 0.8, 0.74),
    (0.85, -0.06, 1.0, 1.06),
    (1.2, 0.0, 0.5, 0.6),
)


def dog(random: Random) -> Model:
    height = random.uniform(0.38, 0.68)
    depth = height * random.uniform(0.46, 0.56)
    width, leg = depth * random.uniform(0.62, 0.8), height * random.uniform(0.042, 0.056)
    length = height * random.uniform(0.74, 1.0)
    frame = Frame(length, height, depth, width, leg, spread=0.5 * width - 1.1 * leg)
    stance, (coat, face) = pet_stance(random, frame), _coats(random, frame)
    pieces = [coat.over("body", skin(trunk(frame, stance, _TRUNK)))]
    pieces += legs(frame, stance, coat)
    head = _head(random, face, height * random.uniform(1.2, 1.42))
    look = looking_about(random, frame, stance, 1.0)
    pieces += head_on_neck(head, look, frame, stance, coat, (0.42, 0.24))
    lift, thick = random.uniform(-0.9, 1.1), height * np.array([0.04, 0.044, 0.012])
    lifts = (lift, lift + random.uniform(0, 0.7))
    wag = pet_tail(random, frame, stance, height * random.uniform(0.4, 0.62), thick, lifts)
    return standing([*pieces, coat.over("tail", wag)])


def _coats(random: Random, frame: Frame) -> tuple[Coat, Coat]:
    """Of the body and of the head, whose own middle is where its pattern begins."""
    colour, other = sorted((natural(random, _COLOURS), natural(random, _COLOURS)), key=sum)
    kind = random.choice(["plain", "saddle", "patches"])
    if kind == "saddle":
        coat = Coat(other, colour, above(frame.height - 0.45 * frame.depth))
        return coat, replace(coat, marked=above(0.06 * frame.height))
    if kind == "patches":
        size = (2 * frame.length, frame.width, frame.height)
        coat = Coat(other, colour, patched(random, size, 6, 0.3 * frame.length))
        return coat, coat
    coat = Coat(colour)
    return coat, coat


def _head(random: Random, coat: Coat, size: float) -> list[Piece]:
    snout, wide = random.uniform(0.2, 0.31), random.uniform(0.88, 1.12)
    skull = skin(
        scaled(
            (
                (-0.1, 0.01, 0.05, 0.06),
                (-0.03, 0.02, 0.1, 0.1),
                (0.06, 0.02, 0.095, 0.09),
                (0.1, -0.018, 0.06, 0.06),
                (snout, -0.03, 0.046, 0.047),
            ),
            size,
            wide,
        )
    )
    tip = ((snout - 0.02, -0.008, 0.03, 0.026), (snout + 0.02, -0.012, 0.02, 0.017))
    pieces = [coat.over("head", skull), Piece("head", skin(scaled(tip, size), 5), DARK)]
    pieces += [Piece("head", spot(skull, row, 0.5), DARK, decal=True) for row in (16, 18)]
    red, green, blue = (0.75 * channel for channel in coat.colour)
    fur = Paint((red, green, blue), coat.texture, coat.strength)
    floppy = random.uniform() < 0.55
    for side in (-1, 1):
        if floppy:
            base = (-0.02 * size, side * 0.085 * size * wide, 0.075 * size)
            flap = ear(base, (0.062 * size, 0.014 * size, 0.17 * size), 2.9, tip=0.75)
        else:
            base = (-0.02 * size, side * 0.06 * size * wide, 0.08 * size)
            flap = ear(base, (0.05 * size, 0.03 * size, 0.15 * size), 0.25)
        pieces.append(Piece("ear", flap, fur))
    return pieces
