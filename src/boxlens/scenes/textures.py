"""Textures: tiles of whole numbers that stir a colour. Integers only, so every machine agrees."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

TEXTURES = ("plain", "grain", "fur", "cloth", "wood", "leaves", "stone", "metal")
SIDE = 512  # of a tile, in samples; a power of two, so that it repeats by masking

Tile = npt.NDArray[np.int16]


@cache
def tiles() -> Tile:
    """One tile per texture, values from -256 to 256 about 0."""
    random = np.random.RandomState(7)
    made = {
        "plain": np.zeros((SIDE, SIDE), dtype=np.int64),
        "grain": _noise(random, (1, 1)) + _noise(random, (16, 16)),
        "fur": _noise(random, (8, 2)) + _noise(random, (4, 1)) + _noise(random, (32, 16)) // 2,
        "cloth": _noise(random, (1, 4)) + _noise(random, (4, 1)),
        "wood": _noise(random, (2, 64))
        + _noise(random, (8, 128)) * 2
        + _noise(random, (1, 8)) // 2,
        "leaves": _noise(random, (8, 8)) + _noise(random, (4, 4)) + _noise(random, (32, 32)),
        "stone": _noise(random, (4, 4)) // 2
        + _noise(random, (32, 32))
        + _noise(random, (1, 1)) // 2,
        "metal": _noise(random, (64, 128)) + _noise(random, (1, 32)) // 2,
    }
    return np.stack([_levelled(made[name]) for name in TEXTURES])


def _noise(random: np.random.RandomState, grain: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Smooth random values of a grain in samples (rows, columns), -256 to 256, repeating."""
    rows, columns = SIDE // grain[0], SIDE // grain[1]
    coarse = random.randint(-256, 257, (rows, columns)).astype(np.int64)
    return _stretched(_stretched(coarse, grain[0]).T, grain[1]).T


def _stretched(values: npt.NDArray[np.int64], factor: int) -> npt.NDArray[np.int64]:
    """Rows repeated `factor` times, with straight lines between them."""
    ahead = np.roll(values, -1, axis=0)
    share = np.arange(factor)[None, :, None]
    mixed = (values[:, None] * (factor - share) + ahead[:, None] * share) // factor
    return mixed.reshape(-1, values.shape[1])


def _levelled(values: npt.NDArray[np.int64]) -> Tile:
    centred = values - int(values.mean())
    largest = max(int(np.abs(centred).max()), 1)
    return (centred * 256 // largest).astype(np.int16)
