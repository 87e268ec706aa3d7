"""Cows are large and boxy, sheep round and woolly; they stand, graze or lie."""

from __future__ import annotations

import numpy as np

from boxlens.scenes.models.animal_parts import (
    DARK,
    HOOF,
    PINK,
    Coat,
    Station,
    ear,
    natural,
    patched,
    scaled,
    skin,
    spot,
    stirred,
    tail,
)
from boxlens.scenes.models.assembly import standing
from boxlens.scenes.models.model import Model, Paint, Piece, Random, palette
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
from boxlens.scenes.solids import cylinder, limb

_HIDES = palette("262220 262220 704228 966038 543828 ba966c")
_WHITES = palette("e8e2d8 ded4c4")
_HORN = Paint((214, 200, 170), "grain", 0.1)
_COW_TRUNK: tuple[Station, ...] = (
    (-0.22, 0.04, 0.8, 0.7),
    (-0.12, 0.04, 0.98, 0.92),
    (0.14, 0.02, 1.05, 1.0),
    (0.4, -0.01, 1.14, 1.06),
    (0.68, -0.01, 1.1, 1.08),
    (0.98, 0.01, 0.9, 1.0),
    (1.2, 0.02, 0.55, 0.66),
)
_COW_SKULL: tuple[Station, ...] = (
    (-0.06, 0.01, 0.085, 0.09),
    (0.03, 0.0, 0.105, 0.11),
    (0.14, -0.02, 0.08, 0.085),
    (0.25, -0.04, 0.068, 0.066),
)
_WOOLS = palette("ece6d6 e2d8c2 d0c6b2 f0eee8 e8dec8")
_FACES = palette("282423 3c3430 d6c8b2 e6dcce")
_SHEEP_TRUNK: tuple[Station, ...] = (
    (-0.42, 0.02, 0.5, 0.5),
    (-0.28, 0.02, 0.9, 0.9),
    (0.05, 0.03, 1.05, 1.05),
    (0.45, 0.03, 1.07, 1.07),
    (0.85, 0.03, 1.03, 1.03),
    (1.2, 0.05, 0.75, 0.75),
)
_SHEEP_SKULL: tuple[Station, ...] = (
    (-0.05, 0.0, 0.07, 0.085),
    (0.03, 0.0, 0.085, 0.095),
    (0.12, -0.02, 0.07, 0.08),
    (0.26, -0.05, 0.045, 0.05),
)


def cow(random: Random) -> Model:
    height = random.uniform(1.15, 1.55)
    depth = height * random.uniform(0.52, 0.6)
    width, leg = depth * random.uniform(0.76, 0.9), height * random.uniform(0.036, 0.046)
    length = height * random.uniform(0.84, 1.08)
    frame = Frame(length, height, depth, width, leg, 0.36 * width, angled=0.45)
    stance = lying(frame) if random.uniform() < 0.12 else on_all_fours(random, frame)
    coat = _cow_coat(random, frame)
    hide = skin(trunk(frame, stance, _COW_TRUNK), 8, 0.75)
    # Along the flanks only: it makes the edges of patches uneven.
    reach = np.outer(np.repeat([0, 0, 1, 1, 1, 0, 0], 8), [0.11 * length, 0, 0])
    pieces = [coat.over("body", stirred(random, hide, reach))]
    pieces += legs(frame, stance, coat, HOOF)
    if stance.resting or random.uniform() < 0.65:
        look = looking_about(random, frame, stance, 0.65, (0.2, 0.5))
    else:
        look = grazing(random, frame, stance)
    head = _cow_head(random, coat, height * random.uniform(0.94, 1.08))
    pieces += head_on_neck(head, look, frame, stance, coat, (0.4, 0.17))
    if not stance.resting:
        bag = cylinder(0.13 * depth, 0.3 * depth, 0.23 * depth, 6)
        x, z = stance.hip[0] + 0.34 * depth, stance.hip[1] - 0.68 * depth
        pieces.append(Piece("udder", bag.moved(x, 0, z), PINK))
    thick = height * np.array([0.028, 0.018, 0.04, 0.014])
    root = tail_root(frame, stance, -0.2, 0.32)
    long = min(0.62 * height, 0.95 * root[1])
    switch = tail(root, long, thick.tolist(), (-0.6, -1.5, -1.5))
    return standing([*pieces, coat.over("tail", switch, HOOF)])


def _cow_coat(random: Random, frame: Frame) -> Coat:
    """White with patches, or of one colour."""
    colour = natural(random, _HIDES)
    if random.uniform() < 0.75:
        size = (2 * frame.length, frame.width, frame.height)
        patches = patched(random, size, 8, 0.25 * frame.length)
        return Coat(natural(random, _WHITES), colour, patches, strength=0.12)
    return Coat(colour, strength=0.16)


def _cow_head(random: Random, coat: Coat, size: float) -> list[Piece]:
    skull = skin(scaled(_COW_SKULL, size), 8, 0.8)
    muzzle = skin(scaled(((0.23, -0.04, 0.08, 0.072), (0.33, -0.048, 0.074, 0.06)), size), 6, 0.7)
    nose = PINK if random.uniform() < 0.6 else Paint((66, 58, 56), "plain", 0)
    pieces = [coat.over("head", skull), Piece("head", muzzle, nose)]
    pieces += [Piece("head", spot(skull, row, 0.4), DARK, decal=True) for row in (8, 10)]
    long = random.uniform(0.08, 0.17) * size
    for side in (-1, 1):
        base = (-0.02 * size, side * 0.08 * size, 0.05 * size)
        flap = ear(base, (0.05 * size, 0.016 * size, 0.15 * size), 1.75, tip=0.5)
        pieces.append(coat.over("ear", flap))
        root = (-0.03 * size, side * 0.06 * size, 0.08 * size)
        tip = (root[0] + 0.3 * long, root[1] + side * 0.75 * long, root[2] + 0.7 * long)
        pieces.append(Piece("horn", limb(root, tip, 0.028 * size, 0.008 * size, 4), _HORN))
    return pieces


def sheep(random: Random) -> Model:
    height = random.uniform(0.64, 0.88)
    depth = height * random.uniform(0.58, 0.72)
    width, leg = depth * random.uniform(0.9, 1.08), height * random.uniform(0.034, 0.044)
    length = height * random.uniform(0.7, 0.92)
    frame = Frame(length, height, depth, width, leg, 0.28 * width, angled=0.5)
    stance = lying(frame) if random.uniform() < 0.15 else on_all_fours(random, frame)
    wool = Coat(natural(random, _WOOLS), texture="leaves", strength=0.3)
    bare = Coat(natural(random, _FACES))
    body = stirred(random, skin(trunk(frame, stance, _SHEEP_TRUNK), 9), np.full(3, 0.05 * depth))
    pieces = [wool.over("body", body), *legs(frame, stance, bare, HOOF)]
    if stance.resting or random.uniform() < 0.6:
        look = looking_about(random, frame, stance, 0.75, (0.15, 0.5))
    else:
        look = grazing(random, frame, stance)
    head = _sheep_head(random, wool, bare, height * random.uniform(0.98, 1.14))
    pieces += head_on_neck(head, look, frame, stance, wool, (0.42, 0.19))
    thick = height * np.array([0.05, 0.05, 0.03])
    dock = tail(tail_root(frame, stance, -0.36, 0.2), 0.24 * height, thick.tolist(), (-0.6, -1.4))
    return standing([*pieces, wool.over("tail", dock)])


def _sheep_head(random: Random, wool: Coat, bare: Coat, size: float) -> list[Piece]:
    skull = skin(scaled(_SHEEP_SKULL, size))
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
