"""What became of every detection and every object: whom it met, how closely, what it costs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from boxlens.data.columns import Bools, Floats, Rows
from boxlens.matching import Matches, box_overlap
from boxlens.metrics.confidence import overall_confidence
from boxlens.metrics.confusion import ConfusionResult, confusion
from boxlens.metrics.protocols import prepare
from boxlens.studies.diagnosis.evidence import Evidence
from boxlens.studies.diagnosis.losses import detection_losses, object_losses


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Columns by detection and by object, under COCO's rule at the foreground IoU."""

    # The object hit, else the one of any class overlapped most (-1: none above the background).
    det_gt_row: Rows
    det_iou: Floats
    det_loss: Floats
    # The detection that hit the object (-1: none).
    gt_det_row: Rows
    gt_loss: Floats


def outcomes(evidence: Evidence, matches: Matches) -> Outcomes:
    """`matches` are COCO's at one threshold, with their hits."""
    dataset, detections = evidence.dataset, evidence.detections
    labels, positive = matches.labels(), matches.positives()
    hit_row = matches.hit_row[0]
    every_pair: Bools = np.ones(len(evidence.iou), dtype=np.bool_)
    iou, met = evidence.best(every_pair)
    hits = np.flatnonzero(hit_row >= 0)
    met[hits] = hit_row[hits]
    iou[hits] = box_overlap(detections.box[hits], dataset.gt.box[hit_row[hits]])
    iou[met < 0] = np.nan
    right = np.flatnonzero(labels > 0)
    gt_det_row = np.full(len(dataset.gt), -1, dtype=np.int32)
    gt_det_row[hit_row[right]] = right
    class_row = dataset.gt.class_row
    n_positive = np.bincount(class_row[positive], minlength=len(dataset.classes))
    return Outcomes(
        det_gt_row=met,
        det_iou=iou,
        det_loss=detection_losses(evidence.ranking, labels, n_positive),
        gt_det_row=gt_det_row,
        gt_loss=object_losses(class_row, positive, gt_det_row >= 0),
    )


def confused(evidence: Evidence, *, threads: int = 0) -> tuple[ConfusionResult, Matches]:
    """At the score of the best F1: a fixed cut suits some detectors only.

    With it come the matches it is read from: COCO's, with their hits.
    """
    prepared = prepare(evidence.dataset, evidence.detections, "coco")
    matches = prepared.matches(evidence.foreground_iou, keep_hits=True, threads=threads)
    cut = overall_confidence(prepared, matches).best()["threshold"]
    least = 0.0 if math.isnan(cut) else cut
    return confusion(prepared, matches, min_score=least, threads=threads), matches
