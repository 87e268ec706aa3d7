"""What stands behind everything: sky, hills and houses outdoors, walls indoors, and the ground."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats
from boxlens.scenes.camera import Camera
from boxlens.scenes.models.model import Colour, Random
from boxlens.scenes.textures import SIDE, TEXTURES, tiles

Canvas = npt.NDArray[np.int16]  # rows x columns x RGB


@dataclass(frozen=True, slots=True)
class Ground:
    """Where the ground's samples lie in the world: rows from the horizon or wall downwards."""

    first_row: int
    x: Floats  # rows x columns
    y: Floats  # one per row

    @classmethod
    def seen_by(cls, camera: Camera, farthest: float) -> Ground:
        """The ground nearer than `farthest` metres."""
        rows = np.arange(camera.height_px) + 0.5
        columns = np.arange(camera.width_px) + 0.5
        down = (rows - camera.height_px / 2) / camera.focal_px
        right = (columns - camera.width_px / 2) / camera.focal_px
        cosine, sine = math.cos(camera.pitch), math.sin(camera.pitch)
        falling = sine + down * cosine
        reach = camera.height / np.where(falling > 1e-6, falling, np.nan)
        y = (cosine - down * sine) * reach
        seen = np.flatnonzero(y < farthest)
        first = int(seen[0]) if len(seen) else len(rows)
        return cls(first, right[None, :] * reach[first:, None], y[first:])


def street(random: Random, camera: Camera) -> Canvas:
    """A road between pavements, houses along the far side, sky above."""
    canvas = _sky(random, camera)
    ground = Ground.seen_by(camera, random.uniform(55, 90))
    _houses(random, camera, canvas, ground.first_row)
    bright = random.uniform(80, 125)
    asphalt = (bright, bright, bright * random.uniform(0.98, 1.06))
    pavement = _varied(random, (165, 160, 150), 18)
    colour = np.full((*ground.x.shape, 3), pavement)
    middle, half = random.uniform(-3, 3), random.uniform(3.5, 7)
    across = random.uniform(-0.12, 0.12)
    offset = ground.x - middle - across * ground.y[:, None]
    road = np.abs(offset) < half
    colour[road] = asphalt
    slabs = (np.floor(ground.x / 1.2) + np.floor(ground.y / 1.2)[:, None]) % 2 == 0
    colour[slabs & ~road] *= 0.94
    colour[np.abs(np.abs(offset) - half) < 0.12] = (190, 188, 182)
    dashes = (np.abs(offset) < 0.08) & ((np.floor(ground.y / 3) % 2 == 0)[:, None])
    colour[dashes] = (225, 225, 215)
    return _laid(canvas, ground, colour, "stone", 26, 0.18)


def field(random: Random, camera: Camera) -> Canvas:
    """Grass or dry earth before hills."""
    canvas = _sky(random, camera)
    ground = Ground.seen_by(camera, 300)
    _hills(random, canvas, ground.first_row)
    grass = random.random_sample() < 0.75
    base = _varied(random, (96, 132, 60) if grass else (165, 140, 95), 22)
    colour = np.full((*ground.x.shape, 3), base)
    patches = _tile_at("leaves", ground.x * 1.7, ground.y[:, None] * 1.7) > 40
    colour[patches] = np.array(base) * random.uniform(0.8, 0.92)
    if random.random_sample() < 0.4:
        path = np.abs(
            ground.x - random.uniform(-4, 4) - random.uniform(-0.2, 0.2) * ground.y[:, None]
        )
        colour[path < random.uniform(0.7, 1.4)] = _varied(random, (185, 165, 125), 12)
    return _laid(canvas, ground, colour, "leaves", 40, 0.30)


def room(random: Random, camera: Camera) -> Canvas:
    """A floor of planks, tiles or carpet before a wall."""
    return _indoors(random, camera, farthest=random.uniform(5.5, 8.5), unit=1.0)


def table_top(random: Random, camera: Camera) -> Canvas:
    """The top of a table before a wall, seen from near."""
    return _indoors(random, camera, farthest=random.uniform(1.5, 2.4), unit=0.3)


def _sky(random: Random, camera: Camera) -> Canvas:
    height, width = camera.height_px, camera.width_px
    blue = random.random_sample() < 0.7
    top = np.array(_varied(random, (95, 145, 205) if blue else (150, 158, 168), 15))
    low = np.array(_varied(random, (205, 218, 228), 12))
    share = np.clip(np.arange(height) / max(camera.horizon_px, 1), 0, 1)[:, None, None]
    colour = top * (1 - share) + low * share
    canvas = np.repeat(colour, width, axis=1)
    row, column = np.arange(height)[:, None], np.arange(width)[None, :]
    shift = random.randint(0, SIDE)
    clouds = _tile_at("leaves", column / 2.0 + shift, row / 0.8 + shift)
    cover = np.clip(clouds * random.uniform(0.2, 0.9) / 200, 0, 0.85)[..., None]
    canvas = canvas * (1 - cover) + 246 * cover
    return np.rint(canvas).astype(np.int16)


def _houses(random: Random, camera: Camera, canvas: Canvas, ground_row: int) -> None:
    """A row of fronts with windows; gaps show trees or sky."""
    column, width = 0, canvas.shape[1]
    scale = camera.focal_px / 480
    while column < width:
        wide = int(random.uniform(60, 170) * scale)
        tall = int(random.uniform(70, 210) * scale)
        if random.random_sample() < 0.82:
            area = canvas[max(ground_row - tall, 0) : ground_row, column : column + wide]
            _front(random, area, scale)
        else:
            green = canvas[max(ground_row - tall // 3, 0) : ground_row, column : column + wide]
            green[:] = np.rint(_varied(random, (70, 100, 60), 14)).astype(np.int16)
            _stir(green, "leaves", 0.35, random.randint(0, SIDE))
        column += wide


def _front(random: Random, area: Canvas, scale: float) -> None:
    palette = ((190, 170, 145), (165, 95, 75), (205, 200, 190), (140, 145, 150), (200, 180, 120))
    wall = np.array(_varied(random, palette[random.randint(len(palette))], 12))
    area[:] = np.rint(wall).astype(np.int16)
    _stir(area, "stone", 0.10, random.randint(0, SIDE))
    step = (int(random.uniform(15, 24) * scale), int(random.uniform(16, 28) * scale))
    size = (int(step[0] * random.uniform(0.45, 0.6)), int(step[1] * random.uniform(0.4, 0.6)))
    glass = _varied(random, (75, 90, 105), 15)
    for top in range(step[0] // 2, area.shape[0] - step[0], step[0]):
        for left in range(step[1] // 3, area.shape[1] - size[1], step[1]):
            area[top : top + size[0], left : left + size[1]] = np.rint(glass)
            area[top + size[0] : top + size[0] + 2, left : left + size[1]] = np.rint(wall * 0.7)


def _hills(random: Random, canvas: Canvas, ground_row: int) -> None:
    width = canvas.shape[1]
    column = np.arange(width)
    for distance in (1.0, 0.55):
        height = np.zeros(width)
        for wave in (1, 2, 5):
            swing = random.uniform(5, 17) * distance / wave**0.7
            height += swing * np.sin(
                column / width * math.pi * 2 * wave * random.uniform(0.5, 1) + random.uniform(0, 6)
            )
        top = ground_row - np.maximum(height + 24 * distance, 2).astype(np.int64)
        colour = np.array(_varied(random, (115, 140, 120), 10)) * (1.15 if distance > 0.8 else 0.85)
        rows = np.arange(max(ground_row, 0))[:, None]
        canvas[: max(ground_row, 0)][rows >= top[None, :]] = np.rint(colour).astype(np.int16)


def _indoors(random: Random, camera: Camera, farthest: float, unit: float) -> Canvas:
    ground = Ground.seen_by(camera, farthest)
    height, width = camera.height_px, camera.width_px
    canvas = np.empty((height, width, 3), dtype=np.int16)
    _wall(random, camera, canvas, ground.first_row, farthest, unit)
    colour = np.empty((*ground.x.shape, 3), dtype=np.float64)
    x, y = ground.x / unit, ground.y[:, None] / unit
    kind = random.randint(3)
    if kind == 0:
        colour[:] = _varied(random, (158, 112, 68), 24)
        plank = np.floor(x / 0.16)
        colour *= (0.86 + 0.04 * (plank * 7 % 5))[..., None]
        colour[np.abs(x / 0.16 - plank) < 0.05] *= 0.7
        return _laid(canvas, ground, colour, "wood", 60 / unit, 0.20)
    colour[:] = _varied(random, (190, 180, 165) if kind == 1 else (120, 105, 115), 30)
    if kind == 1:
        tile = (np.floor(x / 0.45) + np.floor(y / 0.45)) % 2 == 0
        colour[tile] *= random.uniform(0.78, 0.97)
        return _laid(canvas, ground, colour, "stone", 70 / unit, 0.10)
    return _laid(canvas, ground, colour, "cloth", 120 / unit, 0.16)


def _wall(
    random: Random, camera: Camera, canvas: Canvas, floor_row: int, farthest: float, unit: float
) -> None:
    """Paint or paper, a skirting board, and now and then pictures or a window."""
    paints = ((205, 198, 180), (170, 185, 190), (200, 180, 165), (180, 190, 165))
    base = np.array(_varied(random, paints[random.randint(4)], 16))
    wall = canvas[:floor_row]
    wall[:] = np.rint(base).astype(np.int16)
    metre = camera.focal_px / farthest * unit
    if random.random_sample() < 0.35:
        stripe = (np.arange(canvas.shape[1]) / (0.22 * metre)).astype(np.int64) % 2 == 0
        wall[:, stripe] = np.rint(base * 0.93).astype(np.int16)
    _stir(wall, "stone", 0.06, random.randint(0, SIDE))
    for _ in range(random.randint(0, 4)):
        size = (int(random.uniform(0.4, 1.1) * metre), int(random.uniform(0.4, 1.2) * metre))
        bottom = floor_row - int(random.uniform(0.9, 1.6) * metre)
        left = int(random.uniform(-0.1, 0.95) * canvas.shape[1])
        _picture(random, wall, (bottom - size[0], bottom, left, left + size[1]))
    board = canvas[max(floor_row - int(0.09 * metre), 0) : floor_row]
    board[:] = np.rint(base * random.uniform(0.6, 0.8)).astype(np.int16)


def _picture(random: Random, wall: Canvas, place: tuple[int, int, int, int]) -> None:
    top, bottom, left, right = (max(value, 0) for value in place)
    area = wall[top:bottom, left:right]
    if area.size == 0:
        return
    area[:] = np.rint(_varied(random, (95, 70, 50), 30)).astype(np.int16)
    rim = max((bottom - top) // 12, 2)
    inner = area[rim:-rim, rim:-rim]
    if inner.size:
        upper, lower = (np.array(_varied(random, (150, 150, 150), 70)) for _ in range(2))
        share = np.linspace(0, 1, inner.shape[0])[:, None, None]
        inner[:] = np.rint(upper * (1 - share) + lower * share).astype(np.int16)
        _stir(inner, "leaves", 0.3, random.randint(0, SIDE))


def _laid(
    canvas: Canvas, ground: Ground, colour: Floats, texture: str, grain: float, strength: float
) -> Canvas:
    """The ground's colours, stirred by a texture that lies on it; finer than a pixel it fades."""
    noise = _tile_at(texture, ground.x * grain, ground.y[:, None] * grain)
    step = np.abs(ground.x[:, 1:2] - ground.x[:, :1]) * grain
    fade = strength / (1 + np.maximum(step - 1, 0) / 3)
    lit = colour * (1 + noise * fade / 256)[..., None]
    canvas[ground.first_row :] = np.rint(np.clip(lit, 0, 255)).astype(np.int16)
    return canvas


def _stir(area: Canvas, texture: str, strength: float, shift: int) -> None:
    row, column = np.arange(area.shape[0])[:, None], np.arange(area.shape[1])[None, :]
    noise = _tile_at(texture, column + shift, row + shift)
    factor = 256 + np.rint(noise * strength).astype(np.int32)[..., None]
    area[:] = np.clip(area * factor >> 8, 0, 255)


def _tile_at(texture: str, x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[np.int16]:
    tile = tiles()[TEXTURES.index(texture)]
    found: npt.NDArray[np.int16] = tile[
        np.floor(y).astype(np.int32) & (SIDE - 1), np.floor(x).astype(np.int32) & (SIDE - 1)
    ]
    return found


def _varied(random: Random, colour: Colour, spread: float) -> Colour:
    shift = random.normal(0, spread)
    red, green, blue = (min(max(c + shift + random.normal(0, spread / 3), 0), 255) for c in colour)
    return red, green, blue
