"""Solid shapes as meshes: what the models of the world are made of.

Object space is metres: x forward, y to the left, z up, the ground at z = 0. Faces run
counter-clockwise seen from outside, so that those turned away need not be drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boxlens.data.columns import Floats

Point = tuple[float, float, float]
Flat = tuple[float, float]
Face = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mesh:
    """Corners (n x 3) and faces as rows of corners."""

    corners: Floats
    faces: tuple[Face, ...]

    def moved(self, x: float = 0, y: float = 0, z: float = 0) -> Mesh:
        return Mesh(self.corners + np.array([x, y, z]), self.faces)

    def scaled(self, x: float = 1, y: float = 1, z: float = 1) -> Mesh:
        """Factors above 0: a mirror would turn the faces inside out."""
        return Mesh(self.corners * np.array([x, y, z]), self.faces)

    def pitched(self, angle: float, about: Point = (0, 0, 0)) -> Mesh:
        """Turned about the y axis: a positive angle lowers the front."""
        return self._turned(0, 2, -angle, about)

    def rolled(self, angle: float, about: Point = (0, 0, 0)) -> Mesh:
        """Turned about the x axis: a positive angle lowers the right."""
        return self._turned(1, 2, angle, about)

    def yawed(self, angle: float, about: Point = (0, 0, 0)) -> Mesh:
        """Turned about the z axis: a positive angle turns the front to the left."""
        return self._turned(0, 1, angle, about)

    def _turned(self, first: int, second: int, angle: float, about: Point) -> Mesh:
        corners = self.corners - np.array(about)
        a, b = corners[:, first].copy(), corners[:, second].copy()
        corners[:, first] = a * math.cos(angle) - b * math.sin(angle)
        corners[:, second] = a * math.sin(angle) + b * math.cos(angle)
        return Mesh(corners + np.array(about), self.faces)


def block(length: float, width: float, height: float, taper: Flat = (1, 1)) -> Mesh:
    """A box standing on the ground about the origin; `taper` scales its top in x and y."""
    x, y = length / 2, width / 2
    bottom = [(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)]
    top = [(a * taper[0], b * taper[1], height) for a, b, _ in bottom]
    sides = [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    return _mesh([*bottom, *top], [(3, 2, 1, 0), (4, 5, 6, 7), *sides])


def prism(outline: Sequence[Flat], width: float, top_width: float | None = None) -> Mesh:
    """An outline in x, z (counter-clockwise seen from the right, -y) drawn out along y.

    With `top_width` the solid narrows from its lowest to its highest point, as a car's cabin does.
    """
    heights = [z for _, z in outline]
    low, span = min(heights), max(max(heights) - min(heights), 1e-9)
    narrow = width if top_width is None else top_width
    half = [(width + (narrow - width) * (z - low) / span) / 2 for _, z in outline]
    right = [(x, -h, z) for (x, z), h in zip(outline, half, strict=True)]
    left = [(x, h, z) for (x, z), h in zip(outline, half, strict=True)]
    n = len(outline)
    around = [(k, n + k, n + (k + 1) % n, (k + 1) % n) for k in range(n)]
    return _mesh([*right, *left], [tuple(range(n)), tuple(range(2 * n - 1, n - 1, -1)), *around])


def lathe(profile: Sequence[Flat], sides: int = 14) -> Mesh:
    """A surface of revolution about the z axis: (radius, height) from the bottom up, closed."""
    ring = [2 * math.pi * k / sides for k in range(sides)]
    corners = [(r * math.cos(a), r * math.sin(a), z) for r, z in profile for a in ring]
    return _mesh(corners, faces_over(len(profile), sides))


def faces_over(n_rings: int, sides: int) -> tuple[Face, ...]:
    """A closed surface over rings of corners: band by band, then the first end and the last."""
    last = (n_rings - 1) * sides
    bands = [
        (i + k, i + (k + 1) % sides, i + sides + (k + 1) % sides, i + sides + k)
        for i in range(0, last, sides)
        for k in range(sides)
    ]
    return (*bands, tuple(range(sides - 1, -1, -1)), tuple(range(last, last + sides)))


def cylinder(
    radius: float, height: float, top_radius: float | None = None, sides: int = 14
) -> Mesh:
    """Upright on the ground; other axes by turning it."""
    upper = radius if top_radius is None else top_radius
    return lathe([(radius, 0), (upper, height)], sides)


def wheel(radius: float, width: float, sides: int = 16) -> Mesh:
    """A cylinder about the y axis, its centre at the origin."""
    return cylinder(radius, width, sides=sides).moved(z=-width / 2).rolled(math.pi / 2)


def ellipsoid(x: float, y: float, z: float, sides: int = 14, rings: int = 9) -> Mesh:
    """Half axes; its centre at the origin."""
    angles = [math.pi * (k / rings - 0.5) for k in range(rings + 1)]
    ends = (1e-3, *(math.cos(a) for a in angles[1:-1]), 1e-3)
    profile = [(r, math.sin(a)) for r, a in zip(ends, angles, strict=True)]
    return lathe(profile, sides).scaled(x, y, z)


def limb(start: Point, end: Point, radius: float, end_radius: float, sides: int = 8) -> Mesh:
    """A cone's frustum from one point to another: legs, necks, tails, rods."""
    along = _unit(tuple(b - a for a, b in zip(start, end, strict=True)))
    aside = (0.0, 1.0, 0.0) if abs(along[1]) < 0.9 else (1.0, 0.0, 0.0)
    across = _unit(_cross(aside, along))
    upward = _cross(along, across)
    corners = [
        tuple(
            middle + size * (a * math.cos(turn) + u * math.sin(turn))
            for middle, a, u in zip(centre, across, upward, strict=True)
        )
        for centre, size in ((start, radius), (end, end_radius))
        for turn in (2 * math.pi * k / sides for k in range(sides))
    ]
    return _mesh(corners, faces_over(2, sides))


def plate(points: Sequence[Point]) -> Mesh:
    """One flat face, counter-clockwise seen from outside: windows, lamps, labels."""
    return _mesh(points, [tuple(range(len(points)))])


def disc(centre: Point, radius: float, *, facing: float, sides: int = 14) -> Mesh:
    """A round plate that faces the left (facing = 1) or the right (-1), as a wheel's hub does."""
    x, y, z = centre
    ring = [-facing * 2 * math.pi * k / sides for k in range(sides)]
    return plate([(x + radius * math.cos(a), y, z + radius * math.sin(a)) for a in ring])


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one."""
    faces: list[Face] = []
    begin = 0
    for mesh in meshes:
        faces += [tuple(begin + corner for corner in face) for face in mesh.faces]
        begin += len(mesh.corners)
    return Mesh(np.concatenate([mesh.corners for mesh in meshes]), tuple(faces))


def _cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _unit(vector: Sequence[float]) -> Point:
    x, y, z = vector
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


def _mesh(corners: Sequence[Sequence[float]], faces: Sequence[Face]) -> Mesh:
    return Mesh(np.array(corners, dtype=np.float64), tuple(faces))
