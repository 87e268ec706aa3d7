"""The upper bound of every strategy, detectors beside it, and accuracy by context (METHODS 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from boxlens.data import Dataset, Detections
from boxlens.data.columns import Bools, Floats, Rows
from boxlens.matching import COCO
from boxlens.metrics.bootstrap import Resampled, resample
from boxlens.metrics.intervals import Interval, ResamplingChoice, interval
from boxlens.progress import Progress
from boxlens.studies.upper_bound.classifying import Labels
from boxlens.studies.upper_bound.relabelling import ObjectLabels
from boxlens.studies.upper_bound.result import (
    ClassBound,
    ContextAccuracy,
    Correlation,
    DetectorGap,
    StrategyBound,
)
from boxlens.studies.upper_bound.scoring import (
    bound_scores,
    detector_scores,
    labelled_boxes,
    sampler,
)


class Accuracy(NamedTuple):
    """The share of objects with the right label: of all, its mean over classes, and by class."""

    overall: float
    class_mean: float
    by_class: Floats


def accuracy_of(dataset: Dataset, class_row: Rows, counted: Bools) -> Accuracy:
    """Recall, not precision: divided by the objects of a class (METHODS 4.1)."""
    n_classes = len(dataset.classes)
    true = dataset.gt.class_row[counted]
    right = true == class_row[counted]
    n_objects = np.bincount(true, minlength=n_classes)
    n_right = np.bincount(true[right], minlength=n_classes)
    by_class = np.divide(n_right, n_objects, out=np.full(n_classes, np.nan), where=n_objects > 0)
    known = by_class[n_objects > 0]
    return Accuracy(
        float(right.mean()) if len(right) else float("nan"),
        float(known.mean()) if len(known) else float("nan"),
        by_class,
    )


def strategy_bound(dataset: Dataset, labels: ObjectLabels, *, threads: int = 0) -> StrategyBound:
    """Objects without a label are missed, and their labels count as wrong."""
    scores = bound_scores(dataset, labelled_boxes(dataset, labels), threads=threads)
    countable = ~COCO.regions(dataset.gt)
    accuracy = accuracy_of(dataset, labels.class_row, countable)
    n_objects = np.bincount(dataset.gt.class_row[countable], minlength=len(dataset.classes))
    classes = tuple(
        ClassBound(name, int(n), float(uap), float(uap50), float(share))
        for name, n, uap, uap50, share in zip(
            dataset.classes.name,
            n_objects,
            scores.by_class,
            scores.by_class_50,
            accuracy.by_class,
            strict=True,
        )
    )
    return StrategyBound(
        strategy=labels.strategy,
        uap=scores.ap,
        by_iou=scores.by_iou,
        by_size=scores.by_size,
        accuracy=accuracy.overall,
        class_accuracy=accuracy.class_mean,
        classes=classes,
        correlation=correlation(accuracy.by_class, scores.by_class),
        n_labelled=int(np.count_nonzero(~np.isnan(labels.score[countable]))),
    )


def correlation(accuracy: Floats, uap: Floats) -> Correlation:
    """Pearson's r over the classes that have both; undefined where one of them does not vary."""
    known = ~np.isnan(accuracy) & ~np.isnan(uap)
    first, second = accuracy[known], uap[known]
    n = int(known.sum())
    if n < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return Correlation(float("nan"), float("nan"), n)
    r = float(np.corrcoef(first, second)[0, 1])
    return Correlation(r, r * r, n)


def detector_gaps(
    dataset: Dataset, detections: Sequence[Detections], bound: StrategyBound, *, threads: int = 0
) -> tuple[DetectorGap, ...]:
    """Every detector under the same protocol, with COCO's limit on detections."""
    gaps = []
    for table in detections:
        scores = detector_scores(dataset, table, threads=threads)
        gaps.append(
            DetectorGap(
                name=table.name,
                ap=scores.ap,
                by_iou=scores.by_iou,
                by_size=scores.by_size,
                by_class=tuple(scores.by_class.tolist()),
                share=scores.ap / bound.uap if bound.uap > 0 else float("nan"),
            )
        )
    return tuple(gaps)


def best_first(gaps: Sequence[DetectorGap]) -> tuple[DetectorGap, ...]:
    return tuple(sorted(gaps, key=lambda one: math.inf if math.isnan(one.ap) else -one.ap))


def with_intervals(
    dataset: Dataset,
    strategies: Sequence[tuple[StrategyBound, Detections]],
    gaps: Sequence[tuple[DetectorGap, Detections]],
    choice: ResamplingChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[tuple[StrategyBound, ...], tuple[DetectorGap, ...]]:
    """How sure UAP and gaps are; gaps are those of the first strategy, on the same images."""
    tables = [*(table for _, table in strategies), *(table for _, table in gaps)]
    samplers = [
        sampler(dataset, table, limited=row >= len(strategies), threads=threads)
        for row, table in enumerate(tables)
    ]
    drawn = resample(samplers, choice, threads=threads, progress=progress)
    bounds = tuple(
        replace(bound, interval=_interval(bound.uap, one, choice))
        for (bound, _), one in zip(strategies, drawn, strict=False)
    )
    first, uap = drawn[0], strategies[0][0].uap
    return bounds, tuple(
        replace(gap, gap=_difference(uap - gap.ap, first, one, choice))
        for (gap, _), one in zip(gaps, drawn[len(strategies) :], strict=True)
    )


def _interval(value: float, drawn: Resampled, choice: ResamplingChoice) -> Interval:
    return interval(value, drawn.bootstrap.whole["AP"], drawn.jackknife.whole["AP"], choice)


def _difference(
    value: float, first: Resampled, second: Resampled, choice: ResamplingChoice
) -> Interval:
    return interval(
        value,
        first.bootstrap.whole["AP"] - second.bootstrap.whole["AP"],
        first.jackknife.whole["AP"] - second.jackknife.whole["AP"],
        choice,
        difference=True,
    )


def context_accuracy(dataset: Dataset, labels: Labels) -> tuple[ContextAccuracy, ...]:
    """How much of an object's surroundings a classifier needs, or can do without (METHODS 4.4).

    One row a view of the context study, over the objects that have a crop in all of them.
    """
    places = [
        place for place, view in enumerate(labels.views) if view.kind not in ("box", "sample")
    ]
    if not places:
        return ()
    counted = ~np.isnan(labels.score[:, places]).any(axis=1) & ~COCO.regions(dataset.gt)
    rows = []
    for place in places:
        view = labels.views[place]
        accuracy = accuracy_of(dataset, labels.class_row[:, place], counted)
        rows.append(
            ContextAccuracy(
                view.kind, view.scale, int(counted.sum()), accuracy.overall, accuracy.class_mean
            )
        )
    return tuple(rows)
