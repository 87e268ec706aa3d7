"""Which settings to try next: by turns spread over the whole space, and near the best so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.data.columns import Floats
    from boxlens.studies.proposals.tuning.spaces import Range

# Trials before the first one near the best; from then on they take turns.
N_SPREAD_FIRST = 4
# How far around the best, as a share of the range: at first, how it shrinks, and at the least.
WIDE, SHRINKING, NARROW = 0.25, 0.9, 0.03


def next_settings(
    space: Mapping[str, Range],
    tried: Sequence[tuple[Mapping[str, float], float]],
    seed: int,
) -> dict[str, float]:
    """The settings of the trial after those `tried`, which come with their average recall.

    They follow from the seed and the trials before: a search that is begun again goes the same way,
    and one for more trials goes on where one for fewer ended.
    """
    number = len(tried)
    n_near = max(number - N_SPREAD_FIRST, 0) // 2
    if number <= N_SPREAD_FIRST or (number - N_SPREAD_FIRST) % 2:
        shares = _spread_point(len(space), number - 1 - n_near, seed)
    else:
        best = max(range(number), key=lambda row: (tried[row][1], -row))
        centre = [one.share(tried[best][0][name]) for name, one in space.items()]
        width = max(WIDE * SHRINKING**n_near, NARROW)
        random = np.random.default_rng([seed, number])
        shares = np.array(centre) + width * random.standard_normal(len(space))
    return {
        name: one.at(float(share)) for (name, one), share in zip(space.items(), shares, strict=True)
    }


def _spread_point(n_settings: int, number: int, seed: int) -> Floats:
    """A point of a sequence that fills the space evenly, however many are taken (Halton)."""
    from scipy.stats import qmc

    sampler = qmc.Halton(n_settings, rng=np.random.default_rng([seed, 0]))
    point: Floats = sampler.random(number + 1)[number]
    return point
