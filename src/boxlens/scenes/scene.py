"""One scene: its picture and its complete ground truth, from a seed and a number."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats
from boxlens.images import Pixels
from boxlens.scenes.backdrops import Canvas
from boxlens.scenes.camera import Camera
from boxlens.scenes.composing import colours, compose
from boxlens.scenes.drawing import draw
from boxlens.scenes.layout import Thing, plan_scene
from boxlens.scenes.models.model import Random
from boxlens.scenes.textures import SIDE, TEXTURES, tiles
from boxlens.scenes.truth import SceneObject, hardly_visible, read_truth

WIDTH_PX, HEIGHT_PX = 480, 360
SMALLEST_CROWD = 4


@dataclass(frozen=True, slots=True)
class Scene:
    """A rendered picture and what is in it."""

    pixels: Pixels
    objects: tuple[SceneObject, ...]
    setting: str


def render_scene(
    seed: int, number: int, width_px: int = WIDTH_PX, height_px: int = HEIGHT_PX
) -> Scene:
    """Scene `number` of the world `seed`: the same bytes wherever and whenever it is drawn."""
    random = np.random.RandomState([seed, number])
    plan = plan_scene(random, width_px, height_px)
    backdrop = plan.setting.backdrop(random, plan.camera)
    drawn = [
        (thing, draw(thing.model, thing.place, plan.camera, plan.light)) for thing in plan.things
    ]
    seen = [(thing, sprite) for thing, sprite in drawn if sprite is not None]
    things, sprites = [thing for thing, _ in seen], [sprite for _, sprite in seen]
    composite = compose(sprites, width_px, height_px)
    hidden = set(hardly_visible(things, sprites, composite))
    if hidden:
        # Taking something away uncovers others and hides none: once is enough.
        things = [thing for row, thing in enumerate(things) if row not in hidden]
        sprites = [sprite for row, sprite in enumerate(sprites) if row not in hidden]
        composite = compose(sprites, width_px, height_px)
    things = _without_thin_crowds(things)
    for thing in things:
        _cast_shadow(backdrop, thing, plan.camera)
    picture = _developed(random, colours(composite, sprites, backdrop))
    return Scene(picture, read_truth(things, sprites, composite), plan.setting.name)


def _without_thin_crowds(things: list[Thing]) -> list[Thing]:
    """What is left of a crowd when most of it does not show are single objects."""
    crowds = Counter(thing.crowd for thing in things if thing.crowd >= 0)
    thin = {crowd for crowd, count in crowds.items() if count < SMALLEST_CROWD}
    return [replace(thing, crowd=-1) if thing.crowd in thin else thing for thing in things]


def _cast_shadow(backdrop: Canvas, thing: Thing, camera: Camera) -> None:
    """A soft dark patch on the ground where the thing stands."""
    if thing.place.z > 0:
        return
    length, width, _ = thing.model.extent
    angles = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    cosine, sine = np.cos(thing.place.yaw), np.sin(thing.place.yaw)
    for reach in (0.62, 0.54, 0.46):
        x, y = np.cos(angles) * length * reach, np.sin(angles) * width * reach
        ring = np.stack([x * cosine - y * sine, x * sine + y * cosine, np.zeros(len(x))], axis=1)
        points, depth = camera.project(ring + np.array([thing.place.x, thing.place.y, 0]))
        if not depth.min() > 0.05:
            return
        _darken(backdrop, points)


def _darken(backdrop: Canvas, outline: Floats) -> None:
    height, width = backdrop.shape[:2]
    left, top = np.clip(np.floor(outline.min(axis=0)), 0, (width, height)).astype(int).tolist()
    right, bottom = np.clip(outline.max(axis=0) + 2, 0, (width, height)).astype(int).tolist()
    area = backdrop[top:bottom, left:right]
    if area.size:
        patch = np.zeros(area.shape[:2], dtype=np.uint8)
        ring = np.rint((outline - (left, top)) * 16).astype(np.int32)
        cv2.fillPoly(patch, [ring], 3, shift=4)
        area -= area * patch[..., None] >> 4


def _developed(random: Random, picture: Pixels) -> Pixels:
    """Exposure, colour balance and the noise of a sensor."""
    exposure = random.uniform(0.88, 1.12)
    gain = np.rint(256 * exposure * random.uniform(0.96, 1.04, 3)).astype(np.int32)
    height, width = picture.shape[:2]
    row = (np.arange(height) + random.randint(SIDE))[:, None] & (SIDE - 1)
    column = (np.arange(width) + random.randint(SIDE))[None, :] & (SIDE - 1)
    grain: npt.NDArray[np.int16] = tiles()[TEXTURES.index("grain")][row, column]
    noise = grain * np.int16(random.randint(1, 5)) >> 8
    brighter = (np.arange(256)[:, None] * gain >> 8).astype(np.int16)
    developed = np.stack([brighter[picture[..., k], k] + noise for k in range(3)], axis=-1)
    return np.asarray(np.clip(developed, 0, 255), dtype=np.uint8)
