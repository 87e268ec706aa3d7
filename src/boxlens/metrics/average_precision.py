"""Average precision of one ranked list of labels, in the variants of METHODS 0.6.

Labels are +1 true positive, -1 false positive, 0 don't care. `weight` is what a true positive
counts (Open Images group-of boxes); it is 1 where not given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats

VOC07_RECALLS = np.arange(11) / 10
COCO_RECALLS = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True, slots=True)
class Curve:
    """Precision and recall after every rank; precision is 0 while nothing is counted."""

    # What each rank adds to the true positives.
    gain: Floats
    recall: Floats
    precision: Floats
    # The best precision at this recall or beyond.
    envelope: Floats
    n_positive: float


def curve(
    labels: npt.ArrayLike,
    n_positive: float,
    weight: npt.ArrayLike | None = None,
) -> Curve:
    """The precision-recall curve of labels in rank order."""
    label = np.asarray(labels)
    value = np.ones(len(label)) if weight is None else np.asarray(weight, dtype=np.float64)
    gain = np.where(label > 0, value, 0.0)
    tp = np.cumsum(gain)
    counted = tp + np.cumsum(label < 0)
    precision = np.divide(tp, counted, out=np.zeros(len(tp)), where=counted > 0)
    recall = tp / n_positive if n_positive > 0 else np.full(len(tp), np.nan)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return Curve(gain, recall, precision, envelope, n_positive)


def ap_voc07(points: Curve) -> float:
    """Mean over recalls 0, .1, ... 1 of the best precision there or beyond."""
    return _sampled(points, VOC07_RECALLS)


def ap_coco101(points: Curve) -> float:
    """The same over 101 recalls."""
    return _sampled(points, COCO_RECALLS)


def ap_area(points: Curve) -> float:
    """Area under the envelope: VOC from 2010 on, Open Images, and Hoiem's full AP alike."""
    if points.n_positive <= 0:
        return float("nan")
    # Over hits alone: one more false positive then regroups no sum, and cannot raise its last bit.
    # Summed before it is divided, so that a perfect ranking gives exactly 1 (METHODS 0.6 d).
    hit = points.gain > 0
    return float(np.sum(points.gain[hit] * points.envelope[hit]) / points.n_positive)


def _sampled(points: Curve, recalls: Floats) -> float:
    if points.n_positive <= 0:
        return float("nan")
    at = np.searchsorted(points.recall, recalls, side="left")
    inside = at < len(points.envelope)
    values = np.zeros(len(recalls))
    values[inside] = points.envelope[at[inside]]
    return float(values.mean())
