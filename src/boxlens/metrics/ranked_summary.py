"""VOC and Open Images: one average precision a class from its ranked labels, then the mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.metrics.average_precision import ap_area, ap_voc07, curve
from boxlens.metrics.grid import mean_defined
from boxlens.metrics.grid_summary import classes_without_objects, detections_by_class
from boxlens.metrics.ranking import rank
from boxlens.metrics.results import ClassResult, DetectorResult

if TYPE_CHECKING:
    from boxlens.data.columns import Floats, Labels
    from boxlens.matching import Matches
    from boxlens.metrics.average_precision import Curve
    from boxlens.metrics.protocols import Prepared
    from boxlens.metrics.ranking import Ranking


def evaluate_ranked(
    prepared: Prepared,
    iou_thresholds: tuple[float, ...] = (0.5,),
    *,
    group_of_weight: float = 1.0,
    threads: int = 0,
) -> DetectorResult:
    """mAP; with several thresholds also one a threshold, mAP being their mean."""
    n_classes = len(prepared.dataset.classes)
    ranking = rank(prepared.detections, n_classes, threads=threads)
    ap = np.empty((len(iou_thresholds), n_classes))
    for row, iou in enumerate(iou_thresholds):
        matches = prepared.matches(iou, threads=threads)
        curves = class_curves(prepared, matches, ranking, group_of_weight)
        ap[row] = [ap_voc07(c) if prepared.protocol == "voc07" else ap_area(c) for c in curves]
        n_positive = np.array([points.n_positive for points in curves])
    return DetectorResult(
        name=prepared.detections.name,
        n_detections=len(prepared.detections),
        metrics=_summary(ap, iou_thresholds),
        classes=_classes(prepared, ap, iou_thresholds, n_positive),
        notices=(
            *prepared.detections.notices,
            *prepared.notices,
            *classes_without_objects(prepared, n_positive == 0),
        ),
    )


def class_curves(
    prepared: Prepared,
    matches: Matches,
    ranking: Ranking,
    group_of_weight: float = 1.0,
) -> list[Curve]:
    """The precision-recall curve of every class."""
    labels = matches.labels()
    weight = group_weights(matches, labels, group_of_weight)
    n_positive = count_positives(prepared, matches, group_of_weight)
    curves = []
    for row, n in enumerate(n_positive):
        ranked = ranking.of_class(row)
        gain = None if weight is None else weight[ranked]
        curves.append(curve(labels[ranked], float(n), gain))
    return curves


def group_weights(
    matches: Matches,
    labels: Labels,
    group_of_weight: float,
) -> Floats | None:
    """What a true positive counts: a group-of box counts its weight, 0 making it a don't-care."""
    if not len(matches.det_group):
        return None
    on_group = (matches.det_group & matches.bit(0)) != 0
    if group_of_weight == 0:
        labels[on_group] = 0
    return np.where(on_group, group_of_weight, 1.0)


def count_positives(prepared: Prepared, matches: Matches, group_of_weight: float) -> Floats:
    """Objects of each class; group-of boxes count their weight (METHODS 9.4)."""
    gt = prepared.dataset.gt
    counted = matches.positives()
    weight = np.where(gt.group_of, group_of_weight, 1.0) if len(matches.det_group) else None
    chosen = None if weight is None else weight[counted]
    return np.bincount(
        gt.class_row[counted],
        weights=chosen,
        minlength=len(prepared.dataset.classes),
    ).astype(np.float64)


def _summary(ap: Floats, iou_thresholds: tuple[float, ...]) -> dict[str, float]:
    metrics = {"mAP": mean_defined(ap)}
    if len(iou_thresholds) > 1:
        metrics |= {
            threshold_name(iou): mean_defined(ap[row]) for row, iou in enumerate(iou_thresholds)
        }
    return metrics


def threshold_name(iou: float) -> str:
    return f"mAP{iou * 100:.4g}"


def _classes(
    prepared: Prepared,
    ap: Floats,
    iou_thresholds: tuple[float, ...],
    n_positive: Floats,
) -> tuple[ClassResult, ...]:
    n_detections = detections_by_class(prepared)
    several = len(iou_thresholds) > 1
    results = []
    for row, name in enumerate(prepared.dataset.classes.name):
        metrics = {"AP": float(ap[:, row].mean())}
        if several:
            metrics |= {
                threshold_name(iou)[1:]: float(ap[t, row]) for t, iou in enumerate(iou_thresholds)
            }
        results.append(ClassResult(name, int(n_positive[row]), int(n_detections[row]), metrics))
    return tuple(results)
