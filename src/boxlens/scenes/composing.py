"""Sprites laid into one picture, the nearest on top: what owns each sample, and its colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Rows
from boxlens.images import Pixels
from boxlens.scenes.backdrops import Canvas
from boxlens.scenes.drawing import FINENESS, Nearness, Samples, Sprite
from boxlens.scenes.faces import Codes
from boxlens.scenes.textures import SIDE, tiles

Picked = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Composite:
    """Rows of sprites and of their faces, one per sample; -1 where the backdrop shows."""

    sprite_at: npt.NDArray[np.int16]
    face_at: Samples

    def pixel_owner(self) -> npt.NDArray[np.int16]:
        """The sprite each pixel belongs to: that of its first sample."""
        return self.sprite_at[::FINENESS, ::FINENESS]

    def pixel_face(self) -> Samples:
        return self.face_at[::FINENESS, ::FINENESS]


def compose(sprites: Sequence[Sprite], width_px: int, height_px: int) -> Composite:
    shape = (height_px * FINENESS, width_px * FINENESS)
    sprite_at = np.full(shape, -1, dtype=np.int16)
    face_at = np.full(shape, -1, dtype=np.int32)
    nearness: Nearness = np.zeros(shape, dtype=np.float32)
    for row, sprite in enumerate(sprites):
        inside, window = overlap(sprite, shape)
        near = sprite.nearness[window]
        seen = near > nearness[inside]
        np.copyto(nearness[inside], near, where=seen)
        np.copyto(face_at[inside], sprite.face_at[window], where=seen)
        np.copyto(sprite_at[inside], np.int16(row), where=seen)
    return Composite(sprite_at, face_at)


def overlap(
    sprite: Sprite, shape: tuple[int, int]
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """The part of the picture a sprite's window covers, and that part of the window."""
    height, width = sprite.face_at.shape
    top, bottom = np.clip([sprite.top, sprite.top + height], 0, shape[0]).tolist()
    left, right = np.clip([sprite.left, sprite.left + width], 0, shape[1]).tolist()
    window = (
        slice(top - sprite.top, bottom - sprite.top),
        slice(left - sprite.left, right - sprite.left),
    )
    return (slice(top, bottom), slice(left, right)), window


def colours(composite: Composite, sprites: Sequence[Sprite], backdrop: Canvas) -> Pixels:
    """The picture: each pixel the mean of its samples, backdrop where nothing stands."""
    if not sprites:
        return backdrop.astype(np.uint8)
    palette = _Palette.of(sprites)
    behind = backdrop.reshape(-1, 3)
    total = behind * FINENESS**2
    same = _of_one_face(composite)
    for down, right in product(range(FINENESS), repeat=2):
        part = (slice(down, None, FINENESS), slice(right, None, FINENESS))
        owner = composite.sprite_at[part].ravel()
        first = down == right == 0
        # Most pixels lie inside a face: their first sample stands for all.
        pixel = np.flatnonzero((owner >= 0) if first else (owner >= 0) & ~same)
        face = composite.face_at[part].ravel()[pixel]
        row, column = np.divmod(pixel, backdrop.shape[1])
        samples = (row * FINENESS + down, column * FINENESS + right)
        more = palette.colour(owner[pixel], face, *samples) - behind[pixel]
        if first:
            more[same[pixel]] *= FINENESS**2
        total[pixel] += more
    mean: Pixels = ((total + FINENESS**2 // 2) // FINENESS**2).astype(np.uint8)
    return mean.reshape(backdrop.shape)


def _of_one_face(composite: Composite) -> Bools:
    """Pixels whose samples all show the same face of the same sprite."""
    same = np.ones(composite.pixel_owner().size, dtype=np.bool_)
    for down, right in product(range(FINENESS), repeat=2):
        part = (slice(down, None, FINENESS), slice(right, None, FINENESS))
        same &= (composite.sprite_at[part] == composite.pixel_owner()).ravel()
        same &= (composite.face_at[part] == composite.pixel_face()).ravel()
    return same


@dataclass(frozen=True, slots=True)
class _Palette:
    """The paint of all faces of all sprites."""

    first: Rows  # face of each sprite
    corner: Rows  # of each sprite's window: a texture moves with its object
    rgb: Codes
    texture: Codes
    strength: Codes

    @classmethod
    def of(cls, sprites: Sequence[Sprite]) -> _Palette:
        counts = [len(sprite.face_rgb) for sprite in sprites]
        return cls(
            first=np.cumsum([0, *counts[:-1]]).astype(np.int32),
            corner=np.array([[sprite.top, sprite.left] for sprite in sprites], dtype=np.int32),
            rgb=np.concatenate([sprite.face_rgb for sprite in sprites]),
            texture=np.concatenate([sprite.face_texture for sprite in sprites]),
            strength=np.concatenate([sprite.face_strength for sprite in sprites]),
        )

    def colour(self, owner: Codes, face: Samples, row: Picked, column: Picked) -> Codes:
        """Of samples that belong to a face of a sprite."""
        paint = self.first[owner] + face
        top, left = self.corner[owner].T
        noise = tiles()[self.texture[paint], (row - top) & (SIDE - 1), (column - left) & (SIDE - 1)]
        factor = 256 + (noise.astype(np.int32) * self.strength[paint] >> 8)
        stirred = np.clip(self.rgb[paint] * factor[:, None] >> 8, 0, 255)
        return np.asarray(stirred, dtype=np.int16)
