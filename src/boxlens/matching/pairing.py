"""One-to-one pairs by overlap alone, and the overlap of given pairs."""

from __future__ import annotations

import numpy as np

from boxlens import _kernel
from boxlens.data import Dataset, Detections
from boxlens.data.columns import Bools, Boxes, Floats, Rows
from boxlens.matching.overlaps import Overlaps, check_overlaps
from boxlens.matching.rules import Rule


def pair_one_to_one(
    dataset: Dataset,
    detections: Detections,
    overlaps: Overlaps,
    *,
    floor: float,
    det_dropped: Bools | None = None,
    gt_dropped: Bools | None = None,
    threads: int = 0,
) -> Rows:
    """The object of every detection (-1: none), taken from the largest IoU down.

    Ties go to a pair of one class, then to the higher score, then to the earlier rows.
    """
    check_overlaps(dataset, detections, overlaps)
    return _kernel.pair_one_to_one(
        det_offsets=detections.offsets,
        det_class=detections.class_row,
        det_score=detections.score,
        gt_offsets=dataset.gt.offsets,
        gt_class=dataset.gt.class_row,
        pair_offsets=overlaps.offsets,
        pair_gt_row=overlaps.gt_row,
        pair_iou=overlaps.iou,
        det_dropped=det_dropped,
        gt_dropped=gt_dropped,
        floor=floor,
        threads=threads,
    )


def paired_iou(dataset: Dataset, detections: Detections, gt_row: Rows, rule: Rule) -> Floats:
    """Overlap of every detection with its object as the rule sees it; NaN where none (-1)."""
    iou = np.full(len(detections), np.nan)
    paired = gt_row >= 0
    region = rule.regions(dataset.gt)[gt_row[paired]]
    iou[paired] = box_overlap(detections.box[paired], dataset.gt.box[gt_row[paired]], region)
    return iou


def box_overlap(det: Boxes, gt: Boxes, region: Bools | None = None) -> Floats:
    """Overlap of boxes row by row; in a region it is the share of the detection inside.

    The operations and their order are the kernel's, so that the last bit agrees.
    """
    sides = np.minimum(det[:, 2:] + det[:, :2], gt[:, 2:] + gt[:, :2])
    sides -= np.maximum(det[:, :2], gt[:, :2])
    common = np.prod(np.maximum(sides, 0), axis=1)
    det_area, gt_area = np.prod(det[:, 2:], axis=1), np.prod(gt[:, 2:], axis=1)
    whole = det_area + gt_area - common
    if region is not None:
        whole = np.where(region, det_area, whole)
    overlap = np.zeros(len(common))
    np.divide(common, whole, out=overlap, where=common > 0)
    return overlap
