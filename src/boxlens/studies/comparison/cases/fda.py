"""How well boxes fit in each image: the frame detection accuracy of METHODS 5.1, from overlaps."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from boxlens.data import Dataset, Detections
from boxlens.data.columns import Bools, Floats, Rows, ratio
from boxlens.data.row_sums import group_sums
from boxlens.matching import VOC, Overlaps, find_overlaps
from boxlens.matching.pairing import pair_one_to_one, paired_iou

Mapping = Literal["one_to_one", "literal"]
MAPPINGS: tuple[Mapping, ...] = get_args(Mapping)


def fda(
    dataset: Dataset,
    detections: Detections,
    *,
    min_score: float,
    mapping: Mapping = "one_to_one",
    class_agnostic: bool = False,
    threads: int = 0,
) -> Floats:
    """The IoU of mapped boxes over the mean number of objects and detections, image by image.

    Detections with score >= min_score take part; crowds, group-of boxes and difficult objects do
    not. "one_to_one" maps from the largest IoU down and stays within 0 and 1. "literal" gives each
    detection the object of largest common area, taken or not, and may exceed 1. An image without
    objects and detections has the value 1.
    """
    found = detections.where(detections.score >= min_score)
    # VOC's rule knows no regions: every overlap is a plain IoU.
    overlaps = find_overlaps(
        dataset, found, VOC, floor=0.0, same_class=not class_agnostic, threads=threads
    )
    dropped = VOC.ignored(dataset.gt)
    if mapping == "literal":
        gt_row = _largest_common_area(dataset, found, overlaps, dropped)
    else:
        gt_row = pair_one_to_one(
            dataset, found, overlaps, floor=0.0, gt_dropped=dropped, threads=threads
        )
    iou = np.nan_to_num(paired_iou(dataset, found, gt_row, VOC))
    n_images = len(dataset.images)
    fit = group_sums(found.image_row, iou, n_images)
    n_objects = np.bincount(dataset.gt.image_row[~dropped], minlength=n_images)
    n_boxes = n_objects + np.diff(found.offsets)
    return ratio(fit, n_boxes / 2, 1.0)


def _largest_common_area(
    dataset: Dataset, detections: Detections, overlaps: Overlaps, gt_dropped: Bools
) -> Rows:
    """The object of every detection, -1 none; equal areas go to the larger IoU, then the first."""
    kept = ~gt_dropped[overlaps.gt_row]
    det = np.repeat(np.arange(len(detections)), np.diff(overlaps.offsets))[kept]
    gt, iou = overlaps.gt_row[kept], overlaps.iou[kept]
    det_box, gt_box = detections.box[det], dataset.gt.box[gt]
    sides = np.minimum(det_box[:, 2:] + det_box[:, :2], gt_box[:, 2:] + gt_box[:, :2])
    sides -= np.maximum(det_box[:, :2], gt_box[:, :2])
    order = np.lexsort((gt, -iou, -np.prod(sides, axis=1), det))
    owner, first = np.unique(det[order], return_index=True)
    gt_row = np.full(len(detections), -1, dtype=np.int32)
    gt_row[owner] = gt[order[first]]
    return gt_row
