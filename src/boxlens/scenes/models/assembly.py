"""Shapes that several models share, and how loose pieces become a model that stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boxlens.scenes.models.model import Model, Paint, Piece, Random
from boxlens.scenes.solids import Flat, Mesh, Point, block, faces_over, lathe


def standing(
    pieces: Sequence[Piece], *, turned: bool = False, stands_at: float | None = None
) -> Model:
    """The pieces as a model, their extent centred about the origin and lowest at z = 0."""
    corners = np.concatenate([piece.mesh.corners for piece in pieces])
    low, high = corners.min(axis=0), corners.max(axis=0)
    x, y, z = (-(low[0] + high[0]) / 2, -(low[1] + high[1]) / 2, -low[2])
    moved = tuple(replace(piece, mesh=piece.mesh.moved(x, y, z)) for piece in pieces)
    return Model(moved, turned=turned, stands_at=None if stands_at is None else stands_at + z)


def padded(length: float, width: float, height: float, bevel: float) -> Mesh:
    """A block whose edges are cut off: cushions, seats, soft backs."""
    rings = [(bevel, 0.0), (0.0, bevel), (0.0, height - bevel), (bevel, height)]
    square = lathe([(1, z) for _, z in rings], 4).yawed(math.pi / 4)
    inset = np.repeat([cut for cut, _ in rings], 4)[:, None]
    corners = square.corners.copy()
    corners[:, :2] = np.sign(corners[:, :2]) * (np.array([length, width]) / 2 - inset)
    return Mesh(corners, square.faces)


def post(foot: Flat, head: Point, foot_thickness: float, head_thickness: float) -> Mesh:
    """A square leg from the ground to a point, level at both ends."""
    taper = head_thickness / foot_thickness
    upright = block(foot_thickness, foot_thickness, head[2], (taper, taper))
    lean = np.array([head[0] - foot[0], head[1] - foot[1], 0]) / head[2]
    corners = upright.corners + upright.corners[:, 2:] * lean
    return Mesh(corners, upright.faces).moved(foot[0], foot[1])


def tube(path: Sequence[Point], radius: float, normal: Point, sides: int = 6) -> Mesh:
    """A bent rod through points of a plane with this normal: handles, lamp arms."""
    points = np.array(path, dtype=np.float64)
    upward = np.array(normal, dtype=np.float64)
    ahead = np.gradient(points, axis=0)
    across = np.cross(upward, ahead / np.linalg.norm(ahead, axis=1, keepdims=True))
    turns = [2 * math.pi * k / sides for k in range(sides)]
    rings = [points + radius * (across * math.cos(t) + upward * math.sin(t)) for t in turns]
    return Mesh(np.stack(rings, axis=1).reshape(-1, 3), faces_over(len(path), sides))


def lumpy(mesh: Mesh, random: Random, amount: float) -> Mesh:
    """Stirred by smooth waves, so that corners at one place stay together: rocks, leafage."""
    size = np.abs(mesh.corners).max()
    waves = random.normal(0, 2.6, (3, 4))
    height = np.sin(mesh.corners / size @ waves + random.uniform(0, 2 * math.pi, 4)).mean(axis=1)
    return Mesh(mesh.corners * (1 + 2 * amount * height)[:, None], mesh.faces)


def some_faces(mesh: Mesh, rows: Sequence[int]) -> Mesh:
    """An open part of a mesh: a label around half a bottle, every other gore of a ball."""
    used = sorted({corner for row in rows for corner in mesh.faces[row]})
    place = {corner: k for k, corner in enumerate(used)}
    faces = tuple(tuple(place[corner] for corner in mesh.faces[row]) for row in rows)
    return Mesh(mesh.corners[used], faces)


def banded(
    profile: Sequence[Flat], bands: Sequence[tuple[str, Paint]], sides: int = 12
) -> list[Piece]:
    """A lathe whose rings, from the bottom up, and last its lid are parts and paints of their own.

    The underside belongs to the first ring.
    """
    mesh = lathe(profile, sides)
    ring = mesh.faces[:sides]
    underside, lid = tuple(range(sides - 1, -1, -1)), tuple(range(sides))
    rows = [slice(k * sides, (k + 2) * sides) for k in range(len(profile) - 1)]
    meshes = [Mesh(mesh.corners[own], ring) for own in rows]
    meshes[0] = Mesh(meshes[0].corners, (*ring, underside))
    meshes.append(Mesh(mesh.corners[-sides:], (lid,)))
    return [Piece(part, own, paint) for own, (part, paint) in zip(meshes, bands, strict=True)]
