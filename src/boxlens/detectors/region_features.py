"""A crop as numbers: oriented gradients, colours of the whole and of its quarters, and aspect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.detectors.hog import CELL_PX, LARGEST_VALUE, N_CHANNELS, hog_cells, resized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data.columns import Floats
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
    """One row a crop; whole numbers as those of `hog`."""
    features = np.zeros((len(crops), N_FEATURES), dtype=np.uint8)
    for row, crop in enumerate(crops):
        square = resized(crop, SIDE_PX, SIDE_PX)
        features[row, :N_LOOK] = hog_cells(square).ravel()
        features[row, N_LOOK:-N_ASPECTS] = _whole(np.sqrt(_colour_shares(square)))
        features[row, -N_ASPECTS:] = _whole(_aspect_shares(crop.shape[1] / crop.shape[0]))
    return features


def _whole(shares: Floats) -> Floats:
    return np.rint(shares * LARGEST_VALUE)


def _colour_shares(square: Pixels) -> Floats:
    """How much of the crop, and of each of its quarters, has each of a few colours."""
    red, green, blue = np.moveaxis(square // (256 // SHADES), 2, 0).astype(np.int64)
    colour = (red * SHADES + green) * SHADES + blue
    half = SIDE_PX // 2
    quarters = colour.reshape(2, half, 2, half).swapaxes(1, 2).reshape(4, -1)
    counted = np.bincount(
        (quarters + N_COLOURS * np.arange(4)[:, None]).ravel(), minlength=4 * N_COLOURS
    )
    shares = counted.reshape(4, N_COLOURS) / half**2
    return np.concatenate([shares.mean(axis=0), shares.ravel()])


def _aspect_shares(aspect: float) -> Floats:
    """The two aspects nearest, weighted by nearness."""
    place = np.clip(np.log2(aspect) * ASPECTS_AN_OCTAVE + N_ASPECTS // 2, 0, N_ASPECTS - 1)
    return np.asarray(np.maximum(1 - np.abs(np.arange(N_ASPECTS) - place), 0.0))
