"""Optimal localization recall precision of one class (METHODS 9.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from oracles.model import Matching, Scene, considered, count_positives, iou


@dataclass(frozen=True)
class Olrp:
    """The smallest LRP, its parts, and the 0-based rank where it is reached (-1: no rank).

    `localization` is the mean of 1 - IoU over true positives, `false_positives` FP/(TP+FP),
    `false_negatives` FN/N.
    """

    olrp: float
    localization: float
    false_positives: float
    false_negatives: float
    rank: int


def olrp(labels: list[int], overlaps: list[float], positives: int, tau: float = 0.5) -> Olrp:
    """The best rank, the first of equals; without a true positive 1, and no parts."""
    if positives == 0:
        return Olrp(math.nan, math.nan, math.nan, math.nan, -1)
    best = Olrp(1.0, math.nan, math.nan, math.nan, -1)
    for i in range(len(labels)):
        here = _lrp(labels[: i + 1], overlaps[: i + 1], positives, tau)
        hit = 1 in labels[: i + 1]
        if hit and (best.rank == -1 or here.olrp < best.olrp):
            best = here
    return best


def olrp_of_class(scene: Scene, cls: int, matching: Matching, tau: float = 0.5) -> Olrp:
    labels, overlaps = [], []
    for d in considered(scene, cls, matching):
        label = matching.label[d]
        hit = label == 1
        overlap = math.nan
        if hit:
            overlap = iou(scene.detections[d].box, scene.objects[matching.object_of[d]].box)
        labels.append(1 if hit else int(label or 0))
        overlaps.append(overlap)
    return olrp(labels, overlaps, count_positives(scene, cls, matching), tau)


def _lrp(labels: list[int], overlaps: list[float], positives: int, tau: float) -> Olrp:
    """LRP of the detections up to a rank."""
    tp, fp = labels.count(1), labels.count(-1)
    fn = positives - tp
    off = sum(1 - overlap for overlap, label in zip(overlaps, labels, strict=True) if label == 1)
    return Olrp(
        olrp=(off / (1 - tau) + fp + fn) / (tp + fp + fn),
        localization=off / tp if tp else math.nan,
        false_positives=fp / (tp + fp) if tp + fp else math.nan,
        false_negatives=fn / positives,
        rank=len(labels) - 1,
    )
