"""A crop as numbers: oriented gradients, colours of the whole and of its quarters, and aspect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxlens.data.columns import Floats
from boxlens.detectors.hog import CELL_PX, LARGEST_VALUE, N_CHANNELS, hog_cells, resized
from boxlens.detectors.training import Features
from boxlens.images import Pixels

CELLS_A_SIDE = 6
SIDE_PX = CELLS_A_SIDE * CELL_PX
SHADES = 4
N_COLOURS = SHADES**3
# Aspects of 2^-2.67 ... 2^2.67, each step a factor of 2^0.67.
N_ASPECTS = 9
ASPECTS_AN_OCTAVE = 1.5

N_LOOK = CELLS_A_SIDE**2 * N_CHANNELS
N_FEATURES = N_LOOK + 5 * N_COLOURS + N_ASPECTS


def region_features(crops: Sequence[Pixels]) -> Features:
    """One row per crop; whole numbers as those of `hog`."""
    squares = np.zeros((len(crops), SIDE_PX, SIDE_PX, 3), dtype=np.uint8)
    for row, crop in enumerate(crops):
        squares[row] = resized(crop, SIDE_PX, SIDE_PX)
    looks = [hog_cells(square).ravel() for square in squares]
    features = np.zeros((len(crops), N_FEATURES), dtype=np.uint8)
    features[:, :N_LOOK] = np.reshape(looks, (len(crops), N_LOOK))
    features[:, N_LOOK:-N_ASPECTS] = _whole(np.sqrt(_colour_shares(squares)))
    aspects = np.array([crop.shape[1] / crop.shape[0] for crop in crops])
    features[:, -N_ASPECTS:] = _whole(_aspect_shares(aspects))
    return features


def _whole(shares: Floats) -> Floats:
    return np.rint(shares * LARGEST_VALUE)


def _colour_shares(squares: Pixels) -> Floats:
    """How much of each crop, and of each of its quarters, has each of a few colours."""
    shade = (squares // (256 // SHADES)).astype(np.int32)
    colour = (shade[..., 0] * SHADES + shade[..., 1]) * SHADES + shade[..., 2]
    half = SIDE_PX // 2
    quarters = colour.reshape(-1, 2, half, 2, half).swapaxes(2, 3).reshape(-1, half**2)
    numbered = quarters + N_COLOURS * np.arange(len(quarters))[:, None]
    counted = np.bincount(numbered.ravel(), minlength=len(quarters) * N_COLOURS)
    shares = counted.reshape(-1, 4, N_COLOURS) / half**2
    return np.concatenate([shares.mean(axis=1), shares.reshape(-1, 4 * N_COLOURS)], axis=1)


def _aspect_shares(aspects: Floats) -> Floats:
    """The two aspects nearest, weighted by nearness."""
    place = np.clip(np.log2(aspects) * ASPECTS_AN_OCTAVE + N_ASPECTS // 2, 0, N_ASPECTS - 1)
    return np.asarray(np.maximum(1 - np.abs(np.arange(N_ASPECTS) - place[:, None]), 0.0))
