"""Patterns of balls: patches, gores, rings and seams, each centred at the origin, of radius 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import combinations

import numpy as np

from boxlens.data.columns import Floats
from boxlens.scenes.models.assembly import some_faces
from boxlens.scenes.models.materials import lacquer, picked, toned
from boxlens.scenes.models.model import Paint, Piece, Random, palette
from boxlens.scenes.solids import Mesh, cylinder, ellipsoid, joined

_SIDES, _RINGS = 12, 8
_LEATHERS = palette("ce6a2c b2582e ded2ba becc3c")
_WHITE = Paint((238, 238, 234), "grain", 0.04)
_INK = Paint((34, 34, 38), "grain", 0.05)


def patched(random: Random) -> list[Piece]:
    """Twelve pentagons among twenty hexagons, as footballs are sewn."""
    ink = _INK if random.uniform() < 0.6 else lacquer(random, unlike=_WHITE)
    pentagons, hexagons = _football()
    return [Piece("body", hexagons, _WHITE), Piece("panel", pentagons, ink)]


@cache
def _football() -> tuple[Mesh, Mesh]:
    """An icosahedron with its corners cut off: the cuts, and what is left of its triangles."""
    points = _icosahedron()
    # Of the 66 pairs of the twelve corners, the 30 nearest are edges.
    pairs = sorted(combinations(range(12), 2), key=lambda p: float(points[p[0]] @ points[p[1]]))
    near = {a: {b for pair in pairs[-30:] for b in pair if a in pair and b != a} for a in range(12)}
    triangles = [
        trio
        for trio in combinations(range(12), 3)
        if all(b in near[a] for a, b in combinations(trio, 2))
    ]

    def between(a: int, b: int) -> Floats:
        cut = (2 * points[a] + points[b]) / 3
        return np.asarray(cut / np.linalg.norm(cut))

    pentagons = [_around([between(a, b) for b in sorted(near[a])]) for a in range(12)]
    hexagons = [_around([between(a, b) for a in t for b in t if a != b]) for t in triangles]
    return _domed(pentagons), _domed(hexagons)


def gored(random: Random) -> list[Piece]:
    """Segments from pole to pole in two or three colours, as on beach balls."""
    ball = ellipsoid(1, 1, 1, _SIDES, _RINGS)
    first = lacquer(random, unlike=_WHITE)
    second, pole = lacquer(random, unlike=first), lacquer(random, unlike=_WHITE)
    paints = [first, _WHITE, second] if random.uniform() < 0.6 else [first, _WHITE]
    pieces = []
    for k, paint in enumerate(paints):
        rows = [
            row
            for row in range(_SIDES, (_RINGS - 1) * _SIDES)
            if row % _SIDES // 2 % len(paints) == k
        ]
        pieces.append(Piece("panel" if k else "body", some_faces(ball, rows), paint))
    ends = [row for row in range(len(ball.faces)) if not _SIDES <= row < (_RINGS - 1) * _SIDES]
    return [*pieces, Piece("pole", some_faces(ball, ends), pole)]


def ringed(random: Random) -> list[Piece]:
    """Two colours, with one or two bands around the middle."""
    ball = ellipsoid(1, 1, 1, _SIDES, _RINGS)
    body = lacquer(random)
    band = lacquer(random, unlike=body)
    rings = ({3, 4}, {2, 5}, {1, 2, 5, 6})[random.randint(3)]
    striped = [row for row in range(_RINGS * _SIDES) if row // _SIDES in rings]
    rest = [row for row in range(len(ball.faces)) if row not in set(striped)]
    return [
        Piece("body", some_faces(ball, rest), body),
        Piece("panel", some_faces(ball, striped), band),
    ]


def seamed(random: Random) -> list[Piece]:
    """One leather with dark grooves along circles, as on basketballs."""
    leather = picked(random, _LEATHERS, "stone", 0.1)
    ball = ellipsoid(1, 1, 1, _SIDES, _RINGS)

    def groove(radius: float, sides: int) -> Mesh:
        return some_faces(cylinder(radius, 0.07, sides=sides).moved(z=-0.035), range(sides))

    # As many sides as the ball has where the groove runs, or its facets would cover it.
    upright = groove(1.02, 2 * _RINGS)
    grooves = [groove(1.02, _SIDES), upright.pitched(math.pi / 2), upright.rolled(math.pi / 2)]
    grooves += [groove(0.8, _SIDES).moved(z=height) for height in (0.62, -0.62)]
    return [Piece("body", ball, leather), Piece("seam", joined(grooves), toned(leather, 0.28))]


def _icosahedron() -> Floats:
    golden = (1 + math.sqrt(5)) / 2
    flat = [(0, a, b * golden) for a in (1, -1) for b in (1, -1)]
    points = np.array(
        [tuple(np.roll(point, k)) for k in range(3) for point in flat], dtype=np.float64
    )
    return np.asarray(points / np.linalg.norm(points[0]))


def _around(points: Sequence[Floats]) -> Floats:
    """Points of one patch, counter-clockwise seen from outside."""
    corners = np.array(points)
    middle = corners.mean(axis=0)
    across = corners[0] - middle
    upward = np.cross(middle, across) / np.linalg.norm(middle)
    angles = np.arctan2((corners - middle) @ upward, (corners - middle) @ across)
    return np.asarray(corners[np.argsort(angles)])


def _domed(patches: Sequence[Floats]) -> Mesh:
    """Hexagons as three kites about a middle raised to the sphere; pentagons stay flat."""
    made = []
    for ring in patches:
        n = len(ring)
        if n == 6:
            middle = ring.mean(axis=0)
            corners = np.vstack([ring, middle / np.linalg.norm(middle)])
            made.append(Mesh(corners, tuple((6, k, k + 1, (k + 2) % 6) for k in (0, 2, 4))))
        else:
            made.append(Mesh(ring, (tuple(range(n)),)))
    return joined(made)
