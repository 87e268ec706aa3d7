"""Suppression by an oracle: it knows which detections are right (METHODS 6.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.matching import COCO, UNLIMITED, assign, find_overlaps
from boxlens.studies.proposals.detection_use.class_rivals import beside

if TYPE_CHECKING:
    from boxlens.data import Dataset, Detections
    from boxlens.data.columns import Bools
    from boxlens.matching import Matches

# True positives are those of AP50.
MATCH_IOU = 0.5


def suppress_perfectly(
    dataset: Dataset,
    detections: Detections,
    survive: Bools,
    *,
    oracle_iou: float = 0.5,
    threads: int = 0,
) -> Detections:
    """True positives stay, even those that real suppression takes away; of the detections that
    `survive` it, false positives go that overlap a true positive of their class.

    AP50 is never below that of the survivors. At stricter overlaps AP may be: a duplicate can be
    placed better than the true positive it overlaps.
    """
    found = _match(dataset, detections, UNLIMITED, threads).labels() == 1
    after = _match(dataset, detections.where(survive), COCO.max_dets, threads)
    rows = np.flatnonzero(survive)
    label = np.zeros(len(detections), dtype=np.int8)
    label[rows] = after.labels()
    # Beyond the limit of detections they count nowhere, and must not move up for deleted ones.
    counted = np.zeros(len(detections), dtype=np.bool_)
    counted[rows] = after.det_counted()
    near = beside(detections, found, iou=oracle_iou, threads=threads)
    # What is right only because a better detection of its object was suppressed is one too many
    # now; what counts neither way stays as it is.
    others = counted & ((label == 0) | ((label < 0) & ~near))
    return detections.where(found | others)


def _match(dataset: Dataset, detections: Detections, max_dets: int, threads: int) -> Matches:
    overlaps = find_overlaps(dataset, detections, COCO, floor=MATCH_IOU, threads=threads)
    return assign(
        dataset,
        detections,
        overlaps,
        COCO,
        iou_thresholds=(MATCH_IOU,),
        max_dets=max_dets,
        threads=threads,
    )
