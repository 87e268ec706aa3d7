"""Precision-recall curves of every class at one IoU threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from boxlens.data.columns import Floats
from boxlens.matching import Matches
from boxlens.metrics.average_precision import COCO_RECALLS, Curve, ap_area
from boxlens.metrics.json_form import number, to_json
from boxlens.metrics.protocols import Prepared
from boxlens.metrics.ranked_summary import class_curves
from boxlens.metrics.ranking import rank


@dataclass(frozen=True, slots=True)
class ClassCurve:
    """A class's curve after every rank, with the score there."""

    name: str
    points: Curve
    score: Floats

    def sampled(self) -> tuple[Floats, Floats]:
        """Best precision, and the score that reaches it, at 101 recalls (NaN beyond the last)."""
        at = np.searchsorted(self.points.recall, COCO_RECALLS, side="left")
        inside = at < len(self.score)
        precision, score = np.zeros(len(at)), np.full(len(at), np.nan)
        precision[inside] = self.points.envelope[at[inside]]
        score[inside] = self.score[at[inside]]
        return precision, score


@dataclass(frozen=True, slots=True)
class PrCurvesResult:
    """One curve per class."""

    iou: float
    classes: tuple[ClassCurve, ...]

    def to_json(self) -> dict[str, Any]:
        rows = []
        for row in self.classes:
            if row.points.n_positive <= 0:
                continue
            precision, score = row.sampled()
            rows.append(
                {
                    "class": row.name,
                    "area": number(ap_area(row.points)),
                    "precision": precision.tolist(),
                    "score": to_json(score),
                }
            )
        return {"iou": self.iou, "recall": COCO_RECALLS.tolist(), "classes": rows}


def pr_curves(prepared: Prepared, matches: Matches, *, threads: int = 0) -> PrCurvesResult:
    """The curves of all classes, read off matches at one threshold."""
    ranking = rank(prepared.detections, len(prepared.dataset.classes), threads=threads)
    curves = class_curves(prepared, matches, ranking)
    return PrCurvesResult(
        matches.iou_thresholds[0],
        tuple(
            ClassCurve(name, curves[row], prepared.detections.score[ranking.of_class(row)])
            for row, name in enumerate(prepared.dataset.classes.name)
        ),
    )
