"""Two detectors that swap their outputs on some images, by writing down the tables they then have.

METHODS 11: the sign-flip test exchanges the two detectors' outputs image by image. With n images
there are 2^n exchanges; the exact p-value is the share of them with a difference as large.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from boxlens.data import Dataset, Detections
from boxlens.metrics import DetectorResult, EvaluationChoice, evaluate_tables

# Differences that are equal but for rounding.
EQUAL = 1e-12


def exchanged(a: Detections, b: Detections, own: Sequence[bool]) -> tuple[Detections, Detections]:
    """Both tables after the exchange; an image keeps its own output where `own` says so."""
    kept = np.asarray(own, dtype=np.bool_)
    return _patched("first", a, b, kept), _patched("second", b, a, kept)


def _patched(name: str, own: Detections, other: Detections, kept: np.ndarray) -> Detections:
    """Image after image: the detector's own rows, or the other's."""
    columns: dict[str, list[np.ndarray]] = {
        "image_row": [],
        "class_row": [],
        "box": [],
        "score": [],
    }
    for image in range(own.n_images):
        table = own if kept[image] else other
        here = table.image_row == image
        for column, parts in columns.items():
            parts.append(getattr(table, column)[here])
    joined = {column: np.concatenate(parts) for column, parts in columns.items()}
    return Detections.of(name, own.n_images, **joined)


def evaluated(
    dataset: Dataset, a: Detections, b: Detections, own: Sequence[bool], choice: EvaluationChoice
) -> tuple[DetectorResult, DetectorResult]:
    """Both detectors after the exchange, scored like any other."""
    first, second = evaluate_tables(dataset, exchanged(a, b, own), choice, threads=1).detectors
    return first, second


def exact_p(
    dataset: Dataset, a: Detections, b: Detections, choice: EvaluationChoice
) -> dict[str, float]:
    """Over all exchanges: of two that are mirror images only one is looked at, since their
    differences are of one size."""
    seen = _differences(dataset, a, b, [True] * a.n_images, choice)
    drawn = [
        _differences(dataset, a, b, [True, *own], choice)
        for own in product([True, False], repeat=a.n_images - 1)
    ]
    return {name: _share(value, [row[name] for row in drawn]) for name, value in seen.items()}


def _share(seen: float, drawn: list[float]) -> float:
    """Of the differences that are as large; NaN where there is none."""
    if np.isnan(seen):
        return float("nan")
    return float(np.mean([abs(difference) >= abs(seen) - EQUAL for difference in drawn]))


def _differences(
    dataset: Dataset, a: Detections, b: Detections, own: Sequence[bool], choice: EvaluationChoice
) -> dict[str, float]:
    first, second = evaluated(dataset, a, b, own, choice)
    return {name: value - second.metrics[name] for name, value in first.metrics.items()}
