"""What trucks carry: a closed box, logs or crates on a bed, a heaped tub, a tank."""

from __future__ import annotations

import numpy as np

from boxlens.scenes.models.materials import toned
from boxlens.scenes.models.model import Paint, Piece, Random, palette
from boxlens.scenes.models.vehicle_parts import SIDES, Hull, lacquer, rectangle
from boxlens.scenes.solids import Flat, block, ellipsoid, joined, limb

BOLD = palette("ececea ba2422 28529c 3c784c e0a82c d06424 5c6066 78283c")
FRAME = Paint((42, 42, 45), "grain", 0.1)
_SOBER = palette("eaeae6 eaeae6 ced0ce 969ca2 3a6096 aa2c28 4a7a54 d8b450")
_BARK, _CUT_WOOD = (124, 88, 56), (206, 168, 116)
_EARTH = Paint((122, 102, 78), "stone", 0.35)


def some_load(random: Random, x: Flat, width: float, deck: float) -> list[Piece]:
    """From rear to front, on a deck of that height; boxes are the commonest."""
    made = (_box, _box, _box, _logs, _crates, _tub, _tank)[random.randint(7)]
    return made(random, x, width, deck)


def _box(random: Random, x: Flat, width: float, deck: float) -> list[Piece]:
    """Higher than the cab, with doors behind and often a sign along its sides."""
    paint, sign = lacquer(random, _SOBER), lacquer(random, BOLD)
    low, high = deck - 0.15, deck + random.uniform(1.9, 2.4)
    hull = Hull(tuple(rectangle(x, (low, high))), 1.02 * width, 1.02 * width)
    marks = [hull.across(3, span, (0, 1)) for span in ((-1, -0.94), (-0.012, 0.012), (0.94, 1))]
    for rail in ((low, low + 0.1), (high - 0.07, high)):
        marks += [hull.beside(rectangle(x, rail), facing) for facing in SIDES]
    pieces = [Piece("cargo", hull.mesh, paint)]
    pieces += [Piece("cargo", mark, toned(paint, 0.6), decal=True) for mark in marks]
    if random.uniform() < 0.6:
        inset, middle = 0.15 * (x[1] - x[0]), (deck + high) / 2
        area = rectangle((x[0] + inset, x[1] - inset), (middle - 0.4, middle + 0.35))
        pieces += [Piece("cargo", hull.beside(area, f), sign, decal=True) for f in SIDES]
    return pieces


def _bed(random: Random, x: Flat, width: float, deck: float) -> Piece:
    """Flat, between low boards; the one before the cab is higher."""
    length, middle, low = x[1] - x[0], (x[0] + x[1]) / 2, deck - 0.15
    wall = random.uniform(0.5, 0.75)
    floor = block(length - 0.04, width - 0.04, 0.1).moved(middle, 0, deck - 0.1)
    side = block(length, 0.06, wall)
    boards = [side.moved(middle, facing * (width / 2 - 0.03), low) for facing in SIDES]
    boards.append(block(0.06, width - 0.02, wall).moved(x[0] + 0.03, 0, low))
    boards.append(block(0.06, width - 0.02, 2.4 * wall).moved(x[1] - 0.03, 0, low))
    return Piece("cargo", joined([floor, *boards]), lacquer(random, _SOBER))


def _logs(random: Random, x: Flat, width: float, deck: float) -> list[Piece]:
    thick, end = random.uniform(0.36, 0.44) * width, 0.03 * (x[1] - x[0])
    pieces = [_bed(random, x, width, deck)]
    for y, rise in ((-0.5, 0.5), (0.5, 0.5), (0, 1.3)):
        z, radius = deck + rise * thick, random.uniform(0.47, 0.55) * thick
        log = limb((x[0] + end, y * thick, z), (x[1] - end, y * thick, z), radius, radius)
        colours = np.array([_BARK] * (len(log.faces) - 2) + [_CUT_WOOD] * 2, dtype=np.float64)
        pieces.append(Piece("cargo", log, Paint(_BARK, "wood", 0.25), face_colours=colours))
    return pieces


def _crates(random: Random, x: Flat, width: float, deck: float) -> list[Piece]:
    n_crates = 3 if x[1] - x[0] > 4 else 2
    step = (x[1] - x[0] - 0.16) / n_crates
    pieces = [_bed(random, x, width, deck)]
    for k in range(n_crates):
        size = (0.88 * step, random.uniform(0.6, 0.88) * width, random.uniform(0.7, 1.5))
        card = toned(Paint((170, 130, 86), "wood", 0.2), random.uniform(0.8, 1.15))
        at = x[0] + 0.08 + (k + 0.5) * step
        pieces.append(Piece("cargo", block(*size).moved(at, 0, deck), card))
    return pieces


def _tub(random: Random, x: Flat, width: float, deck: float) -> list[Piece]:
    """A tipper's: with ribs, and heaped."""
    paint, low, high = lacquer(random, BOLD), deck - 0.1, deck + random.uniform(0.9, 1.3)
    outline = ((x[0] + 0.25, low), (x[1] - 0.05, low), (x[1], high), (x[0], high))
    hull = Hull(outline, 0.9 * width, 1.04 * width)
    length, middle = x[1] - x[0], (x[0] + x[1]) / 2
    ribs = [
        hull.beside(rectangle((at - 0.06, at + 0.06), (deck, high)), facing)
        for at in np.linspace(x[0] + 0.4, x[1] - 0.3, 4).tolist()
        for facing in SIDES
    ]
    heap = ellipsoid(0.46 * length, 0.46 * width, random.uniform(0.3, 0.6), 8, 4)
    return [
        Piece("cargo", hull.mesh, paint),
        *(Piece("cargo", rib, toned(paint, 0.7), decal=True) for rib in ribs),
        Piece("cargo", heap.moved(middle, 0, high - 0.05), _EARTH),
    ]


def _tank(random: Random, x: Flat, width: float, deck: float) -> list[Piece]:
    """A lying cylinder with two hoops, on a saddle."""
    paint, radius = lacquer(random, _SOBER), random.uniform(0.44, 0.5) * width
    length, z = x[1] - x[0], deck + 0.95 * radius
    shell = limb((x[0], 0, z), (x[1], 0, z), radius, radius, 10)
    hoop = limb((-0.05, 0, z), (0.05, 0, z), 1.03 * radius, 1.03 * radius, 10)
    hoops = [hoop.moved(x[0] + part * length) for part in (0.3, 0.7)]
    saddle = block(0.9 * length, 0.6 * width, 0.5).moved(x[0] + length / 2, 0, deck - 0.25)
    return [
        Piece("cargo", shell, paint),
        Piece("cargo", joined(hoops), toned(paint, 0.6)),
        Piece("cargo", saddle, FRAME),
    ]
