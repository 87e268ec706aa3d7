"""What vehicles share: hulls that carry windows and doors, wheels, lamps, bumpers, mirrors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from boxlens.scenes.models.materials import picked, toned
from boxlens.scenes.models.model import Colour, Paint, Piece, Random
from boxlens.scenes.solids import Flat, Mesh, block, disc, plate, prism, wheel

SIDES = (-1, 1)  # right, left

TYRE = Paint((34, 34, 36), "grain", 0.12)
SHADOW = Paint((20, 20, 22), "plain", 0)
PLASTIC = Paint((52, 53, 56), "grain", 0.1)
LICENCE = Paint((225, 224, 210), "plain", 0)
HEADLIGHT = Paint((244, 242, 226), "plain", 0, shaded=False)
TAILLIGHT = Paint((196, 26, 24), "plain", 0, shaded=False)


@dataclass(frozen=True, slots=True)
class Hull:
    """A side view drawn out across the vehicle, narrower at its top; plates lie on its faces.

    The outline runs from the rear's bottom forward, up the front and back over the top.
    """

    outline: tuple[Flat, ...]
    width: float
    top_width: float

    @property
    def mesh(self) -> Mesh:
        return prism(self.outline, self.width, self.top_width)

    def half_width(self, z: float) -> float:
        heights = [height for _, height in self.outline]
        share = (z - min(heights)) / (max(heights) - min(heights))
        return (self.width + (self.top_width - self.width) * share) / 2

    def beside(self, outline: Sequence[Flat], facing: int, out: float = 0.0) -> Mesh:
        """A plate on the left (1) or right (-1), `out` metres off; outlined as the hull is."""
        points = [(x, facing * (self.half_width(z) + out), z) for x, z in outline]
        return plate(points if facing < 0 else points[::-1])

    def across(self, edge: int, width: Flat, height: Flat, out: float = 0.0) -> Mesh:
        """A plate on the face over one edge of the outline.

        `width` runs from the right (-1) to the left (1), `height` from its lower (0) to its upper
        end (1).
        """
        begin, end = self.outline[edge], self.outline[(edge + 1) % len(self.outline)]
        span = math.dist(begin, end)
        ahead, above = (end[1] - begin[1]) / span * out, (begin[0] - end[0]) / span * out
        stops = height if begin[1] <= end[1] else (1 - height[1], 1 - height[0])
        points = []
        for stop, ends in zip(stops, (width, width[::-1]), strict=True):
            x, z = (a + (b - a) * stop for a, b in zip(begin, end, strict=True))
            half = self.half_width(z)
            points += [(x + ahead, end * half, z + above) for end in ends]
        return plate(points)


def rectangle(x: Flat, z: Flat) -> list[Flat]:
    """From rear to front and from bottom to top, for `Hull.beside`."""
    return [(x[0], z[0]), (x[1], z[0]), (x[1], z[1]), (x[0], z[1])]


def glass(random: Random) -> Paint:
    """From clear to tinted, with more or less sky in it."""
    dark, sky = random.uniform(22, 46), random.uniform(0, 22)
    return Paint((dark, dark + sky * 0.6, dark + 6 + sky), "metal", 0.25, shaded=False)


def panes(
    hull: Hull, outlines: Sequence[Sequence[Flat]], screens: Sequence[Mesh], paint: Paint
) -> list[Piece]:
    """Windows: each outline on both sides, and the screens in front and behind."""
    beside = [hull.beside(outline, facing) for outline in outlines for facing in SIDES]
    return [Piece("window", mesh, paint, decal=True) for mesh in (*beside, *screens)]


def lacquer(random: Random, colours: Sequence[Colour]) -> Paint:
    return picked(random, colours, "metal", 0.06)


class Rim(NamedTuple):
    """A wheel's disc: its paint, and its part of the wheel's radius."""

    paint: Paint
    size: float


def some_rim(random: Random) -> Rim:
    grey = random.uniform(70, 215)
    return Rim(Paint((grey, grey, grey + 4), "metal", 0.1), random.uniform(0.52, 0.72))


def wheels(
    hull: Hull, axles: Sequence[float], radius: float, rim: Rim, arch: float = 1.2
) -> list[Piece]:
    """A pair on each axle under dark arches; `arch` 0 leaves these out."""
    low = min(z for _, z in hull.outline)
    outside, thick = hull.half_width(radius) + 0.015, 0.55 * radius
    tyre = wheel(radius, thick, 11)
    pieces = []
    for x in axles:
        for facing in SIDES:
            if arch:
                shade = hull.beside(_arch(x, radius, radius * arch, low), facing)
                pieces.append(Piece("wheel", shade, SHADOW, decal=True))
            placed = tyre.moved(x, facing * (outside - thick / 2), radius)
            cap = disc(
                (x, facing * (outside + 0.004), radius), rim.size * radius, facing=facing, sides=10
            )
            pieces.append(Piece("wheel", placed, TYRE))
            pieces.append(Piece("wheel", cap, rim.paint, decal=True))
    return pieces


def _arch(x: float, centre: float, radius: float, low: float) -> list[Flat]:
    dip = math.asin(max(min((centre - low) / radius, 1), -1))
    angles = [-dip + (math.pi + 2 * dip) * k / 8 for k in range(9)]
    return [(x + radius * math.cos(a), centre + radius * math.sin(a)) for a in angles]


def door(hull: Hull, x: Flat, z: Flat, paint: Paint, facing: int) -> list[Piece]:
    """A panel with a dark gap around it and a handle."""
    gap = 0.025
    wide = rectangle((x[0] - gap, x[1] + gap), (z[0] - gap, z[1]))
    grip = rectangle((x[0] + 0.06, x[0] + 0.26), (z[1] - 0.17, z[1] - 0.11))
    return [
        Piece("door", hull.beside(wide, facing), toned(paint, 0.35), decal=True),
        Piece("door", hull.beside(rectangle(x, z), facing, 0.008), paint, decal=True),
        Piece("door", hull.beside(grip, facing, 0.016), toned(paint, 0.45), decal=True),
    ]


def bumper(x: float, width: float, low: float, height: float, paint: Paint) -> list[Piece]:
    """A beam across the front (x > 0) or rear, with a licence plate."""
    facing = math.copysign(1, x)
    deep, face = 0.16, x + facing * 0.08
    beam = block(deep, width, height, (0.9, 0.98)).moved(x, 0, low)
    half, z = facing * 0.26, (low + 0.1 * height, low + 0.1 * height + 0.13)
    label = plate(
        [(face, -half, z[0]), (face, half, z[0]), (face, half, z[1]), (face, -half, z[1])]
    )
    return [Piece("bumper", beam, paint), Piece("bumper", label, LICENCE, decal=True)]


def mirrors(x: float, half_width: float, z: float, size: Flat, paint: Paint) -> list[Piece]:
    """Of a width and height, one on either side."""
    wide, high = size
    shell = block(0.45 * wide, wide, high, (0.8, 0.9))
    return [Piece("body", shell.moved(x, f * (half_width + wide / 2), z), paint) for f in SIDES]


def lamps(hull: Hull, edge: int, inner: float, height: Flat, paint: Paint) -> list[Piece]:
    """Two on the face over an edge, from `inner` (0 the middle, 1 the rim) round the corner."""
    part = "taillight" if paint is TAILLIGHT else "headlight"
    meshes = [hull.across(edge, span, height) for span in ((-1, -inner), (inner, 1))]
    # The rim of the first plate: up the front or down the rear, as the hull's outline runs.
    (x, _, z), (end_x, _, end_z) = meshes[0].corners[[0, 3]].tolist()
    back = -math.copysign(0.05 * hull.width, x)
    corner = [(x, z), (end_x, end_z), (end_x + back, end_z), (x + back, z)]
    meshes += [hull.beside(corner, facing) for facing in SIDES]
    return [Piece(part, mesh, paint, decal=True) for mesh in meshes]
