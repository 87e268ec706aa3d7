"""How much of a spread, or of an explanation, chance alone would give: small subsets differ."""

from __future__ import annotations

from functools import cache
from math import erf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.columns import ratio

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.data.columns import Bools, Floats
    from boxlens.studies.sensitivity.tally import Scores


@cache
def expected_range(n: int) -> float:
    """The mean of the largest minus the smallest of n standard normal numbers."""
    if n < 2:
        return 0.0
    x = np.linspace(-8, 8, 3201)
    below = np.array([(1 + erf(value / sqrt(2))) / 2 for value in x])
    return float(np.trapezoid(1 - below**n - (1 - below) ** n, x))


def chance_spread(scores: Scores, enough: Bools) -> Floats:
    """Best minus worst subset of each class if all were equally hard, by their standard errors."""
    n = enough.sum(axis=1)
    squares = np.where(enough & ~np.isnan(scores.ap_n_se), scores.ap_n_se, 0) ** 2
    error = np.sqrt(ratio(squares.sum(axis=1), n))
    spread: Floats = np.array([expected_range(int(count)) for count in n]) * error
    return spread


def chance_entropy(
    n_missed: npt.NDArray[np.int64], n_objects: npt.NDArray[np.int64], *, n_columns: int
) -> Floats:
    """The share of entropy that subsets of so few objects explain on average by chance.

    Mutual information from counts exceeds the true one by about (subsets - 1) / 2n nats (Miller).
    """
    shape = (len(n_objects), n_columns, -1 if n_objects.size else 0)
    total = n_objects.reshape(shape)
    n = total.sum(axis=2)
    share_missed = ratio(n_missed.reshape(shape).sum(axis=2), n)
    open_question = (share_missed > 0) & (share_missed < 1)
    p = np.where(open_question, share_missed, 0.5)
    nats = -(p * np.log(p) + (1 - p) * np.log(1 - p))
    excess = ((total > 0).sum(axis=2) - 1) / (2 * np.maximum(n, 1)) / nats
    shares = np.where(open_question, np.clip(excess, 0, 1), -np.inf)
    best = shares.max(axis=1, initial=-np.inf)
    return np.where(np.isinf(best), np.nan, best)
