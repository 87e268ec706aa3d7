"""A model, put somewhere in the world, as the faces a camera sees of it.

Everything is drawn at twice the picture's size: colours are averaged for smooth edges, the truth is
read at one sample per pixel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens._kernel import fill_faces
from boxlens.scenes.camera import Camera
from boxlens.scenes.faces import Codes, Faces, Place, planes
from boxlens.scenes.models.model import Colour, Model

FINENESS = 2  # samples a pixel, each way
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
    # Whole sixteenths of a sample: what a processor makes of the last bit cannot matter.
    fixed = np.rint((samples - (left, top)) * 16) / 16
    face_at, nearness = fill_faces(
        rings=fixed[faces.rings],
        planes=sheet,
        # Rounded corners lie a little outside: a steep plane would run away there.
        nearest=1 / (depth[faces.rings].min(axis=1) - faces.lift),
        width=right - left,
        height=bottom - top,
    )
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


def _lit(faces: Faces, light: Light, depth: float) -> Codes:
    """The colour of each face under the light, faded by the haze."""
    facing = np.clip(faces.normals @ np.array(light.direction), 0, 1)
    sky = 0.8 + 0.2 * faces.normals[:, 2]
    bright = light.ambient * sky + (1 - light.ambient) * facing
    colour = faces.colour * np.where(faces.shaded, bright, 1)[:, None]
    kept = light.haze_length / (light.haze_length + depth)
    faded = colour * kept + np.array(light.haze) * (1 - kept)
    return np.rint(np.clip(faded, 0, 255)).astype(np.int16)
