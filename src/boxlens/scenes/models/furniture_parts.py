"""What furniture is put together from: sets of legs, pedestals, seats."""

from __future__ import annotations

import math
from itertools import pairwise

from boxlens.scenes.models.assembly import post
from boxlens.scenes.models.model import Paint, Piece
from boxlens.scenes.solids import Mesh, Point, block, cylinder, joined, lathe, limb

CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def four_legs(
    half: tuple[float, float],
    height: float,
    thickness: float,
    *,
    splay: float = 0,
    taper: float = 1,
    rounded: bool = False,
) -> Mesh:
    """Below the corners of a seat or top; `taper` thins the foot, `splay` sets it outwards."""
    legs = []
    for x, y in CORNERS:
        head = (x * half[0], y * half[1], height)
        foot = (head[0] + x * splay, head[1] + y * splay)
        if rounded:
            legs.append(limb((*foot, 0), head, thickness * taper / 2, thickness / 2, 6))
        else:
            legs.append(post(foot, head, thickness * taper, thickness))
    return joined(legs)


def ring_of_legs(n_legs: int, radii: tuple[float, float], height: float, thickness: float) -> Mesh:
    """Round legs about the middle, from a radius at the ground to one at the top."""
    legs = []
    for k in range(n_legs):
        angle = 2 * math.pi * (k + 0.5) / n_legs
        x, y = math.cos(angle), math.sin(angle)
        head = (x * radii[1], y * radii[1], height)
        foot = (x * radii[0], y * radii[0], 0.0)
        legs.append(limb(foot, head, 0.38 * thickness, thickness / 2, 6))
    return joined(legs)


def bar(start: Point, end: Point, thickness: float) -> Mesh:
    """A thin rod between two points: stretchers, rails."""
    return limb(start, end, thickness / 2, thickness / 2, 4)


def ring_of_bars(n_bars: int, radius: float, height: float, thickness: float) -> Mesh:
    """Rods around the middle, with ends where `ring_of_legs` has its legs."""
    angles = [2 * math.pi * (k + 0.5) / n_bars for k in range(n_bars + 1)]
    ends = [(radius * math.cos(angle), radius * math.sin(angle), height) for angle in angles]
    return joined([bar(a, b, thickness) for a, b in pairwise(ends)])


def disc_pedestal(radius: float, height: float, column: float) -> Mesh:
    """A column on a round foot."""
    foot = [(radius, 0), (0.97 * radius, 0.016), (1.6 * column, 0.04), (column, 0.08)]
    return lathe([*foot, (column, height)], 12)


def star_pedestal(reach: float, height: float, column: float) -> Mesh:
    """A column on five arms with castors, as office chairs have."""
    made = [cylinder(column, height - 0.07, sides=6).moved(z=0.07)]
    made.append(cylinder(1.7 * column, 0.45 * (height - 0.07), sides=6).moved(z=0.07))
    for k in range(5):
        angle = 2 * math.pi * k / 5
        x, y = reach * math.cos(angle), reach * math.sin(angle)
        made.append(limb((0, 0, 0.1), (x, y, 0.065), 0.026, 0.016, 4))
        made.append(cylinder(0.03, 0.055, 0.024, sides=5).moved(x, y))
    return joined(made)


def board(
    part: str, paint: Paint, size: tuple[float, float, float], at: tuple[float, float, float]
) -> Piece:
    """A plain block, its underside centred at a point."""
    return Piece(part, block(*size).moved(*at), paint)
