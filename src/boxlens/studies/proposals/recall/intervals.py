"""How sure average recall is: images drawn again and again, the same for every method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.row_sums import group_sums, mean_of_rows
from boxlens.metrics.bootstrap import FEWEST_IMAGES, over_replicates
from boxlens.metrics.intervals import ResamplingChoice, interval

if TYPE_CHECKING:
    from boxlens.data.columns import Floats, Rows
    from boxlens.metrics.resampling import Weights


def average_intervals(
    values: Floats, image_row: Rows, choice: ResamplingChoice, *, difference: bool = False
) -> list[tuple[float, float]]:
    """Of the mean of every row of `values` over objects, whose images are drawn.

    NaN where objects lie in too few images. A `difference` of two methods may lie below 0.
    """
    images, place = np.unique(image_row, return_inverse=True)
    if len(images) < FEWEST_IMAGES:
        return [(np.nan, np.nan)] * len(values)
    n_objects = np.bincount(place).astype(np.float64)
    sums = np.stack([group_sums(place, row, len(images)) for row in values], axis=1)

    def means(weights: Weights) -> Floats:
        drawn = weights.astype(np.float64)
        found: Floats = (drawn @ sums) / (drawn @ n_objects)[:, np.newaxis]
        return found

    drawn, left = (np.concatenate(parts) for parts in over_replicates(means, len(images), choice))
    ends = []
    for column, row in enumerate(values):
        found = interval(
            mean_of_rows(row), drawn[:, column], left[:, column], choice, difference=difference
        )
        ends.append((found.low, found.high))
    return ends
