"""Means over what is defined: NaN where nothing is."""

from __future__ import annotations

import numpy as np

from boxlens.data.columns import Floats, ratio


def mean_defined(values: Floats) -> float:
    """The mean over what is defined, in the order pycocotools adds it; NaN where nothing is."""
    defined = values[~np.isnan(values)]
    return float(np.mean(defined)) if len(defined) else float("nan")


def means_defined(values: Floats, axis: int | tuple[int, ...]) -> Floats:
    """The same along some axes."""
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0).sum(axis=axis), known.sum(axis=axis))
