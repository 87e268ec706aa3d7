"""Precision, recall and F1 of a class at every score, and the score that serves it best."""

from __future__ import annotations

import math
from dataclasses import dataclass

from oracles.model import Matching, Scene, considered, count_positives


@dataclass(frozen=True)
class Operating:
    """What a class reaches when detections below `threshold` are left out."""

    threshold: float
    precision: float
    recall: float
    f1: float


def operating_points(scene: Scene, cls: int, matching: Matching) -> list[Operating]:
    """One point a distinct score, highest first; recall and F1 are NaN without positives."""
    positives = count_positives(scene, cls, matching)
    found = considered(scene, cls, matching)
    scores = {scene.detections[d].score for d in found}
    points = []
    for threshold in sorted(scores, reverse=True):
        labels = [matching.label[d] for d in found if scene.detections[d].score >= threshold]
        tp, fp = labels.count(1), labels.count(-1)
        points.append(
            Operating(
                threshold=threshold,
                precision=tp / (tp + fp) if tp + fp else 0.0,
                recall=tp / positives if positives else math.nan,
                # Equal to 2PR/(P+R), in one rounding, so that ties are ties.
                f1=2 * tp / (tp + fp + positives) if positives else math.nan,
            )
        )
    return points


def best_point(points: list[Operating]) -> Operating | None:
    """The highest F1, of equals the higher threshold; None where F1 is never defined."""
    best = None
    for point in points:
        if not math.isnan(point.f1) and (best is None or point.f1 > best.f1):
            best = point
    return best
