"""Small things that stand on tables and floors: bottle, vase, cup and ball."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from boxlens.scenes.models.assembly import banded, some_faces, standing, tube
from boxlens.scenes.models.ball_patterns import gored, patched, ringed, seamed
from boxlens.scenes.models.materials import ceramic, lacquer, metal, picked, toned
from boxlens.scenes.models.model import Model, Paint, Piece, Random, palette
from boxlens.scenes.solids import Flat, ellipsoid, joined, lathe, limb, plate

_SIDES = 12
_GLASSES = palette("265434 60361c 284678 96b2a8 3c2226")
_PLASTICS = palette("a8cce2 e8eae8 ce3c2c ecb232 5ca870 e28c3c")
_PAPERS = palette("eee6ce e2e2de deba52 b83030 28345c")
_PETALS = palette("d6303c f0c43c ece8e0 e278aa 8454b2 ee8232")
_HEARTS = palette("e2b630 784c22")
_STEMS = palette("467a38 5c8c48 36623c")
_DRINKS = palette("341e12 7c461c 9c704c b0802c")
# Outlines from the bottom to where the neck begins: radius by the belly's, height by the whole.
_BOTTLES: dict[str, tuple[Flat, ...]] = {
    "wine": ((0.94, 0), (1, 0.02), (1, 0.58), (0.82, 0.66), (0.4, 0.74)),
    "beer": ((0.92, 0), (1, 0.03), (1, 0.5), (0.72, 0.64), (0.42, 0.76)),
    "water": ((0.86, 0), (1, 0.05), (0.94, 0.4), (1, 0.62), (0.82, 0.76), (0.4, 0.86)),
    "sauce": ((0.92, 0), (1, 0.05), (0.86, 0.35), (0.98, 0.62), (0.48, 0.78)),
}
_VASES: tuple[tuple[Flat, ...], ...] = (
    ((0.5, 0), (0.78, 0.12), (1, 0.4), (0.86, 0.66), (0.46, 0.86), (0.66, 1)),
    ((0.56, 0), (0.92, 0.12), (1, 0.3), (0.7, 0.52), (0.4, 0.72), (0.56, 1)),
    ((0.46, 0), (0.6, 0.16), (0.84, 0.45), (1, 0.72), (0.82, 0.9), (0.88, 1)),
    ((0.62, 0), (0.42, 0.08), (0.74, 0.26), (1, 0.56), (0.62, 0.82), (0.8, 1)),
    ((0.6, 0), (0.88, 0.14), (1, 0.42), (1, 0.58), (0.78, 0.86), (0.62, 1)),
)
_CUPS: tuple[tuple[Flat, ...], ...] = (
    ((0.9, 0), (1, 0.07), (1, 0.35), (1, 0.7), (1, 1)),
    ((0.62, 0), (0.74, 0.1), (0.84, 0.4), (0.92, 0.7), (1, 1)),
    ((0.5, 0), (0.5, 0.1), (0.8, 0.34), (0.94, 0.66), (1, 1)),
    ((0.7, 0), (0.92, 0.14), (1, 0.4), (0.96, 0.75), (0.98, 1)),
)


def bottle(random: Random) -> Model:
    """A slim neck with a cap; glass or plastic, with a label around it."""
    kind = tuple(_BOTTLES)[random.randint(len(_BOTTLES))]
    height = random.uniform(0.27, 0.34) if kind == "wine" else random.uniform(0.21, 0.3)
    radius = height * random.uniform(0.115, 0.155)
    paint = picked(random, _GLASSES if kind in {"wine", "beer"} else _PLASTICS, "plain", 0)
    body = [(r * radius, z * height) for r, z in _BOTTLES[kind]]
    slim = body[-1][0]
    closed = {"wine": 0.84, "beer": 0.94, "water": 0.92, "sauce": 0.81}[kind] * height
    flare = 1.05 if kind == "wine" else 1.25
    tip = 0.3 if kind == "sauce" else 0.96
    cap_outline = [(flare * slim, closed), (tip * flare * slim, height)]
    cap = ("cap", metal(random) if kind == "beer" else lacquer(random, unlike=paint))
    bands = [("body", paint)] * (len(body) - 1) + [("neck", toned(paint, 1.1)), cap, cap, cap]
    pieces = banded([*body, (0.92 * slim, closed), *cap_outline], bands, _SIDES)
    pieces.append(_gleams(radius, (0.05 * height, 0.56 * height), paint))
    low, high = random.uniform(0.1, 0.2) * height, random.uniform(0.4, 0.54) * height
    return standing([*pieces, *_label(random, radius, (low, high))], turned=True)


def _gleams(radius: float, heights: Flat, paint: Paint) -> Piece:
    """Narrow lights on three of the flat sides of glass, below the label's paper."""
    low, high = heights
    inner, half = 1.008 * radius * math.cos(math.pi / _SIDES), 0.1 * radius
    upright = plate(
        [(inner, -half, low), (inner, half, low), (inner, half, high), (inner, -half, high)]
    )
    strips = joined([upright.yawed(2 * math.pi * (k + 0.5) / _SIDES) for k in (1, 5, 9)])
    red, green, blue = (0.6 * channel + 0.4 * 255 for channel in paint.colour)
    return Piece("body", strips, Paint((red, green, blue), "plain", 0, shaded=False))


def _label(random: Random, radius: float, heights: Flat) -> list[Piece]:
    """Paper around the body, or around most of it, with a printed band."""
    low, high = heights
    paper = picked(random, _PAPERS, "grain", 0.04)
    ink = lacquer(random, unlike=paper)
    first = random.randint(3)
    around = range(first, _SIDES - first)
    share = random.uniform(0.15, 0.45)
    printed = (low + share * (high - low), low + (share + 0.35) * (high - low))
    return [
        Piece("label", some_faces(lathe([(r, a), (r, b)], _SIDES), around), paint)
        for r, (a, b), paint in (
            (1.025 * radius, heights, paper),
            (1.037 * radius, printed, ink),
        )
    ]


def vase(random: Random) -> Model:
    """A wide belly and an open top, with or without flowers."""
    height = random.uniform(0.17, 0.32)
    radius = height * random.uniform(0.27, 0.44)
    outline = [(r * radius, z * height) for r, z in _VASES[random.randint(len(_VASES))]]
    rim = outline[-1][0]
    full = random.uniform() < 0.45
    mouth = [(1.08 * rim, 1.02 * height), (0.86 * rim, 1.02 * height), (0.66 * rim, 0.93 * height)]
    paint = ceramic(random)
    second = lacquer(random, unlike=paint) if random.uniform() < 0.4 else toned(paint, 0.85)
    body = [paint] * (len(outline) - 1)
    for k in ((1,), (2,), (1, 3), (0, 1))[random.randint(4)]:
        body[k] = second
    dark = ("opening", toned(paint, 0.3))
    edge = ("rim", toned(paint, 1.15))
    bands = [*(("body", p) for p in body), edge, edge, dark, dark]
    pieces = banded([*outline, *mouth], bands, 10 if full else 14)
    if full:
        pieces += _flowers(random, 0.5 * rim, height, random.uniform(0.7, 1.1) * height)
    return standing(pieces, turned=True)


def _flowers(random: Random, mouth: float, base: float, length: float) -> list[Piece]:
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


def cup(random: Random) -> Model:
    """A handle at its right, a drink inside, perhaps a saucer."""
    kind = random.randint(len(_CUPS))
    height = random.uniform(0.085, 0.115) if kind < 2 else random.uniform(0.06, 0.085)
    radius = height * (random.uniform(0.4, 0.48) if kind < 2 else random.uniform(0.56, 0.72))
    paint = ceramic(random) if random.uniform() < 0.6 else lacquer(random)
    second = lacquer(random, unlike=paint) if random.uniform() < 0.4 else paint
    low = 0.006 if kind >= 2 and random.uniform() < 0.75 else 0.0
    body = [(r * radius, low + z * height) for r, z in _CUPS[kind]]
    level = low + random.uniform(0.72, 0.88) * height
    rim = body[-1][0]
    inside = [(0.9 * rim, low + height), (0.84 * rim, level)]
    colours = (paint, paint, second, paint)
    bands = [
        *(("body", p) for p in colours),
        ("rim", toned(paint, 1.2)),
        ("opening", toned(paint, 0.6)),
        ("opening", picked(random, _DRINKS, "plain", 0)),
    ]
    pieces = [*banded([*body, *inside], bands, 14), _handle(random, body, paint)]
    if low:
        wide = random.uniform(1.45, 1.75) * radius
        saucer = [(0.55 * wide, 0), (wide, 0.016), (0.62 * wide, low)]
        plates = [("saucer", toned(paint, tone)) for tone in (0.85, 1, 0.92)]
        pieces += banded(saucer, plates, 14)
    return standing(pieces)


def _handle(random: Random, body: list[Flat], paint: Paint) -> Piece:
    """From below the rim to the belly, bowed out to the right."""
    radii, heights = zip(*body, strict=True)
    tall = heights[-1] - heights[0]
    reach, middle = random.uniform(0.26, 0.33) * tall, random.uniform(0.5, 0.56) * tall + heights[0]
    bow = random.uniform(0.4, 0.62) * radii[-1]
    path = []
    for degrees in (-90, -50, -15, 20, 55, 90):
        angle = math.radians(degrees)
        z = middle + reach * math.sin(angle)
        wall = 0.95 * float(np.interp(z, heights, radii))
        path.append((0.0, -wall - bow * math.cos(angle), z))
    thickness = random.uniform(0.11, 0.15) * radii[-1]
    return Piece("handle", tube(path, thickness, (1, 0, 0)), toned(paint, 0.95))


def ball(random: Random) -> Model:
    """Patches, gores, rings or seams, lying as it came to rest."""
    pattern = (patched, gored, ringed, seamed)[random.choice(4, p=(0.35, 0.25, 0.2, 0.2))]
    radius = random.uniform(0.085, 0.125)
    pitch, roll = random.uniform(-math.pi, math.pi, 2)
    pieces = [
        replace(piece, mesh=piece.mesh.scaled(radius, radius, radius).pitched(pitch).rolled(roll))
        for piece in pattern(random)
    ]
    return standing(pieces, turned=True)
