"""A model, put somewhere in the world, as the faces a camera sees of it.

Everything is drawn at twice the picture's size: colours are averaged for smooth edges, the truth is
read at one sample a pixel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt

from boxlens.scenes.faces import Faces, planes

if TYPE_CHECKING:
    from boxlens.data.columns import Floats
    from boxlens.scenes.camera import Camera
    from boxlens.scenes.faces import Codes, Place
    from boxlens.scenes.models.model import Colour, Model

FINENESS = 2  # samples a pixel, each way
_FIXED_POINT = 4  # bits below the sample in the coordinates that OpenCV draws
_NEAREST = 0.05  # metres before the camera within which nothing may be

Samples = npt.NDArray[np.int32]
Nearness = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Light:
    """Where the sun or lamp is, how bright shadows are, and what distance fades into."""

    direction: tuple[float, float, float]
    ambient: float
    haze: Colour
    # Metres over which half of a colour is lost.
    haze_length: float


@dataclass(frozen=True, slots=True)
class Sprite:
    """The faces seen of one model alone, in a window of samples that may leave the picture."""

    left: int
    top: int
    face_at: Samples  # -1 where nothing is
    nearness: Nearness  # 1 / depth, 0 where nothing is
    face_rgb: Codes
    face_texture: Codes
    face_strength: Codes
    face_part: Codes
    face_side: Codes


def draw(model: Model, place: Place, camera: Camera, light: Light) -> Sprite | None:
    """None where the model is behind the camera, out of sight or much larger than the picture."""
    faces = Faces.of(model, place)
    points, depth = camera.project(faces.corners)
    if not depth.min() > _NEAREST:
        return None
    samples = points * FINENESS
    # Even, so that every second sample of the window is every second sample of the picture.
    left, top = (math.floor(value / 2) * 2 - 2 for value in samples.min(axis=0).tolist())
    right, bottom = (math.ceil(value) + 3 for value in samples.max(axis=0).tolist())
    width, height = camera.width_px * FINENESS, camera.height_px * FINENESS
    if right < 0 or bottom < 0 or left > width or top > height:
        return None
    if right - left > 2 * width or bottom - top > 2 * height:
        return None
    sheet = planes(faces, camera)
    sheet[:, :2] /= FINENESS
    sheet[:, 2] += sheet[:, 0] * left + sheet[:, 1] * top
    face_at = np.full((bottom - top, right - left), -1, dtype=np.int32)
    nearness = np.zeros(face_at.shape, dtype=np.float32)
    fixed = np.rint((samples - (left, top)) * (1 << _FIXED_POINT)).astype(np.int32)
    rings = fixed[faces.rings]
    first = rings.min(axis=1) >> _FIXED_POINT
    last = (rings.max(axis=1) >> _FIXED_POINT) + 2
    nearest = 1 / (depth[faces.rings].min(axis=1) - faces.lift)
    for row in np.flatnonzero(np.isfinite(sheet[:, 2])).tolist():
        window = (*first[row].tolist(), *last[row].tolist())
        _fill(face_at, nearness, rings[row], window, sheet[row], nearest[row], row)
    return Sprite(
        left=left,
        top=top,
        face_at=face_at,
        nearness=nearness,
        face_rgb=_lit(faces, light, float(depth.mean())),
        face_texture=faces.texture,
        face_strength=faces.strength,
        face_part=faces.part,
        face_side=faces.side,
    )


def _fill(
    face_at: Samples,
    nearness: Nearness,
    ring: Samples,
    window: tuple[int, int, int, int],
    plane: Floats,
    nearest: np.float64,
    face_row: int,
) -> None:
    """Draws one face wherever it is nearer than what is there."""
    left, top, right, bottom = window
    inside = np.zeros((bottom - top, right - left), dtype=np.uint8)
    offset = (-left << _FIXED_POINT, -top << _FIXED_POINT)
    cv2.fillPoly(inside, [ring + np.array(offset, dtype=np.int32)], 1, shift=_FIXED_POINT)
    per_column, per_row, constant = plane.tolist()
    along = (per_column * np.arange(left, right)).astype(np.float32)
    down = (per_row * np.arange(top, bottom) + constant).astype(np.float32)
    near = along[None, :] + down[:, None]
    # Samples on the border lie a little outside: a steep plane would run away there.
    np.minimum(near, np.float32(nearest), out=near)
    before = nearness[top:bottom, left:right]
    drawn = inside.view(np.bool_) & (near > before)
    np.copyto(before, near, where=drawn)
    np.copyto(face_at[top:bottom, left:right], face_row, where=drawn)


def _lit(faces: Faces, light: Light, depth: float) -> Codes:
    """The colour of each face under the light, faded by the haze."""
    facing = np.clip(faces.normals @ np.array(light.direction), 0, 1)
    sky = 0.8 + 0.2 * faces.normals[:, 2]
    bright = light.ambient * sky + (1 - light.ambient) * facing
    colour = faces.colour * np.where(faces.shaded, bright, 1)[:, None]
    kept = light.haze_length / (light.haze_length + depth)
    faded = colour * kept + np.array(light.haze) * (1 - kept)
    return np.rint(np.clip(faded, 0, 255)).astype(np.int16)
