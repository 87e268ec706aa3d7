"""Which detection overlaps which object: sparse pairs of an image above a floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens import _kernel
from boxlens.data import check_tables
from boxlens.errors import ParameterError
from boxlens.limits import THREADS

if TYPE_CHECKING:
    from boxlens.data import Dataset, Detections
    from boxlens.data.columns import Bools, Boxes, Floats, Offsets, Rows
    from boxlens.matching.rules import Rule


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Pairs of detection d are offsets[d]:offsets[d + 1], ground truth rows ascending."""

    offsets: Offsets
    gt_row: Rows
    iou: Floats
    # Objects whose overlap is the share of the detection inside them.
    region: Bools
    floor: float
    same_class: bool
    # Whose overlaps these are: the boxes of the two tables.
    det_box: Boxes
    gt_box: Boxes

    def __len__(self) -> int:
        return len(self.gt_row)


def find_overlaps(
    dataset: Dataset,
    detections: Detections,
    rule: Rule,
    *,
    floor: float,
    same_class: bool = True,
    threads: int = 0,
) -> Overlaps:
    """Every pair with IoU >= floor (and above 0), of one class or of any two."""
    THREADS.check(threads, "threads (--threads)")
    check_tables(dataset, detections)
    gt = dataset.gt
    region = rule.regions(gt)
    offsets, gt_row, iou = _kernel.find_overlaps(
        det_offsets=detections.offsets,
        det_class=detections.class_row,
        det_box=detections.box,
        gt_offsets=gt.offsets,
        gt_class=gt.class_row,
        gt_box=gt.box,
        gt_region=region,
        n_classes=len(dataset.classes),
        floor=floor,
        same_class=same_class,
        threads=threads,
    )
    return Overlaps(offsets, gt_row, iou, region, floor, same_class, detections.box, gt.box)


def reachable(iou: float) -> float:
    """The threshold as it is compared: an IoU of 1, rounding aside, must reach 1 (METHODS 10)."""
    return min(iou, 1 - 1e-10)


def check_overlaps(dataset: Dataset, detections: Detections, overlaps: Overlaps) -> None:
    """Rows of other tables would mean other boxes here, or none at all."""
    check_tables(dataset, detections)
    for name, boxes, of_overlaps in (
        (detections.name, detections.box, overlaps.det_box),
        (dataset.name, dataset.gt.box, overlaps.gt_box),
    ):
        if boxes is not of_overlaps and not np.array_equal(boxes, of_overlaps):
            raise ParameterError(
                f"the overlaps are not those of {name!r}: they were found for "
                f"{len(of_overlaps)} other boxes, it has {len(boxes)}. "
                "Call find_overlaps with the same data set and detections",
            )
