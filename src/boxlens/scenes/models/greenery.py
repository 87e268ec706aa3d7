"""Plants and stones, which the world is strewn with: tree, bush, potted plant, rock."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from boxlens.scenes.models.assembly import banded, lumpy, standing
from boxlens.scenes.models.materials import ceramic, lacquer, mottled, picked, toned
from boxlens.scenes.models.model import Model, Paint, Piece, Random, palette
from boxlens.scenes.solids import Mesh, Point, cylinder, ellipsoid, joined, lathe, limb

_LEAVES = palette("487430 60883a 345c32 828e38 547a52 b08034")
_NEEDLES = palette("264e34 34583c 3c6054")
_BARKS = palette("5e4834 786856 483a30 bcb8ae")
_STONES = palette("88847c 706c68 9e9480 7c685a")


def tree(random: Random) -> Model:
    """A trunk under a round crown, or under the tiers of a conifer."""
    height = random.uniform(3.2, 7)
    bark = picked(random, _BARKS, "wood", 0.2)
    if random.uniform() < 0.3:
        return _conifer(random, height, bark)
    spread = height * random.uniform(0.2, 0.3)
    clear = height * random.uniform(0.26, 0.4)
    thick = height * random.uniform(0.022, 0.034)
    trunk = limb((0, 0, 0), (0, 0, clear + 0.2 * height), 1.25 * thick, 0.7 * thick, 7)
    fork = [
        limb(
            (0, 0, 0.9 * clear),
            (x * spread, y * spread, clear + 0.24 * height),
            0.5 * thick,
            0.3 * thick,
            4,
        )
        for x, y in ((0.5, 0.3), (-0.5, -0.2))
    ]
    middle = (clear + height) / 2
    crowns: list[tuple[Point, float]] = [((0, 0, middle + 0.1 * height), 0.86 * spread)]
    turn, n = random.uniform(0, 2 * math.pi), 3
    for k in range(n):
        angle = turn + 2 * math.pi * k / n
        x, y = 0.55 * spread * math.cos(angle), 0.55 * spread * math.sin(angle)
        place = (x, y, middle + random.uniform(-0.1, 0.02) * height)
        crowns.append((place, spread * random.uniform(0.6, 0.8)))
    paint = picked(random, _LEAVES, "leaves", random.uniform(0.3, 0.45))
    pieces = [Piece("trunk", joined([trunk, *fork]), bark)]
    pieces += [
        _leafage(random, at, size, paint, 7 if k else 9) for k, (at, size) in enumerate(crowns)
    ]
    return standing(pieces, turned=True)


def _conifer(random: Random, height: float, bark: Paint) -> Model:
    paint = picked(random, _NEEDLES, "leaves", random.uniform(0.25, 0.4))
    wide, n = height * random.uniform(0.17, 0.25), random.randint(3, 5)
    pieces = [Piece("trunk", cylinder(0.03 * height, 0.2 * height, sides=7), bark)]
    for k in range(n):
        low = height * (0.13 + 0.72 * k / n)
        top = min(height, low + 1.5 * height * 0.8 / n)
        radius = wide * (1 - 0.72 * k / n)
        skirt = [(0.55 * radius, low + 0.03 * height), (radius, low), (0.02 * wide, top)]
        mesh = lumpy(lathe(skirt, 9).moved(z=-low), random, 0.06).moved(z=low)
        colours = mottled(random, toned(paint, 0.9 + 0.08 * k).colour, len(mesh.faces), 0.1)
        pieces.append(Piece("crown", mesh, paint, face_colours=colours))
    return standing(pieces, turned=True)


def _leafage(random: Random, centre: Point, radius: float, paint: Paint, sides: int = 7) -> Piece:
    """One clump, lighter where the sky lies on it."""
    flat = radius * random.uniform(0.74, 0.95)
    mesh = lumpy(ellipsoid(radius, radius, flat, sides, sides // 2 + 1), random, 0.16).yawed(
        random.uniform(0, 3)
    )
    colours = mottled(random, paint.colour, len(mesh.faces), 0.1)
    return Piece("crown", mesh.moved(*centre), paint, face_colours=colours)


def bush(random: Random) -> Model:
    """Leaves down to the ground."""
    size = random.uniform(0.35, 0.75)
    paint = picked(random, _LEAVES, "leaves", random.uniform(0.3, 0.45))
    tall, clumps = random.uniform(1, 1.6), []
    for k in range(random.randint(2, 5)):
        radius = size * random.uniform(0.6, 0.85)
        angle = 2.2 * k + random.uniform(0, 1)
        x, y = 0.5 * size * math.cos(angle), 0.7 * size * math.sin(angle)
        clump = _leafage(random, (x, y, 0.4 * radius), radius, paint)
        corners = clump.mesh.corners.copy()
        corners[:, 2] = np.maximum(corners[:, 2], 0) * tall
        clumps.append(replace(clump, mesh=Mesh(corners, clump.mesh.faces)))
    return standing(clumps, turned=True)


def rock(random: Random) -> Model:
    """One boulder, or one with a smaller beside it."""
    size = random.uniform(0.15, 0.5)
    paint = picked(random, _STONES, "stone", random.uniform(0.2, 0.35))
    tall = random.uniform(0.5, 0.9)
    boulders = [_boulder(random, size, tall)]
    if random.uniform() < 0.4:
        small = _boulder(random, size * random.uniform(0.35, 0.6), tall)
        boulders.append(small.moved(0.4 * size, size * random.choice((-1.1, 1.1))))
    pieces = []
    for mesh in boulders:
        colours = mottled(random, paint.colour, len(mesh.faces), 0.08)
        pieces.append(
            Piece("body", mesh.moved(z=-mesh.corners[:, 2].min()), paint, face_colours=colours)
        )
    return standing(pieces, turned=True)


def _boulder(random: Random, size: float, tall: float) -> Mesh:
    """Wider below, so that it rests on the ground."""
    outline = [(0.86, 0), (1, 0.3), (0.88, 0.62), (0.6, 0.88), (0.16, 1)]
    mesh = lathe([(r * size, z * size * tall) for r, z in outline], 8)
    stirred = lumpy(mesh.scaled(random.uniform(0.75, 1), 1, 1), random, 0.16)
    return stirred.yawed(random.uniform(0, 2 * math.pi))


def potted_plant(random: Random) -> Model:
    """A pot with leaves that fan out, or with a ball of leafage."""
    height = random.uniform(0.18, 0.34)
    radius = height * random.uniform(0.42, 0.56)
    paint = ceramic(random) if random.uniform() < 0.7 else lacquer(random)
    outline = [(0.66, 0), (0.92, 0.8), (1.04, 0.8), (1.04, 1), (0.9, 1), (0.86, 0.88)]
    rim, soil = toned(paint, 1.1), Paint((62, 46, 36), "stone", 0.25)
    tones = (paint, toned(paint, 0.7), rim, rim, toned(paint, 0.5), soil)
    profile = [(r * radius, z * height) for r, z in outline]
    pieces = banded(profile, [("pot", tone) for tone in tones])
    green = picked(random, _LEAVES[:5], "leaves", 0.25)
    if random.uniform() < 0.35:
        size = radius * random.uniform(1.1, 1.5)
        stem = limb((0, 0, 0.8 * height), (0, 0, height + size), 0.02, 0.015, 5)
        crown = _leafage(random, (0, 0, height + 1.1 * size), size, green, 10)
        return standing([*pieces, Piece("stem", stem, toned(soil, 1.3)), crown], turned=True)
    n = random.randint(7, 11)
    fan = [_blade(random, 2.4 * k, (radius, height)) for k in range(n)]
    colours = mottled(random, green.colour, sum(len(mesh.faces) for mesh in fan), 0.16)
    return standing([*pieces, Piece("leaf", joined(fan), green, face_colours=colours)], turned=True)


def _blade(random: Random, angle: float, pot: tuple[float, float]) -> Mesh:
    """A long leaf that rises and bends outwards."""
    radius, base = pot
    length = base * random.uniform(1.1, 2.2)
    out = random.uniform(0.15, 0.75)
    knee = (0.3 * radius + 0.45 * out * length, 0.0, 0.9 * base + 0.7 * length)
    tip = (0.3 * radius + out * length, 0.0, 0.9 * base + length * (1 - 0.45 * out))
    wide = 0.1 * length
    lower = limb((0.2 * radius, 0, 0.9 * base), knee, 0.25 * wide, wide, 3)
    upper = limb(knee, tip, wide, 0.08 * wide, 3)
    return joined([lower, upper]).yawed(angle)
