"""Undetected objects: how many, how many a looser overlap finds, and which nobody would expect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Bools, Floats
from boxlens.studies.sensitivity.characteristics import Column
from boxlens.studies.sensitivity.prediction import predicted_confidence
from boxlens.studies.sensitivity.result import LooserOverlap, Misses, Unexpected
from boxlens.studies.sensitivity.tally import Tally

# Differences that agree to so many digits are equal, and the earlier object goes first.
DIGITS = 9


def undetected(tally: Tally, p_n: float) -> Bools:
    """Objects without a correct detection where P_N is that large (METHODS 2.6)."""
    # NaN, of objects that do not count, is not below anything.
    return tally.achieved() < p_n


def find_misses(
    dataset: Dataset,
    tally: Tally,
    looser: Sequence[tuple[float, Tally]],
    predictors: Sequence[Column],
    *,
    p_n: float,
    n_unexpected: int,
) -> Misses:
    """`looser` holds tallies at smaller overlaps."""
    achieved = tally.achieved()
    missed: Bools = achieved < p_n
    predicted = predicted_confidence(tally.objects, predictors, achieved)
    surprise = np.round(predicted - achieved, DIGITS)
    names = (predicted, achieved, n_unexpected)
    return Misses(
        p_n=p_n,
        n_objects=int(np.count_nonzero(tally.objects.counted)),
        n_missed=int(np.count_nonzero(missed)),
        missed=missed,
        achieved=achieved,
        predicted=predicted,
        looser=tuple(_looser(iou, missed, undetected(other, p_n)) for iou, other in looser),
        difficult=_unexpected(dataset, surprise, *names),
        easy=_unexpected(dataset, -surprise, *names),
    )


def _looser(iou: float, missed: Bools, still: Bools) -> LooserOverlap:
    n_missed = int(np.count_nonzero(missed))
    n_recovered = int(np.count_nonzero(missed & ~still))
    return LooserOverlap(
        iou=iou,
        n_missed=int(np.count_nonzero(still)),
        share_recovered=n_recovered / n_missed if n_missed else float("nan"),
    )


def _unexpected(
    dataset: Dataset, surprise: Floats, predicted: Floats, achieved: Floats, most: int
) -> tuple[Unexpected, ...]:
    """The largest surprises first; no surprise is no example."""
    rows = np.flatnonzero(surprise > 0)
    gt, images, classes = dataset.gt, dataset.images, dataset.classes
    return tuple(
        Unexpected(
            gt_row=row,
            image_id=images.id[gt.image_row[row : row + 1]].tolist()[0],
            object_id=gt.id[row : row + 1].tolist()[0],
            class_name=classes.name[gt.class_row[row]],
            predicted=float(predicted[row]),
            achieved=float(achieved[row]),
        )
        for row in dataset.gt.highest_first(rows, surprise[rows])[:most]
    )
