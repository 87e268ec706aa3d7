"""Clouds by midpoint displacement: each grid halves the last and adds a smaller random part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Field = npt.NDArray[np.float32]


def plasma(height: int, width: int, decay: float, random: np.random.Generator) -> Field:
    """From 0 to 1; the part that is added shrinks by the square of the decay with every grid.

    The square is the published one: swings there are scaled by themselves. Published clouds are
    cut from a square of a power of two; here only what is needed is drawn, and spans 0 to 1.
    """
    step = 1 << (max(height, width) - 1).bit_length()
    field = np.zeros((2, 2), dtype=np.float32)
    swing = 1.0
    while step > 1:
        step //= 2
        field = _halved(field, swing, random)
        field = field[: (height - 1) // step + 2, : (width - 1) // step + 2]
        swing /= decay**2
    field = np.ascontiguousarray(field[:height, :width])
    low, high = field.min(), field.max()
    if low == high:
        return np.full_like(field, 0.5)
    field -= low
    field /= high - low
    return field


def _halved(field: Field, swing: float, random: np.random.Generator) -> Field:
    """Centres of squares from their corners, then middles of edges from ends and centres."""
    rows, columns = field.shape
    finer = random.random((2 * rows - 1, 2 * columns - 1), dtype=np.float32)
    finer -= 0.5
    finer *= 2 * swing
    finer[::2, ::2] = field
    beside = field[:, :-1] + field[:, 1:]
    above = field[:-1] + field[1:]
    finer[1::2, 1::2] += (beside[:-1] + beside[1:]) / 4
    # At the border the only centre counts twice.
    centres = np.pad(finer[1::2, 1::2], 1, mode="edge")
    finer[::2, 1::2] += (beside + centres[:-1, 1:-1] + centres[1:, 1:-1]) / 4
    finer[1::2, ::2] += (above + centres[1:-1, :-1] + centres[1:-1, 1:]) / 4
    return finer
