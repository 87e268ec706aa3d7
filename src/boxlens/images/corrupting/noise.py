"""Noise of single channels: Gaussian, shot (Poisson), impulse (salt and pepper) and speckle.

One draw of ranks serves every severity: what one lightens the next lightens more.
"""

from __future__ import annotations

from functools import cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from boxlens.images.pixels import Pixels, eight_bits

# Standard deviations, 1 is white.
GAUSSIAN_DEVIATIONS = (0.08, 0.12, 0.18, 0.26, 0.38)
# Photons that make white.
SHOT_PHOTONS = (60, 25, 12, 5, 3)
# Shares of channels turned black or white, half of them each.
IMPULSE_SHARES = (0.03, 0.06, 0.09, 0.17, 0.27)
# Standard deviations as shares of the value.
SPECKLE_DEVIATIONS = (0.15, 0.2, 0.35, 0.45, 0.6)

# What a channel becomes depends on its value and one random rank alone, so a law is a table of
# quantiles for each value. They are off by 1/8,192 of probability at most; a normal law ends at
# 3.7 standard deviations and keeps 0.9997 of its variance.
N_RANKS = 4096
# Channels at a time: their indices stay in the cache, and a large picture in memory.
_STRIP = 1 << 16


def gaussian_noise(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    return _drawn(image, _gaussian_quantiles(severity), random)


def shot_noise(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    return _drawn(image, _shot_quantiles(severity), random)


def speckle_noise(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    return _drawn(image, _speckle_quantiles(severity), random)


def impulse_noise(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    """The channels of a lower severity are among those of a higher one."""
    ranks = random.integers(0, 1 << 16, image.shape, dtype=np.uint16)
    n_black = round(IMPULSE_SHARES[severity - 1] / 2 * (1 << 16))
    noisy = image.copy()
    noisy[ranks < n_black] = 0
    noisy[ranks >= (1 << 16) - n_black] = 255
    return noisy


def _drawn(image: Pixels, quantiles: Pixels, random: np.random.Generator) -> Pixels:
    ranks = random.integers(0, N_RANKS, image.size, dtype=np.uint16)
    values, table = image.reshape(-1), quantiles.reshape(-1)
    noisy = np.empty_like(values)
    for start in range(0, values.size, _STRIP):
        strip = slice(start, start + _STRIP)
        cells = values[strip].astype(np.intp)
        cells *= N_RANKS
        cells += ranks[strip]
        np.take(table, cells, out=noisy[strip], mode="clip")
    return noisy.reshape(image.shape)


@cache
def _gaussian_quantiles(severity: int) -> Pixels:
    values = np.arange(256)[:, None]
    return eight_bits(values + 255 * GAUSSIAN_DEVIATIONS[severity - 1] * _normal_quantiles())


@cache
def _speckle_quantiles(severity: int) -> Pixels:
    values = np.arange(256)[:, None]
    return eight_bits(values * (1 + SPECKLE_DEVIATIONS[severity - 1] * _normal_quantiles()))


@cache
def _shot_quantiles(severity: int) -> Pixels:
    """From the cumulated Poisson law of each value; more photons than white has stay white."""
    full = SHOT_PHOTONS[severity - 1]
    expected = np.arange(256) * full / 255
    chance = np.exp(-expected)
    below = np.empty((256, full))
    for photons in range(full):
        below[:, photons] = chance
        chance = chance * expected / (photons + 1)
    below.cumsum(axis=1, out=below)
    counts = np.stack([np.searchsorted(row, _probabilities()) for row in below])
    return eight_bits(counts * (255 / full))


@cache
def _normal_quantiles() -> npt.NDArray[np.float64]:
    normal = NormalDist()
    return np.array([normal.inv_cdf(probability) for probability in _probabilities()])


def _probabilities() -> npt.NDArray[np.float64]:
    return (np.arange(N_RANKS) + 0.5) / N_RANKS
