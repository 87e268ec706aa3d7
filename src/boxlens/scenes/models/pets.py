"""Dogs have a snout, cats a round head; both stand, sit or lie, and move their tails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boxlens.data.columns import Floats
from boxlens.scenes.models.animal_parts import (
    DARK,
    PINK,
    Coat,
    Station,
    above,
    curled_tail,
    ear,
    natural,
    patched,
    scaled,
    skin,
    spot,
    striped,
    tail,
)
from boxlens.scenes.models.assembly import standing
from boxlens.scenes.models.model import Colour, Model, Paint, Piece, Random, palette
from boxlens.scenes.models.stances import (
    Frame,
    Stance,
    head_on_neck,
    legs,
    looking_about,
    lying,
    on_all_fours,
    sitting,
    tail_root,
    trunk,
)
from boxlens.scenes.solids import Mesh

_DOG_COLOURS = palette("2c2826 5c3e28 8c6038 c4965c dec496 96928c e8e2d6")
_DOG_TRUNK: tuple[Station, ...] = (
    (-0.22, 0.08, 0.4, 0.4),
    (-0.06, 0.06, 0.86, 0.84),
    (0.35, 0.08, 0.8, 0.74),
    (0.85, -0.06, 1.0, 1.06),
    (1.2, 0.0, 0.5, 0.6),
)
_WHITE: Colour = (234, 230, 222)
_CAT_COLOURS = palette("2c2a2c ce843e 928e8a 686668 eae6de 967652 d6be9a")
_EYES = palette("aabe46 d6b23c 6eaa78 78aad2")
_CAT_TRUNK: tuple[Station, ...] = (
    (-0.16, 0.0, 0.4, 0.4),
    (-0.02, 0.02, 1.0, 0.9),
    (0.3, 0.06, 1.0, 0.94),
    (0.6, 0.05, 1.0, 0.96),
    (0.92, 0.0, 0.9, 0.96),
    (1.14, 0.05, 0.5, 0.6),
)
_CAT_SKULL: tuple[Station, ...] = (
    (-0.15, 0.0, 0.1, 0.1),
    (-0.06, 0.0, 0.19, 0.17),
    (0.05, 0.0, 0.2, 0.17),
    (0.15, -0.015, 0.13, 0.12),
    (0.2, -0.05, 0.06, 0.05),
)


def dog(random: Random) -> Model:
    height = random.uniform(0.38, 0.68)
    depth = height * random.uniform(0.46, 0.56)
    width, leg = depth * random.uniform(0.62, 0.8), height * random.uniform(0.042, 0.056)
    length = height * random.uniform(0.74, 1.0)
    frame = Frame(length, height, depth, width, leg, spread=0.5 * width - 1.1 * leg)
    stance, (coat, face) = _stance(random, frame), _dog_coats(random, frame)
    pieces = [coat.over("body", skin(trunk(frame, stance, _DOG_TRUNK)))]
    pieces += legs(frame, stance, coat)
    head = _dog_head(random, face, height * random.uniform(1.2, 1.42))
    look = looking_about(random, frame, stance, 1.0)
    pieces += head_on_neck(head, look, frame, stance, coat, (0.42, 0.24))
    lift, thick = random.uniform(-0.9, 1.1), height * np.array([0.04, 0.044, 0.012])
    lifts = (lift, lift + random.uniform(0, 0.7))
    wag = _tail(random, frame, stance, height * random.uniform(0.4, 0.62), thick, lifts)
    return standing([*pieces, coat.over("tail", wag)])


def _dog_coats(random: Random, frame: Frame) -> tuple[Coat, Coat]:
    """Of the body and of the head, whose own middle is where its pattern begins."""
    colour, other = sorted((natural(random, _DOG_COLOURS), natural(random, _DOG_COLOURS)), key=sum)
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


def _dog_head(random: Random, coat: Coat, size: float) -> list[Piece]:
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


def cat(random: Random) -> Model:
    height = random.uniform(0.22, 0.29)
    depth = height * random.uniform(0.54, 0.68)
    width, leg = depth * random.uniform(0.75, 0.92), height * random.uniform(0.05, 0.064)
    length = height * random.uniform(0.95, 1.25)
    frame = Frame(length, height, depth, width, leg, 0.5 * width - 1.1 * leg, angled=0.7)
    stance, (coat, face) = _stance(random, frame), _cat_coats(random, frame)
    pieces = [coat.over("body", skin(trunk(frame, stance, _CAT_TRUNK)))]
    pieces += legs(frame, stance, coat)
    head = _cat_head(random, face, height * random.uniform(1.18, 1.38))
    look = looking_about(random, frame, stance, 0.95)
    pieces += head_on_neck(head, look, frame, stance, coat, (0.4, 0.22))
    lift, thick = random.uniform(-0.8, 1.2), height * np.array([0.045, 0.045, 0.04, 0.028])
    lifts = (lift, lift + random.uniform(-0.2, 0.6), lift + random.uniform(0.2, 1.2))
    wave = _tail(random, frame, stance, height * random.uniform(1.0, 1.35), thick, lifts)
    return standing([*pieces, coat.over("tail", wave)])


def _cat_coats(random: Random, frame: Frame) -> tuple[Coat, Coat]:
    """Of the body and of the head, whose own middle is where its pattern begins."""
    colour = natural(random, _CAT_COLOURS)
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


def _cat_head(random: Random, coat: Coat, size: float) -> list[Piece]:
    wide = random.uniform(0.95, 1.12)
    skull = skin(scaled(_CAT_SKULL, size, wide))
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


def _stance(random: Random, frame: Frame) -> Stance:
    """Mostly on all fours, at times sitting, seldom lying."""
    kind = random.uniform()
    if kind < 0.25:
        return sitting(frame)
    return lying(frame) if kind < 0.35 else on_all_fours(random, frame)


def _tail(
    random: Random,
    frame: Frame,
    stance: Stance,
    length: float,
    thick: Floats,
    lifts: Sequence[float],
) -> Mesh:
    """Lifted when standing, round the body when resting."""
    if stance.resting:
        start = (stance.hip[0] + 0.2 * frame.depth, 0)
        return curled_tail(random, start, length, thick.tolist())
    return tail(tail_root(frame, stance, -0.12, 0.2), length, thick.tolist(), lifts)
