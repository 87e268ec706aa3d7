"""AP of one detector under any conventions: real matching, real curves, each counted once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Detections, GroundTruth
from boxlens.data.columns import Bools, Labels, frozen
from boxlens.matching import ALL_AREAS, OPEN_IMAGES, Rule, assign, find_overlaps, reachable
from boxlens.metrics.average_precision import (
    COCO_RECALLS,
    Curve,
    ap_area,
    ap_coco101,
    ap_voc07,
    curve,
)
from boxlens.metrics.grid import AREA_RANGES
from boxlens.metrics.hierarchy import expand_hierarchy
from boxlens.metrics.means import mean_defined
from boxlens.metrics.protocols import Prepared, prepare, prepare_dataset
from boxlens.metrics.ranking import Ranking, rank
from boxlens.studies.comparison.conventions.values import Conventions

TIE_SIGN = {"worst": 1, "best": -1}


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Of every threshold the labels of the detections; which objects count, by class."""

    detections: Detections
    ranking: Ranking
    labels: tuple[Labels, ...]
    n_positive: npt.NDArray[np.intp]


class ConventionAp:
    """AP of a data set's detections as a function of conventions; equal matching is done once."""

    def __init__(self, dataset: Dataset, detections: Detections, *, threads: int = 0) -> None:
        self._dataset = dataset
        self._detections = detections
        self._threads = threads
        self._verdicts: dict[Conventions, Verdicts] = {}
        self._ap: dict[Conventions, float] = {}

    def of(self, conventions: Conventions) -> float:
        """Mean AP over thresholds and classes; NaN where no object counts."""
        if conventions not in self._ap:
            self._ap[conventions] = _mean_ap(self._matched(conventions), conventions)
        return self._ap[conventions]

    def _matched(self, conventions: Conventions) -> Verdicts:
        default = Conventions()
        matching = replace(
            conventions,
            ties=default.ties,
            interpolation=default.interpolation,
            class_mean=default.class_mean,
        )
        if matching not in self._verdicts:
            self._verdicts[matching] = _match(
                self._dataset, self._detections, matching, self._threads
            )
        return self._verdicts[matching]


def ap_lines(points: Curve, *, to_one: bool = False) -> float:
    """Area under straight lines through the envelope, by trapezoids between 101 recalls.

    As Ultralytics has it: from precision 1 at recall 0 to 0 at the last recall, or, in its
    releases up to 8.3, sloping down to 0 at recall 1. A perfect ranking gives .995.
    """
    if points.n_positive <= 0:
        return math.nan
    if not len(points.recall):
        return 0.0
    end = [1.0] if to_one else [points.recall[-1], 1.0]
    recall = np.concatenate([[0.0], points.recall, end])
    height = np.concatenate([[1.0], points.envelope, np.zeros(len(end))])
    at_grid = np.interp(COCO_RECALLS, recall, height)
    # Trapezoids of equal width: the two ends count half.
    return float((at_grid.sum() - (at_grid[0] + at_grid[-1]) / 2) / (len(at_grid) - 1))


READ_CURVE: dict[str, Callable[[Curve], float]] = {
    "coco101": ap_coco101,
    "voc07": ap_voc07,
    "area": ap_area,
    "lines": ap_lines,
    "lines_to_one": partial(ap_lines, to_one=True),
}


def _mean_ap(verdicts: Verdicts, conventions: Conventions) -> float:
    if not verdicts.n_positive.any():
        return math.nan
    read = READ_CURVE[conventions.interpolation]
    means = []
    for labels in verdicts.labels:
        ap = np.full(len(verdicts.n_positive), np.nan)
        for row, n_positive in enumerate(verdicts.n_positive.tolist()):
            ranked = _ranked_labels(verdicts, labels, row, conventions.ties)
            if n_positive:
                ap[row] = read(curve(ranked, n_positive))
            elif len(ranked) and conventions.class_mean == "with_detections":
                ap[row] = 0.0
        means.append(mean_defined(ap))
    return float(np.mean(means))


def _ranked_labels(verdicts: Verdicts, labels: Labels, class_row: int, ties: str) -> Labels:
    """Labels of a class by score, don't-cares left out."""
    ranked = verdicts.ranking.of_class(class_row)
    ranked = ranked[labels[ranked] != 0]
    of_class: Labels = labels[ranked]
    if ties != "stable":
        score = verdicts.detections.score[ranked]
        of_class = of_class[np.lexsort((TIE_SIGN[ties] * of_class, -score))]
    return of_class


def _match(
    annotated: Dataset, detections: Detections, conventions: Conventions, threads: int
) -> Verdicts:
    if conventions.score_cut > -math.inf:
        detections = detections.where(detections.score > conventions.score_cut)
    prepared = _prepared(annotated, detections, conventions)
    objects, groups = _objects(prepared.dataset, conventions)
    thresholds, rule = conventions.iou_thresholds, _rule(conventions)
    matches = assign(
        objects,
        detections,
        find_overlaps(objects, detections, rule, floor=reachable(thresholds[0]), threads=threads),
        rule,
        iou_thresholds=thresholds,
        area_ranges=(AREA_RANGES["all"],) if conventions.matcher == "coco" else ALL_AREAS,
        det_dropped=prepared.det_dropped,
        det_unmatched_ignored=prepared.det_unmatched_ignored,
        threads=threads,
    )
    labels = tuple(matches.labels(at) for at in range(len(thresholds)))
    n_positive = _by_class(objects, matches.positives())
    if groups is not None:
        labels = _with_groups(groups, detections, labels, thresholds, threads)
        n_positive = n_positive + _by_class(groups, ~groups.gt.difficult)
    ranking = rank(detections, len(annotated.classes), threads=threads)
    return Verdicts(detections, ranking, labels, n_positive)


def _prepared(annotated: Dataset, detections: Detections, conventions: Conventions) -> Prepared:
    """Which detections the annotation says something about (METHODS 9.4, 9.5)."""
    dataset = expand_hierarchy(annotated) if conventions.hierarchy == "expanded" else annotated
    if conventions.verified == "all":
        return prepare(dataset, detections, "voc12")
    if conventions.verified == "lvis":
        dataset = prepare_dataset(dataset, "lvis")
    return prepare(dataset, detections, conventions.verified)


def _rule(conventions: Conventions) -> Rule:
    """Its name says which columns are regions and which are ignored: `_objects` sets them so."""
    limit = conventions.max_dets
    if conventions.matcher == "coco":
        return Rule("coco", "coco", limit.count, limit.per_class)
    # Where there are no regions Open Images matches as VOC does.
    return Rule("open_images", "open_images", limit.count, limit.per_class)


def _objects(dataset: Dataset, conventions: Conventions) -> tuple[Dataset, Dataset | None]:
    """Objects flagged so that the rule reads them as asked for.

    COCO's matcher knows no region that one detection may hit: such come apart, for a second pass.
    """
    gt = replace(dataset.gt, attributes={}, spans={})

    def treated(*treatments: str) -> Bools:
        found = np.zeros(len(gt), dtype=np.bool_)
        for flag, treatment in (
            (gt.crowd, conventions.crowds),
            (gt.difficult, conventions.difficult),
            (gt.group_of, conventions.groups),
        ):
            if treatment in treatments:
                found |= flag
        return found

    region, one_hit = treated("region"), treated("one_hit")
    ignored, kept = treated("region", "ignored"), ~treated("removed")
    as_groups = _flagged(gt, difficult=ignored, group_of=region | one_hit)
    if conventions.matcher == "voc":
        return replace(dataset, gt=as_groups.where(kept)), None
    as_crowds = _flagged(gt, difficult=ignored, crowd=region)
    objects = replace(dataset, gt=as_crowds.where(kept & ~one_hit))
    if not (kept & one_hit).any():
        return objects, None
    return objects, replace(dataset, gt=as_groups.where(kept & one_hit))


def _flagged(
    gt: GroundTruth,
    *,
    difficult: Bools,
    crowd: Bools | None = None,
    group_of: Bools | None = None,
) -> GroundTruth:
    none = np.zeros(len(gt), dtype=np.bool_)
    return replace(
        gt,
        difficult=frozen(difficult, np.bool_),
        crowd=frozen(none if crowd is None else crowd, np.bool_),
        group_of=frozen(none if group_of is None else group_of, np.bool_),
    )


def _with_groups(
    groups: Dataset,
    detections: Detections,
    labels: tuple[Labels, ...],
    thresholds: tuple[float, ...],
    threads: int,
) -> tuple[Labels, ...]:
    """METHODS 9.4 after COCO's matcher: what hit nothing else may fall on a group-of box."""
    floor = reachable(thresholds[0])
    overlaps = find_overlaps(groups, detections, OPEN_IMAGES, floor=floor, threads=threads)
    joined = []
    for label, iou in zip(labels, thresholds, strict=True):
        on_groups = assign(
            groups,
            detections,
            overlaps,
            OPEN_IMAGES,
            iou_thresholds=(iou,),
            det_dropped=label != -1,
            threads=threads,
        ).labels()
        joined.append(np.where(label == -1, on_groups, label))
    return tuple(joined)


def _by_class(dataset: Dataset, counted: Bools) -> npt.NDArray[np.intp]:
    return np.bincount(dataset.gt.class_row[counted], minlength=len(dataset.classes))
