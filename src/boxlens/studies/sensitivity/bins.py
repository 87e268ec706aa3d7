"""Numbers into bins: the percentiles of each class as Hoiem cuts them, or the user's thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from boxlens.data.columns import Bools, Floats, Rows, offsets_of, stable_order

# Tenths of the objects below each of the four thresholds (METHODS 2.4).
TENTHS = np.array([1, 3, 7, 9])
SIZE_NAMES = ("XS", "S", "M", "L", "XL")
ASPECT_NAMES = ("XT", "T", "M", "W", "XW")
PERCENTILE_NAMES = ("0-10%", "10-30%", "30-70%", "70-90%", "90-100%")


def percentile_codes(values: Floats, class_row: Rows, counted: Bools, n_classes: int) -> Rows:
    """The bin of every object among its class, 0 to 4; -1 where it does not count or is NaN.

    A class of few objects leaves bins empty: with fewer than five the first holds none.
    """
    rows = np.flatnonzero(counted & ~np.isnan(values))
    order = rows[np.argsort(values[rows])]
    by_class = stable_order(class_row[order], n_classes)
    order = order if by_class is None else order[by_class]
    begin = offsets_of(class_row[order], n_classes)
    size = np.diff(begin)[:, np.newaxis]
    # 1-based, halves rounded up; whole numbers, since .7 * 285 is not 199.5 in floating point.
    place = (TENTHS * size + 5) // 10
    ranked = np.append(values[order], np.nan)
    thresholds = np.where(place > 0, ranked[begin[:-1, np.newaxis] + place - 1], -np.inf)
    code = np.full(len(values), -1, dtype=np.int32)
    # Ties go down: only thresholds strictly below a value lift it.
    code[rows] = (values[rows, np.newaxis] > thresholds[class_row[rows]]).sum(axis=1)
    return code


def threshold_codes(values: Floats, thresholds: Sequence[float], counted: Bools) -> Rows:
    """The bin of every object under the user's ascending thresholds; ties go down here too."""
    code = np.searchsorted(np.asarray(thresholds, dtype=np.float64), values).astype(np.int32)
    code[~counted | np.isnan(values)] = -1
    return code


def range_names(thresholds: Sequence[float]) -> tuple[str, ...]:
    """What the bins of the user's thresholds are called."""
    ends = [number_name(threshold) for threshold in thresholds]
    between = [f"{low} to {high}" for low, high in pairwise(ends)]
    return (f"up to {ends[0]}", *between, f"above {ends[-1]}")


def number_name(value: float) -> str:
    return f"{value:.12g}"
