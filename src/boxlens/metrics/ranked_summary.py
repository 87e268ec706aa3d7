"""VOC and Open Images: one average precision a class from its ranked labels, then the mean."""

from __future__ import annotations

import numpy as np

from boxlens.data.columns import Floats
from boxlens.matching import Matches
from boxlens.metrics.average_precision import Curve, ap_area, ap_voc07, curve
from boxlens.metrics.grid_summary import class_results, classes_without_objects
from boxlens.metrics.means import mean_defined
from boxlens.metrics.protocols import Prepared
from boxlens.metrics.ranking import Ranking, rank
from boxlens.metrics.readings import ranked_readings
from boxlens.metrics.results import DetectorResult


def evaluate_ranked(
    prepared: Prepared,
    iou_thresholds: tuple[float, ...] = (0.5,),
    *,
    threads: int = 0,
) -> DetectorResult:
    """mAP; with several thresholds also one per threshold, mAP being their mean."""
    n_classes = len(prepared.dataset.classes)
    ranking = rank(prepared.detections, n_classes, threads=threads)
    ap = np.empty((len(iou_thresholds), n_classes))
    for row, iou in enumerate(iou_thresholds):
        matches = prepared.matches(iou, threads=threads)
        curves = class_curves(prepared, matches, ranking)
        ap[row] = [ap_voc07(c) if prepared.protocol == "voc07" else ap_area(c) for c in curves]
        objects = prepared.dataset.gt.class_row[prepared.positives(matches)]
        n_objects = np.bincount(objects, minlength=n_classes)
    readings = ranked_readings(iou_thresholds)
    return DetectorResult(
        name=prepared.detections.name,
        n_detections=len(prepared.detections),
        metrics={name: mean_defined(ap[mean.at]) for name, mean in readings.whole.items()},
        classes=class_results(
            prepared,
            n_objects,
            {
                name: np.array([of_class.mean() for of_class in ap[mean.at].T])
                for name, mean in readings.by_class.items()
            },
        ),
        notices=(
            *prepared.detections.notices,
            *prepared.notices,
            *classes_without_objects(prepared, n_objects == 0),
        ),
    )


def class_curves(
    prepared: Prepared,
    matches: Matches,
    ranking: Ranking,
) -> list[Curve]:
    """The precision-recall curve of every class; group-of boxes count their weight."""
    labels = prepared.labels(matches)
    weight, n_positive = _weights(prepared, matches)
    curves = []
    for row, n in enumerate(n_positive):
        ranked = ranking.of_class(row)
        gain = None if weight is None else weight[ranked]
        curves.append(curve(labels[ranked], float(n), gain))
    return curves


def _weights(prepared: Prepared, matches: Matches) -> tuple[Floats | None, Floats]:
    """What a true positive counts, by detection, and the positives of each class (METHODS 9.4)."""
    gt, n_classes = prepared.dataset.gt, len(prepared.dataset.classes)
    counted = prepared.positives(matches)
    if not matches.counts_groups:
        return None, np.bincount(gt.class_row[counted], minlength=n_classes).astype(np.float64)
    on_group = (matches.det_group & matches.bit(0)) != 0
    value = np.where(gt.group_of, prepared.group_of_weight, 1.0)[counted]
    n_positive: Floats = np.bincount(
        gt.class_row[counted], weights=value, minlength=n_classes
    ).astype(np.float64)
    return np.where(on_group, prepared.group_of_weight, 1.0), n_positive
