"""Who hit what: the only table of it, read by every metric and every diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boxlens import _kernel
from boxlens.data import Dataset, Detections
from boxlens.data.columns import Bits, Bools, Labels, Rows
from boxlens.errors import ParameterError
from boxlens.limits import AT_MOST
from boxlens.matching.overlaps import Overlaps, check_overlaps
from boxlens.matching.rules import Rule

MAX_CELLS = 64
ALL_AREAS = ((0.0, float("inf")),)


@dataclass(frozen=True, slots=True)
class Matches:
    """One row per detection, one per ground truth; bit `area * n_thresholds + threshold` is a cell.

    A detection is wrong in the cells that are neither in det_tp, det_group nor det_ignored.
    """

    rule: Rule
    iou_thresholds: tuple[float, ...]
    area_ranges: tuple[tuple[float, float], ...]
    max_dets: int
    det_tp: Bits
    # First on a group-of region (Open Images only, empty otherwise).
    det_group: Bits
    det_ignored: Bits
    # Place by score within image and class (within the image for LVIS); -1 takes no part.
    det_rank: Rows
    gt_hit: Bits
    gt_ignored: Bits
    # Object of every detection by cell, -1 none; empty unless asked for.
    hit_row: Rows

    @property
    def counts_groups(self) -> bool:
        """Whether group-of regions count as Open Images has it."""
        return self.rule.matcher == "open_images"

    def bit(self, threshold: int, area: int = 0) -> np.uint64:
        """The mask of one cell."""
        return np.uint64(1) << np.uint64(area * len(self.iou_thresholds) + threshold)

    def det_counted(self, max_dets: int | None = None) -> Bools:
        """Detections that take part at all."""
        limit = self.max_dets if max_dets is None else max_dets
        return (self.det_rank >= 0) & (self.det_rank < limit)

    def labels(self, threshold: int = 0, area: int = 0) -> Labels:
        """+1 true positive, -1 false positive, 0 don't care (METHODS 0.4), by detection."""
        bit = self.bit(threshold, area)
        label = np.full(len(self.det_rank), -1, dtype=np.int8)
        label[(self.det_tp & bit) != 0] = 1
        if len(self.det_group):
            label[(self.det_group & bit) != 0] = 1
        label[((self.det_ignored & bit) != 0) | ~self.det_counted()] = 0
        return label

    def positives(self, threshold: int = 0, area: int = 0) -> Bools:
        """Objects that count, by ground truth."""
        counted: Bools = (self.gt_ignored & self.bit(threshold, area)) == 0
        return counted


def assign(
    dataset: Dataset,
    detections: Detections,
    overlaps: Overlaps,
    rule: Rule,
    *,
    iou_thresholds: Sequence[float],
    area_ranges: Sequence[tuple[float, float]] = ALL_AREAS,
    max_dets: int | None = None,
    det_dropped: Bools | None = None,
    det_unmatched_ignored: Bools | None = None,
    keep_hits: bool = False,
    threads: int = 0,
) -> Matches:
    """Hands objects to detections under a rule, for every threshold and area range at once.

    It is local to an image: the matches of image-disjoint parts, joined, are the matches of all.
    """
    limit = rule.max_dets if max_dets is None else max_dets
    check_overlaps(dataset, detections, overlaps)
    _check(iou_thresholds, area_ranges, limit, overlaps)
    for marks in (det_dropped, det_unmatched_ignored):
        if marks is not None and marks.shape != (len(detections),):
            raise ParameterError(f"marks of {marks.shape} rows for {len(detections)} detections")
    gt = dataset.gt
    columns = _kernel.assign(
        det_offsets=detections.offsets,
        det_class=detections.class_row,
        det_box=detections.box,
        det_score=detections.score,
        det_dropped=det_dropped,
        det_unmatched_ignored=det_unmatched_ignored,
        gt_offsets=gt.offsets,
        gt_area=gt.area_px,
        gt_region=overlaps.region,
        gt_ignored=rule.ignored(gt),
        pair_offsets=overlaps.offsets,
        pair_gt_row=overlaps.gt_row,
        pair_iou=overlaps.iou,
        rule=rule.matcher,
        thresholds=list(iou_thresholds),
        area_ranges=[(float(low), float(high)) for low, high in area_ranges],
        n_classes=len(dataset.classes),
        max_dets=limit,
        max_dets_per_class=rule.max_dets_per_class,
        keep_hits=keep_hits,
        threads=threads,
    )
    return Matches(
        rule=rule,
        iou_thresholds=tuple(iou_thresholds),
        area_ranges=tuple((float(low), float(high)) for low, high in area_ranges),
        max_dets=limit,
        **columns,
    )


def _check(
    iou_thresholds: Sequence[float],
    area_ranges: Sequence[tuple[float, float]],
    max_dets: int,
    overlaps: Overlaps,
) -> None:
    if not iou_thresholds or not all(0 < t <= 1 for t in iou_thresholds):
        raise ParameterError(
            f"IoU thresholds must be above 0 and at most 1, got {list(iou_thresholds)}"
        )
    if list(iou_thresholds) != sorted(set(iou_thresholds)):
        raise ParameterError(f"IoU thresholds must ascend, got {list(iou_thresholds)}")
    if iou_thresholds[0] < overlaps.floor:
        raise ParameterError(
            f"the overlaps start at {overlaps.floor}, too high for {iou_thresholds[0]}",
        )
    if not overlaps.same_class:
        raise ParameterError("matching needs overlaps of one class (same_class=True)")
    if not area_ranges or not all(low <= high for low, high in area_ranges):
        raise ParameterError(f"area ranges must be (low, high) in square pixels, got {area_ranges}")
    if len(iou_thresholds) * len(area_ranges) > MAX_CELLS:
        raise ParameterError(f"at most {MAX_CELLS} pairs of IoU threshold and area range at once")
    AT_MOST.check(max_dets, "max_dets")
