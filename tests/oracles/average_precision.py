"""Average precision of ranked labels (METHODS 0.6), normalized too, and their standard errors.

Labels are +1, -1 and 0 in order of rank. Without positives every value is NaN.
"""

from __future__ import annotations

import math

import numpy as np


def counts(labels: list[int], weights: list[float] | None = None) -> list[tuple[float, int]]:
    """TP and FP up to every rank. A weight is that of a true positive (METHODS 9.4)."""
    tp, fp = 0.0, 0
    so_far = []
    for i, label in enumerate(labels):
        if label == 1:
            tp += 1.0 if weights is None else weights[i]
        elif label == -1:
            fp += 1
        so_far.append((tp, fp))
    return so_far


def precision(tp: float, fp: int) -> float:
    """METHODS 0.6: 0/0 is 0."""
    return tp / (tp + fp) if tp + fp > 0 else 0.0


def from_right(values: list[float]) -> list[float]:
    """Every value replaced by the largest at its place or after it."""
    return [max(values[i:]) for i in range(len(values))]


def ap_voc07(labels: list[int], positives: int) -> float:
    """(a). Whether recall reaches i/10 is asked in whole numbers, where no rounding can enter."""
    if positives == 0:
        return math.nan
    best = []
    for i in range(11):
        reached = [precision(tp, fp) for tp, fp in counts(labels) if 10 * tp >= i * positives]
        best.append(max(reached, default=0.0))
    return sum(best) / 11


def ap_voc10(labels: list[int], positives: float, weights: list[float] | None = None) -> float:
    """(b)."""
    if positives == 0:
        return math.nan
    so_far = counts(labels, weights)
    heights = from_right([precision(tp, fp) for tp, fp in so_far])
    area, last_recall = 0.0, 0.0
    for (tp, _), height in zip(so_far, heights, strict=True):
        recall = tp / positives
        area += (recall - last_recall) * height
        last_recall = recall
    return area


def ap_coco101(labels: list[int], positives: int) -> float:
    """(c), on the float64 grid of METHODS 10."""
    if positives == 0:
        return math.nan
    so_far = counts(labels)
    heights = from_right([precision(tp, fp) for tp, fp in so_far])
    total = 0.0
    for wanted in np.linspace(0.0, 1.0, 101).tolist():
        for (tp, _), height in zip(so_far, heights, strict=True):
            if tp / positives >= wanted:
                total += height
                break
    return total / 101


def ap_full(labels: list[int], positives: int) -> float:
    """(d): equals (b)."""
    return _mean_with_misses(precision_at_hits(labels), positives)


def ap_normalized(labels: list[int], positives: int, n_normal: float) -> float:
    """AP_N of METHODS 2.1; n_normal is its N."""
    return _mean_with_misses(normalized_at_hits(labels, positives, n_normal), positives)


def precision_at_hits(labels: list[int]) -> list[float]:
    heights = from_right([precision(tp, fp) for tp, fp in counts(labels)])
    return [height for height, label in zip(heights, labels, strict=True) if label == 1]


def normalized_at_hits(labels: list[int], positives: int, n_normal: float) -> list[float]:
    """P_N = R N / (R N + F) of METHODS 2.1, from the right, at the true positives."""
    values = []
    for tp, fp in counts(labels):
        hits = tp / positives * n_normal if positives else math.nan
        values.append(hits / (hits + fp) if hits + fp > 0 else 0.0)
    heights = from_right(values)
    return [height for height, label in zip(heights, labels, strict=True) if label == 1]


def standard_error(labels: list[int], positives: int) -> float:
    """METHODS 2.2, of (d)."""
    return _standard_error(precision_at_hits(labels), positives)


def standard_error_normalized(labels: list[int], positives: int, n_normal: float) -> float:
    """METHODS 2.2, of AP_N."""
    return _standard_error(normalized_at_hits(labels, positives, n_normal), positives)


def _mean_with_misses(at_hits: list[float], positives: int) -> float:
    return sum(at_hits) / positives if positives else math.nan


def _standard_error(at_hits: list[float], positives: int) -> float:
    """One value per object, 0 for a missed one; undefined for fewer than two objects."""
    if positives < 2:
        return math.nan
    values = at_hits + [0.0] * (positives - len(at_hits))
    mean = sum(values) / positives
    variance = sum((value - mean) ** 2 for value in values) / (positives - 1)
    return math.sqrt(variance) / math.sqrt(positives)
