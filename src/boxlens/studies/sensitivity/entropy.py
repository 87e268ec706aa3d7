"""How much of the uncertainty whether an object is missed its characteristic takes away."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats, ratio


def entropy_shares(
    n_missed: npt.NDArray[np.int64], n_objects: npt.NDArray[np.int64], *, n_columns: int
) -> Floats:
    """I(missed; subset) / H(missed) of each class (METHODS 2.6), from counts [class, subset].

    NaN where all objects are missed, or none: there is nothing to explain. Of pooled flags the
    one that explains most counts, among the objects that carry it; all of them jointly would cut
    a class into single objects and explain everything.
    """
    shape = (len(n_objects), n_columns, -1 if n_objects.size else 0)
    lost, total = n_missed.reshape(shape), n_objects.reshape(shape)
    whole = _bits(lost.sum(axis=2), total.sum(axis=2))
    within = _bits(lost, total).sum(axis=2)
    share = ratio(whole - within, whole)
    best = np.max(share, axis=1, initial=-np.inf, where=~np.isnan(share))
    # Rounding may leave a hair below 0 or above 1.
    return np.where(np.isinf(best), np.nan, np.clip(best, 0, 1))


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


def _bits(n_yes: npt.NDArray[np.int64], n: npt.NDArray[np.int64]) -> Floats:
    """n times the entropy of a yes that n_yes of them have."""
    bits = np.zeros(n.shape)
    for part in (n_yes, n - n_yes):
        some = part > 0
        bits[some] -= part[some] * np.log2(part[some] / n[some])
    return bits
