"""p-values of a shrinking set of cases, for thousands of its sizes at once.

Cases stand in the order in which they stay longest: a set of n cases is the first n.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats, ratio

Counts = npt.NDArray[np.int64]

TestName = Literal["paired", "welch", "permutation", "anova"]
TESTS: tuple[TestName, ...] = get_args(TestName)

# A spread below this share of the largest value is rounding: the variance is 0.
ROUNDING = 1e-12
# Permutations in memory at once.
BATCH = 128


def paired_t(scores: Floats, n_kept: Counts) -> Floats:
    """Student's test of the differences of two rows, two-sided; NaN where they do not vary."""
    from scipy.special import stdtr

    mean, scatter = _moments(scores[0] - scores[1], n_kept, np.abs(scores).max())
    error = np.sqrt(scatter / (n_kept - 1) / n_kept)
    return _array(2 * stdtr(n_kept - 1, -np.abs(ratio(mean, error))))


def welch_t(scores: Floats, n_kept: Counts) -> Floats:
    """Two rows as independent samples of unequal variance; NaN where neither varies."""
    from scipy.special import stdtr

    (mean_a, mean_b), (scatter_a, scatter_b) = _row_moments(scores, n_kept)
    # Both samples are equally large, so that their size cancels in the degrees of freedom.
    freedom = (n_kept - 1) * ratio((scatter_a + scatter_b) ** 2, scatter_a**2 + scatter_b**2)
    error = np.sqrt((scatter_a + scatter_b) / (n_kept - 1) / n_kept)
    return _array(2 * stdtr(freedom, -np.abs(ratio(mean_a - mean_b, error))))


def one_way_anova(scores: Floats, n_kept: Counts) -> Floats:
    """The F test of equal means of all rows as independent samples; NaN where none varies."""
    from scipy.special import fdtrc

    n_rows = len(scores)
    mean, scatter = _row_moments(scores, n_kept)
    between = n_kept * np.sum((mean - mean.mean(axis=0)) ** 2, axis=0)
    within, freedom = scatter.sum(axis=0), n_rows * (n_kept - 1)
    return _array(fdtrc(n_rows - 1, freedom, ratio(between / (n_rows - 1), within / freedom)))


def sign_flips(scores: Floats, n_kept: Counts, *, n_permutations: int, seed: int) -> Floats:
    """How often exchanging two rows case by case at random gives as large a mean difference.

    A case is flipped alike in all sets. The test needs no variance; it says 1 where all are equal.
    """
    difference = scores[0] - scores[1]
    at = n_kept - 1
    # Sums that are equal but for rounding count as equal.
    slack = ROUNDING * np.cumsum(np.abs(difference))[at]
    observed = np.abs(np.cumsum(difference)[at]) - slack
    rng = np.random.default_rng(seed)
    as_large = np.ones(len(n_kept), dtype=np.int64)
    for start in range(0, n_permutations, BATCH):
        shape = (min(BATCH, n_permutations - start), len(difference))
        signs = rng.integers(0, 2, size=shape, dtype=np.int8) * np.int8(2) - np.int8(1)
        flipped = np.abs(np.cumsum(signs * difference, axis=1)[:, at])
        as_large += np.count_nonzero(flipped >= observed, axis=0)
    return _array(as_large / (n_permutations + 1))


def _row_moments(scores: Floats, n_kept: Counts) -> tuple[Floats, Floats]:
    """Means of all rows from one origin near them, so that their differences keep their digits."""
    near_zero, largest = scores - scores[0, 0], np.abs(scores).max()
    moments = np.array([_moments(row, n_kept, largest) for row in near_zero])
    return moments[:, 0], moments[:, 1]


def _moments(values: Floats, n_kept: Counts, largest: float) -> tuple[Floats, Floats]:
    """Mean, and sum of squares around it, of the first n values.

    Welford's steps, whose terms are never negative: nothing cancels, as it would in a difference
    of sums of squares.
    """
    shifted = values - values[0]
    mean = np.cumsum(shifted) / np.arange(1, len(values) + 1)
    before = np.concatenate([[0.0], mean[:-1]])
    scatter = np.cumsum((shifted - before) * (shifted - mean))
    spread = np.maximum.accumulate(shifted) - np.minimum.accumulate(shifted)
    scatter[spread <= ROUNDING * largest] = 0
    at = n_kept - 1
    return values[0] + mean[at], scatter[at]


def _array(values: npt.ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)
