"""All faces of a model at its place in the world, and the planes they are in a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Floats, Rows
from boxlens.scenes.camera import Camera
from boxlens.scenes.models.model import Model, Piece
from boxlens.scenes.textures import TEXTURES

SIDES = ("front", "rear", "side", "top", "bottom")
# A decal lies this part of its model's size before the surface that carries it.
_DECAL_LIFT = 0.008

Codes = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a model stands: ground point, height above it and the way it faces."""

    x: float
    y: float
    z: float = 0.0
    yaw: float = 0.0


@dataclass(frozen=True, slots=True)
class Faces:
    """All faces of a model in world space, one row each."""

    corners: Floats
    rings: Rows  # n x most corners; the last corner of a shorter face is repeated
    normals: Floats
    colour: Floats
    shaded: Bools
    lift: Floats  # metres by which decals come nearer
    texture: Codes  # rows of TEXTURES
    strength: Codes  # in 256ths
    part: Codes  # rows of the model's parts
    side: Codes  # rows of SIDES

    @classmethod
    def of(cls, model: Model, place: Place) -> Faces:
        pieces = model.pieces
        counts = [len(piece.mesh.faces) for piece in pieces]
        cosine, sine = math.cos(place.yaw), math.sin(place.yaw)
        turn = np.array([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]])
        own = np.concatenate([piece.mesh.corners for piece in pieces])
        rings = _rings(pieces)
        own_normals = _normals(own, rings)
        part_row = {name: row for row, name in enumerate(model.parts)}
        lift = _DECAL_LIFT * max(model.extent)

        def each(values: list[float]) -> Floats:
            return np.repeat(np.array(values, dtype=np.float64), counts)

        return cls(
            corners=own @ turn + (place.x, place.y, place.z),
            rings=rings,
            normals=own_normals @ turn,
            colour=_colours(pieces, counts),
            shaded=each([piece.paint.shaded for piece in pieces]).astype(np.bool_),
            lift=each([lift if piece.decal else 0 for piece in pieces]),
            texture=each([TEXTURES.index(p.paint.texture) for p in pieces]).astype(np.int16),
            strength=np.rint(each([p.paint.strength * 256 for p in pieces])).astype(np.int16),
            part=each([part_row[piece.part] for piece in pieces]).astype(np.int16),
            side=_sides(own_normals, turned=model.turned),
        )


def _rings(pieces: tuple[Piece, ...]) -> Rows:
    most = max(len(face) for piece in pieces for face in piece.mesh.faces)
    rings: list[list[int]] = []
    begin = 0
    for piece in pieces:
        for face in piece.mesh.faces:
            padded = (*face, *face[-1:] * (most - len(face)))
            rings.append([begin + corner for corner in padded])
        begin += len(piece.mesh.corners)
    return np.array(rings, dtype=np.int32)


def _colours(pieces: tuple[Piece, ...], counts: list[int]) -> Floats:
    plain = np.array([piece.paint.colour for piece in pieces], dtype=np.float64)
    colour = np.repeat(plain, counts, axis=0)
    end = 0
    for piece, count in zip(pieces, counts, strict=True):
        end += count
        if piece.face_colours is not None:
            colour[end - count : end] = piece.face_colours
    return colour


def _normals(corners: Floats, rings: Rows) -> Floats:
    """Unit normals by Newell's sum, which no corner of a bent face can spoil."""
    ring = corners[rings]
    x, y, z = np.moveaxis(ring, 2, 0)
    after_x, after_y, after_z = np.moveaxis(np.roll(ring, -1, axis=1), 2, 0)
    total = np.stack(
        [
            (y * after_z - z * after_y).sum(axis=1),
            (z * after_x - x * after_z).sum(axis=1),
            (x * after_y - y * after_x).sum(axis=1),
        ],
        axis=1,
    )
    lengths = np.linalg.norm(total, axis=1, keepdims=True)
    return np.asarray(total / np.where(lengths > 0, lengths, 1))


def planes(faces: Faces, camera: Camera) -> Floats:
    """Nearness of each face as a plane over the picture: column, row and constant term.

    What is flat in space is flat in 1 / depth. A face seen from behind gets NaN.
    """
    # Repeated corners count here: the plane of a bent face leans to its last one, and stays
    # between its corners. Other weights would change the bytes of every seed's scenes.
    centre = faces.corners[faces.rings].mean(axis=1)
    cosine, sine = math.cos(camera.pitch), math.sin(camera.pitch)
    x, y, z = faces.normals.T
    normal = np.stack([x, y * cosine - z * sine, y * sine + z * cosine], axis=1)
    middle, away = camera.project(centre)
    ray = np.stack(
        [
            (middle[:, 0] - camera.width_px / 2) / camera.focal_px,
            np.ones(len(centre)),
            (camera.height_px / 2 - middle[:, 1]) / camera.focal_px,
        ],
        axis=1,
    )
    distance = (normal * ray).sum(axis=1) * away
    towards = np.where(distance < -1e-9, distance, np.nan)
    per_column = normal[:, 0] / camera.focal_px / towards
    per_row = -normal[:, 2] / camera.focal_px / towards
    constant = 1 / (away - faces.lift) - per_column * middle[:, 0] - per_row * middle[:, 1]
    return np.stack([per_column, per_row, constant], axis=1)


def _sides(normals: Floats, *, turned: bool) -> Codes:
    """Which side of the object each face belongs to: the nearest of the six directions."""
    x, y, z = normals.T
    if turned:
        x, y = np.zeros(len(x)), np.hypot(x, y)
    toward = np.stack([x, -x, np.abs(y), z, -z], axis=1)
    side: Codes = np.argmax(toward, axis=1).astype(np.int16)
    return side
