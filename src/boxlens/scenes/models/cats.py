"""Cats: a round head, upright triangles for ears, a short snout, a long thin tail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.scenes.models.animal_parts import DARK, PINK, ear, scaled, skin, spot
from boxlens.scenes.models.assembly import standing
from boxlens.scenes.models.coats import Coat, above, natural, patched, striped
from boxlens.scenes.models.model import Paint, Piece
from boxlens.scenes.models.pets import pet_stance, pet_tail
from boxlens.scenes.models.stances import Frame, head_on_neck, legs, looking_about, trunk

if TYPE_CHECKING:
    from boxlens.scenes.models.animal_parts import Station
    from boxlens.scenes.models.model import Colour, Model, Random

_WHITE: Colour = (234, 230, 222)
_COLOURS: tuple[Colour, ...] = (
    (44, 42, 44),
    (206, 132, 62),
    (146, 142, 138),
    (104, 102, 104),
    _WHITE,
    (150, 118, 82),
    (214, 190, 154),
)
_EYES: tuple[Colour, ...] = ((170, 190, 70), (214, 178, 60), (110, 170, 120), (120, 170, 210))
_TRUNK: tuple[Station, ...] = (
    (-0.16, 0.0, 0.4, 0.4),
    (-0.02, 0.02, 1.0, 0.9),
    (0.3, 0.06, 1.0, 0.94),
    (0.6, 0.05, 1.0, 0.96),
    (0.92, 0.0, 0.9, 0.96),
    (1.14, 0.05, 0.5, 0.6),
)


def cat(random: Random) -> Model:
    height = random.uniform(0.22, 0.29)
    depth = height * random.uniform(0.54, 0.68)
    width, leg = depth * random.uniform(0.75, 0.92), height * random.uniform(0.05, 0.064)
    length = height * random.uniform(0.95, 1.25)
    frame = Frame(length, height, depth, width, leg, 0.5 * width - 1.1 * leg, angled=0.7)
    stance, (coat, face) = pet_stance(random, frame), _coats(random, frame)
    pieces = [coat.over("body", skin(trunk(frame, stance, _TRUNK)))]
    pieces += legs(frame, stance, coat)
    head = _head(random, face, height * random.uniform(1.18, 1.38))
    look = looking_about(random, frame, stance, 0.95)
    pieces += head_on_neck(head, look, frame, stance, coat, (0.4, 0.22))
    lift, thick = random.uniform(-0.8, 1.2), height * np.array([0.045, 0.045, 0.04, 0.028])
    lifts = (lift, lift + random.uniform(-0.2, 0.6), lift + random.uniform(0.2, 1.2))
    wave = pet_tail(random, frame, stance, height * random.uniform(1.0, 1.35), thick, lifts)
    return standing([*pieces, coat.over("tail", wave)])


def _coats(random: Random, frame: Frame) -> tuple[Coat, Coat]:
    """Of the body and of the head, whose own middle is where its pattern begins."""
    colour = natural(random, _COLOURS)
    kind = random.choice(["plain", "tabby", "patches", "bib"])
    if kind == "tabby":
        red, green, blue = (0.5 * channel for channel in colour)
        coat = Coat(colour, (red, green, blue), striped(0.17 * frame.length))
        return coat, replace(coat, marked=striped(0.14 * frame.height))
    if kind == "patches":
        size = (2 * frame.length, frame.width, frame.height)
        coat = Coat(_WHITE, colour, patched(random, size, 6, 0.3 * frame.length))
        return coat, coat
    if kind == "bib":
        coat = Coat(_WHITE, colour, above(0.42 * frame.height))
        return coat, replace(coat, marked=above(0))
    coat = Coat(colour)
    return coat, coat


def _head(random: Random, coat: Coat, size: float) -> list[Piece]:
    wide = random.uniform(0.95, 1.12)
    skull = skin(
        scaled(
            (
                (-0.15, 0.0, 0.1, 0.1),
                (-0.06, 0.0, 0.19, 0.17),
                (0.05, 0.0, 0.2, 0.17),
                (0.15, -0.015, 0.13, 0.12),
                (0.2, -0.05, 0.06, 0.05),
            ),
            size,
            wide,
        )
    )
    pieces = [coat.over("head", skull)]
    iris = Paint(natural(random, _EYES), "plain", 0)
    for row in (16, 18):
        pieces.append(Piece("head", spot(skull, row, 0.52), iris, decal=True))
        pieces.append(Piece("head", spot(skull, row, 0.25, 0.002), DARK, decal=True))
    nose = spot(skull, len(skull.faces) - 1, 0.5)
    pieces.append(Piece("head", nose, PINK, decal=True))
    for side in (-1, 1):
        base = (-0.02 * size, side * 0.11 * size * wide, 0.12 * size)
        point = ear(base, (0.05 * size, 0.085 * size, 0.18 * size), 0.25)
        pieces.append(coat.over("ear", point))
        pieces.append(Piece("ear", spot(point, 2, 0.6), PINK, decal=True))
    return pieces
