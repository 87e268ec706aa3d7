"""Sums over rows that are the same to the last bit whatever the order of the rows.

Rows stand as their file has them, and floating-point sums depend on the order of their terms. Here
terms are added in ascending order.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats


def mean_of_rows(values: Floats) -> float:
    """NaN without any."""
    return float(np.sort(values).mean()) if len(values) else float("nan")


def group_sums(group: npt.NDArray[np.integer], values: Floats, n_groups: int) -> Floats:
    """The sum of every group."""
    order = np.argsort(values)
    sums = np.bincount(group[order], weights=values[order], minlength=n_groups)
    return sums.astype(np.float64)
