"""AP as labels are relaxed: wrong labels are mended as far as a level allows (METHODS 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data import Classes, Dataset, Detections
from boxlens.data.columns import Bools, Floats, Labels, Rows
from boxlens.matching import COCO, VOC, assign, find_overlaps, reachable
from boxlens.metrics.cells import cell_precision
from boxlens.metrics.grid import AREA_RANGES
from boxlens.metrics.ranking import rank_rows

_HIT = np.uint64(1)


@dataclass(frozen=True, slots=True)
class LabelEvidence:
    """COCO's matches at one overlap, and the objects of other classes that errors lie on."""

    dataset: Dataset
    detections: Detections
    # +1, -1, 0 by detection (METHODS 0.4), and the object of each hit (-1: none).
    label: Labels
    hit_row: Rows
    # Objects that count.
    positive: Bools
    # False positives with objects of other classes they overlap enough: by detection, best last.
    pair_det: Rows
    pair_gt: Rows


def gather_labels(
    dataset: Dataset, detections: Detections, iou: float, *, threads: int = 0
) -> LabelEvidence:
    """Everything that AP at any level is read from."""
    matches = assign(
        dataset,
        detections,
        find_overlaps(dataset, detections, COCO, floor=reachable(iou), threads=threads),
        COCO,
        iou_thresholds=(iou,),
        area_ranges=(AREA_RANGES["all"],),
        keep_hits=True,
        threads=threads,
    )
    label, positive = matches.labels(), matches.positives()
    wrong, counted = np.flatnonzero(label < 0), np.flatnonzero(positive)
    # VOC's rule sees plain boxes: objects that count are no regions.
    overlaps = find_overlaps(
        dataset.where(positive),
        detections.where(label < 0),
        VOC,
        floor=reachable(iou),
        same_class=False,
        threads=threads,
    )
    det = np.repeat(wrong, np.diff(overlaps.offsets)).astype(np.int32)
    gt = counted[overlaps.gt_row].astype(np.int32)
    other = detections.class_row[det] != dataset.gt.class_row[gt]
    det, gt = det[other], gt[other]
    # Of equal overlaps the later object counts, as in COCO's matching.
    order = np.lexsort((gt, overlaps.iou[other], det))
    return LabelEvidence(
        dataset, detections, label, matches.hit_row[0], positive, det[order], gt[order]
    )


def exact_ap(evidence: LabelEvidence, *, threads: int = 0) -> Floats:
    """By class: COCO's AP at this overlap."""
    return _average_precision(evidence, _Credit.of(evidence), threads)


def relaxed_ap(
    evidence: LabelEvidence, accepted: Sequence[Bools], *, threads: int = 0
) -> list[Floats]:
    """By level above that of exact labels, and by class: each accepts more than the one before.

    A false positive whose label will do for an object of another class is no error any more; it
    goes to the object that it overlaps most, and stays there. The object is then found at the best
    score of all that went to it. Duplicates stay errors.

    No class can lose by a level: its false positives only vanish, and its hits only appear or move
    up, so that the k-th hit never has more false positives above it than before.
    """
    credit = _Credit.of(evidence)
    levels = []
    for matrix in accepted:
        credit = credit.relaxed(evidence, matrix)
        levels.append(_average_precision(evidence, credit, threads))
    return levels


def node_ap(
    dataset: Dataset, detections: Detections, class_rows: Rows, iou: float, *, threads: int = 0
) -> float:
    """COCO's AP of these classes as one: under one label, objects and detections meet anew."""
    one_row = np.full(len(dataset.classes), -1, dtype=np.int32)
    one_row[class_rows] = 0
    n_images = len(dataset.images)
    same = np.arange(n_images, dtype=np.int32)
    merged = replace(
        dataset,
        classes=Classes.of([1], ["node"]),
        gt=dataset.gt.renumbered(same, one_row, n_images),
    )
    found = detections.renumbered(same, one_row, n_images)
    return float(exact_ap(gather_labels(merged, found, iou, threads=threads), threads=threads)[0])


@dataclass(frozen=True, slots=True)
class _Credit:
    """Detections that still are errors, and the detection that each object is found by (-1)."""

    wrong: Bools
    det_of_gt: Rows

    @classmethod
    def of(cls, evidence: LabelEvidence) -> _Credit:
        right = np.flatnonzero(evidence.label > 0)
        det_of_gt = np.full(len(evidence.dataset.gt), -1, dtype=np.int32)
        det_of_gt[evidence.hit_row[right]] = right
        return cls(evidence.label < 0, det_of_gt)

    def relaxed(self, evidence: LabelEvidence, accepted: Bools) -> _Credit:
        det, gt = evidence.pair_det, evidence.pair_gt
        true_class = evidence.dataset.gt.class_row[gt]
        mends = self.wrong[det] & accepted[true_class, evidence.detections.class_row[det]]
        det, gt = det[mends], gt[mends]
        best = np.append(det[1:] != det[:-1], True)[: len(det)]
        det, gt = det[best], gt[best]
        wrong = self.wrong.copy()
        wrong[det] = False
        return _Credit(wrong, self._raised(evidence.detections.score, det, gt))

    def _raised(self, score: Floats, det: Rows, gt: Rows) -> Rows:
        """An object goes to its best newcomer, unless it is found as confidently already."""
        order = np.lexsort((det, -score[det], gt))
        det, gt = det[order], gt[order]
        first = np.append(True, gt[1:] != gt[:-1])[: len(gt)]
        det, gt = det[first], gt[first]
        before = self.det_of_gt[gt]
        better = (before < 0) | (score[det] > score[before])
        det_of_gt = self.det_of_gt.copy()
        det_of_gt[gt[better]] = det[better]
        return det_of_gt


def _average_precision(evidence: LabelEvidence, credit: _Credit, threads: int) -> Floats:
    """AP of each class, its hits ranked with its errors; a hit counts for the object's class."""
    gt, detections = evidence.dataset.gt, evidence.detections
    n_classes = len(evidence.dataset.classes)
    class_row = np.array(detections.class_row)
    found = np.flatnonzero(credit.det_of_gt >= 0)
    hit = np.zeros(len(detections), dtype=np.uint64)
    hit[credit.det_of_gt[found]] = _HIT
    class_row[credit.det_of_gt[found]] = gt.class_row[found]
    true_class = gt.class_row[evidence.positive]
    counted = np.flatnonzero(credit.wrong | (hit != 0))
    ranking = rank_rows(
        np.ascontiguousarray(class_row[counted]),
        np.ascontiguousarray(detections.score[counted]),
        n_classes,
        threads=threads,
    )
    precision = cell_precision(
        ranking,
        detections.score[counted],
        hit[counted],
        np.zeros(len(counted), dtype=np.uint64),
        np.zeros(len(counted), dtype=np.int32),
        np.bincount(true_class, minlength=n_classes)[:, np.newaxis],
        max_dets=1,
        threads=threads,
    )
    by_class: Floats = precision[:, 0, :].mean(axis=-1)
    return by_class
