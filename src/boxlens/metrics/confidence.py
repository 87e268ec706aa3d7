"""Precision, recall and F1 over the confidence threshold, and the threshold that is best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats, Labels
from boxlens.matching import Matches
from boxlens.metrics.json_form import defined, number
from boxlens.metrics.means import mean_defined
from boxlens.metrics.protocols import Prepared
from boxlens.metrics.ranking import rank_rows


@dataclass(frozen=True, slots=True)
class ConfidenceCurve:
    """Values if detections with score >= threshold are kept, one per distinct score, descending."""

    name: str
    n_positive: int
    threshold: Floats
    precision: Floats
    recall: Floats
    f1: Floats

    def sampled(self, n: int = 101) -> dict[str, list[float]]:
        """At most n points of the curve, evenly spread over its distinct scores."""
        last = max(len(self.threshold) - 1, 0)
        at = np.unique(np.linspace(0, last, min(n, len(self.threshold))).round().astype(int))
        return {name: column[at].tolist() for name, column in self._columns().items()}

    def to_json(self) -> dict[str, Any]:
        """The best point and the curve; no curve where there is nothing to find."""
        curve = self.sampled() if self.n_positive else None
        return {**defined(self.best()), "curve": curve}

    def best(self) -> dict[str, float]:
        """The operating point of highest F1; among equals the highest threshold."""
        if self.n_positive == 0 or not len(self.f1):
            return dict.fromkeys(self._columns(), float("nan"))
        at = int(np.argmax(self.f1))
        return {name: float(column[at]) for name, column in self._columns().items()}

    def _columns(self) -> dict[str, Floats]:
        return {
            "threshold": self.threshold,
            "precision": self.precision,
            "recall": self.recall,
            "F1": self.f1,
        }


@dataclass(frozen=True, slots=True)
class ConfidenceResult:
    """All detections together under one threshold, and each class on its own."""

    iou: float
    overall: ConfidenceCurve
    classes: tuple[ConfidenceCurve, ...]

    def to_json(self) -> dict[str, Any]:
        best = [curve.best() for curve in self.classes]
        return {
            "iou": self.iou,
            "overall": self.overall.to_json(),
            "mean_of_class_F1": number(mean_defined(np.array([point["F1"] for point in best]))),
            "classes": [{"class": curve.name, **curve.to_json()} for curve in self.classes],
        }


def confidence(prepared: Prepared, matches: Matches) -> ConfidenceResult:
    """Counts at every distinct score, read off matches at one threshold."""
    labels = prepared.labels(matches)
    det_class, score = prepared.detections.class_row, prepared.detections.score
    n_positive = _n_positive(prepared, matches)
    by_class = np.argsort(det_class, kind="stable")
    ends = np.searchsorted(det_class[by_class], np.arange(len(prepared.dataset.classes) + 1))
    classes = []
    for row, name in enumerate(prepared.dataset.classes.name):
        own = by_class[ends[row] : ends[row + 1]]
        classes.append(_curve(name, int(n_positive[row]), score[own], labels[own]))
    overall = overall_confidence(prepared, matches)
    return ConfidenceResult(matches.iou_thresholds[0], overall, tuple(classes))


def overall_confidence(prepared: Prepared, matches: Matches) -> ConfidenceCurve:
    """All classes together."""
    labels, n_positive = prepared.labels(matches), _n_positive(prepared, matches)
    # Detections of classes without objects count nowhere, here as in AP.
    known = n_positive[prepared.detections.class_row] > 0
    score = prepared.detections.score[known]
    return _curve("all classes", int(n_positive.sum()), score, labels[known])


def _n_positive(prepared: Prepared, matches: Matches) -> npt.NDArray[np.int64]:
    gt_class = prepared.dataset.gt.class_row[prepared.positives(matches)]
    return np.bincount(gt_class, minlength=len(prepared.dataset.classes))


def _curve(
    name: str,
    n_positive: int,
    score: Floats,
    labels: Labels,
) -> ConfidenceCurve:
    counted = labels != 0
    one_class = np.zeros(np.count_nonzero(counted), dtype=np.int32)
    order = rank_rows(one_class, score[counted], 1).order
    ranked, label = score[counted][order], labels[counted][order]
    # A threshold keeps or drops equal scores together: count at the last of each run.
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], [True] * (len(ranked) > 0)))
    tp = np.cumsum(label > 0)[last].astype(np.float64)
    n_kept = last.astype(np.float64) + 1
    undefined = np.full(len(tp), np.nan)
    return ConfidenceCurve(
        name=name,
        n_positive=n_positive,
        threshold=ranked[last],
        precision=tp / n_kept,
        recall=tp / n_positive if n_positive else undefined,
        f1=2 * tp / (n_kept + n_positive) if n_positive else undefined,
    )
