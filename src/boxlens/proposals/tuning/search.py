"""Which settings to try next: spread evenly at first, then around the best so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.data.columns import Floats
    from boxlens.proposals.tuning.spaces import Range

# Of the trials after the first; the rest go near the best.
SPREAD_SHARE = 0.5
# How far around the best, as a share of the range: at the beginning and at the end.
WIDE, NARROW = 0.25, 0.05


def next_settings(
    space: Mapping[str, Range],
    tried: Sequence[tuple[Mapping[str, float], float]],
    n_trials: int,
    seed: int,
) -> dict[str, float]:
    """The settings of the trial after those `tried`, which come with their average recall.

    They follow from the seed and the trials before: a search that is begun again goes the same way.
    """
    number = len(tried)
    n_spread = 1 + round(SPREAD_SHARE * (n_trials - 1))
    if number < n_spread:
        shares = _spread(len(space), n_spread, seed)[number - 1]
    else:
        best = max(range(number), key=lambda row: (tried[row][1], -row))
        centre = [one.share(tried[best][0][name]) for name, one in space.items()]
        done = (number - n_spread) / max(n_trials - n_spread, 1)
        width = WIDE * (NARROW / WIDE) ** done
        random = np.random.default_rng([seed, number])
        shares = np.array(centre) + width * random.standard_normal(len(space))
    return {
        name: one.at(float(share)) for (name, one), share in zip(space.items(), shares, strict=True)
    }


def _spread(n_settings: int, n: int, seed: int) -> Floats:
    """Points that leave no part of the space empty (a Latin hypercube)."""
    from scipy.stats import qmc

    sampler = qmc.LatinHypercube(n_settings, rng=np.random.default_rng([seed, 0]))
    points: Floats = sampler.random(n)
    return points
