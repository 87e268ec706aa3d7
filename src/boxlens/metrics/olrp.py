"""Optimal localisation-recall-precision error (METHODS 9.3): one number, three parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxlens.data.columns import Floats, Labels
from boxlens.matching import Matches, paired_iou
from boxlens.metrics.json_form import defined
from boxlens.metrics.means import mean_defined
from boxlens.metrics.protocols import Prepared
from boxlens.metrics.ranking import rank

PARTS = ("oLRP", "oLRP_loc", "oLRP_fp", "oLRP_fn", "threshold")


@dataclass(frozen=True, slots=True)
class OlrpResult:
    """By class, and the mean over the classes in which a number is defined."""

    iou: float
    mean: Mapping[str, float]
    classes: tuple[tuple[str, Mapping[str, float]], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "iou": self.iou,
            **defined(self.mean),
            "classes": [{"class": name, **defined(parts)} for name, parts in self.classes],
        }


def olrp(prepared: Prepared, matches: Matches, *, threads: int = 0) -> OlrpResult:
    """The smallest LRP over all ranks of each class; the matches must have kept their hits."""
    dataset, detections = prepared.dataset, prepared.detections
    iou = matches.iou_thresholds[0]
    ranking = rank(detections, len(dataset.classes), threads=threads)
    labels = prepared.labels(matches)
    overlap = paired_iou(dataset, detections, matches.hit_row[0], prepared.rule)
    n_positive = np.bincount(
        dataset.gt.class_row[prepared.positives(matches)], minlength=len(dataset.classes)
    )
    rows = []
    for row, name in enumerate(dataset.classes.name):
        ranked = ranking.of_class(row)
        parts = olrp_of_ranking(labels[ranked], overlap[ranked], int(n_positive[row]), iou)
        at = parts.pop("rank")
        parts["threshold"] = detections.score[ranked[int(at)]] if at == at else at  # noqa: PLR0124
        rows.append((name, parts))
    mean = {part: mean_defined(np.array([parts[part] for _, parts in rows])) for part in PARTS[:4]}
    return OlrpResult(iou, mean, tuple(rows))


def olrp_of_ranking(
    labels: Labels,
    overlap: Floats,
    n_positive: int,
    iou: float,
) -> dict[str, float]:
    """oLRP of ranked labels with the IoU of each true positive; `rank` is where it is reached."""
    undefined = float("nan")
    if n_positive == 0:
        return dict.fromkeys(("oLRP", "oLRP_loc", "oLRP_fp", "oLRP_fn", "rank"), undefined)
    right = labels > 0
    tp, fp = np.cumsum(right), np.cumsum(labels < 0)
    fn = n_positive - tp
    distance = np.cumsum(np.where(right, 1 - overlap, 0.0))
    # At a threshold of 1 a true positive has no distance left to divide.
    scale = 1 - iou if iou < 1 else 1.0
    lrp = (distance / scale + fp + fn) / (tp + fp + fn)
    if not right.any():
        return {
            "oLRP": 1.0,
            **dict.fromkeys(("oLRP_loc", "oLRP_fp", "oLRP_fn", "rank"), undefined),
        }
    # Before the first true positive LRP is 1 at best: the minimum is sought from there on.
    first = int(np.argmax(right))
    at = first + int(np.argmin(lrp[first:]))
    return {
        "oLRP": float(lrp[at]),
        "oLRP_loc": float(distance[at] / tp[at]),
        "oLRP_fp": float(fp[at] / (tp[at] + fp[at])),
        "oLRP_fn": float(fn[at] / n_positive),
        "rank": float(at),
    }
