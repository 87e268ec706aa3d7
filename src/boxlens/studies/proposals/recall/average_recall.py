"""Recall and average recall of the overlaps that objects were found with, and how sure it is.

METHODS 6.3; images are drawn again and again, the same for every method.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats, Rows
from boxlens.data.row_sums import group_sums, mean_of_rows
from boxlens.matching.overlaps import reachable
from boxlens.metrics.bootstrap import FEWEST_IMAGES, over_replicates
from boxlens.metrics.intervals import ResamplingChoice, interval
from boxlens.metrics.resampling import Weights

# Each the nearest to its decimal, as thresholds that users write are.
CURVE_IOUS: Floats = np.arange(50, 101) / 100
# As pycocotools spaces them (METHODS 10).
COCO_IOUS: Floats = np.linspace(0.5, 0.95, 10)
STEPS_IN_1 = 1000


def recall_at(iou: Floats, thresholds: npt.ArrayLike) -> Floats:
    """The share of objects found with at least each overlap; NaN without objects."""
    wanted = np.array([reachable(value) for value in np.atleast_1d(thresholds).tolist()])
    if not len(iou):
        return np.full(len(wanted), np.nan)
    n_below = np.searchsorted(np.sort(iou), wanted)
    share: Floats = (len(iou) - n_below) / len(iou)
    return share


def average_recall(iou: Floats, low: float = 0.5, high: float = 1.0) -> float:
    """The area under recall from `low` to `high` as a share of the whole, in closed form."""
    return mean_of_rows(found_beyond(iou, low, high))


def found_beyond(iou: Floats, low: float = 0.5, high: float = 1.0) -> Floats:
    """What every object adds to average recall: its mean over objects is just that."""
    beyond: Floats = np.clip(iou - low, 0.0, high - low) / (high - low)
    return beyond


def average_recall_on_grid(iou: Floats, low: float = 0.5, high: float = 1.0) -> float:
    """The same by the trapezoid rule on a grid of .001, as the published code does it."""
    n_steps = max(round((high - low) * STEPS_IN_1), 1)
    # Ends that lie between steps stretch the grid.
    grid = np.linspace(low, high, n_steps + 1)
    if np.allclose(grid * STEPS_IN_1, np.round(grid * STEPS_IN_1), rtol=0, atol=1e-9):
        grid = np.round(grid * STEPS_IN_1) / STEPS_IN_1
    return float(np.trapezoid(recall_at(iou, grid), grid) / (high - low))


def coco_average_recall(iou: Floats) -> float:
    """The mean of recall at .5, .55, ..., .95: another number (METHODS 6.3)."""
    return float(recall_at(iou, COCO_IOUS).mean())


def volume_under_recall(average_recalls: Floats, budgets: npt.ArrayLike) -> float:
    """The area under average recall over log10 of the budget, as a share of the whole.

    NaN for a single budget.
    """
    place = np.log10(np.asarray(budgets, dtype=np.float64))
    span = float(place[-1] - place[0])
    return float(np.trapezoid(average_recalls, place) / span) if span > 0 else math.nan


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
