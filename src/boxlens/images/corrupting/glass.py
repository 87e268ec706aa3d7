"""Seen through frosted glass: pixels shown at near places, between two Gaussian blurs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.images.corrupting.eight_bits import eight_bits
from boxlens.images.corrupting.filters import smoothed

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.images.pixels import Pixels

# Sigma of both blurs in pixels, longest step d in pixels, rounds.
PANES = ((0.7, 1, 2), (0.9, 2, 1), (1.0, 2, 3), (1.1, 3, 2), (1.5, 4, 2))
_N_RANKS = 1 << 16


def glass_blur(image: Pixels, severity: int, random: np.random.Generator) -> Pixels:
    """Every pixel shows one so many steps away, each from -d to d along either axis.

    The published loop swaps pixels one after the other, which carries some of them far along. Here
    places are drawn at once: a pixel may be shown twice or not at all, none comes from farther than
    d times the rounds, and the variance of the way is about half of that of sequential swaps.
    """
    sigma, longest_step, n_rounds = PANES[severity - 1]
    height, width = image.shape[:2]
    law = _walks(longest_step, n_rounds)
    rows, columns = (
        law[random.integers(0, _N_RANKS, (height, width), dtype=np.uint16)] for _ in range(2)
    )
    rows += np.arange(height, dtype=np.int32)[:, None]
    columns += np.arange(width, dtype=np.int32)
    np.clip(rows, 0, height - 1, out=rows)
    np.clip(columns, 0, width - 1, out=columns)
    rows *= width
    rows += columns
    smooth = smoothed(image.astype(np.float32), sigma).reshape(-1, 3)
    return eight_bits(smoothed(smooth.take(rows, axis=0), sigma))


def _walks(longest_step: int, n_rounds: int) -> npt.NDArray[np.int32]:
    """Where a walk ends, for every rank of a draw in equal shares."""
    step = np.full(2 * longest_step + 1, 1 / (2 * longest_step + 1))
    chances = np.ones(1)
    for _ in range(n_rounds):
        chances = np.convolve(chances, step)
    probabilities = (np.arange(_N_RANKS) + 0.5) / _N_RANKS
    ends = np.searchsorted(chances.cumsum()[:-1], probabilities)
    return (ends - longest_step * n_rounds).astype(np.int32)
