"""How much a repair brings in every order of repairs, not in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import factorial

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Floats
from boxlens.metrics.json_form import JsonRecord, as_key

# Gains are differences of sums: those that differ by less are equal.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class RepairGain(JsonRecord):
    """What one repair adds to AP, by what was repaired before it."""

    name: str = field(metadata=as_key("repair"))
    # Nothing, or everything else, was repaired before.
    first: float
    last: float
    lowest: float
    highest: float
    # Over all orders: the Shapley value. These add up to what all repairs together bring.
    mean: float
    # Share of the orders in which no other repair brings more.
    share_largest: float


def subsets(n_repairs: int) -> Bools:
    """[2 ** n, n]: row s repairs those whose bit is set in s."""
    return (np.arange(1 << n_repairs)[:, np.newaxis] >> np.arange(n_repairs) & 1).astype(np.bool_)


def repair_gains(names: Sequence[str], ap: Floats) -> tuple[RepairGain, ...]:
    """`ap` of every subset of the repairs, in the order of `subsets`."""
    n = len(names)
    size = np.bitwise_count(np.arange(len(ap)))
    chances = np.array([factorial(k) * factorial(n - k - 1) / factorial(n) for k in range(n)])
    largest = _share_largest(n, ap)
    gains = []
    for row, name in enumerate(names):
        before = np.flatnonzero(np.arange(len(ap)) >> row & 1 == 0)
        gain = ap[before | 1 << row] - ap[before]
        gains.append(
            RepairGain(
                name=name,
                first=float(gain[0]),
                last=float(gain[-1]),
                lowest=float(gain.min()),
                highest=float(gain.max()),
                mean=float(gain @ chances[size[before]]),
                share_largest=float(largest[row]),
            )
        )
    return tuple(gains)


def _share_largest(n: int, ap: Floats) -> Floats:
    orders = np.array(list(permutations(range(n))))
    after = np.cumsum(1 << orders, axis=1)
    gain_by_place = np.diff(ap[np.concatenate([np.zeros((len(orders), 1), int), after], axis=1)])
    gain: npt.NDArray[np.float64] = np.empty_like(gain_by_place)
    np.put_along_axis(gain, orders, gain_by_place, axis=1)
    if np.isnan(gain).any():
        return np.full(n, np.nan)
    largest: Floats = (gain >= gain.max(axis=1, keepdims=True) - ROUNDING).mean(axis=0)
    return largest
