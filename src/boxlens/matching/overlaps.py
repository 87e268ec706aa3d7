"""Which detection overlaps which object: sparse pairs of an image above a floor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxlens import _kernel
from boxlens.data import Dataset, Detections, check_tables
from boxlens.data.columns import Bools, Boxes, Floats, Offsets, Rows
from boxlens.errors import ParameterError
from boxlens.limits import THREADS
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
    # Whose overlaps these are: the boxes and classes of the two tables.
    det_box: Boxes
    gt_box: Boxes
    det_class: Rows
    gt_class: Rows

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
    return Overlaps(
        offsets,
        gt_row,
        iou,
        region,
        floor,
        same_class,
        det_box=detections.box,
        gt_box=gt.box,
        det_class=detections.class_row,
        gt_class=gt.class_row,
    )


def reachable(iou: float) -> float:
    """The threshold as it is compared: an IoU of 1, rounding aside, must reach 1 (METHODS 10)."""
    return min(iou, 1 - 1e-10)


def check_overlaps(dataset: Dataset, detections: Detections, overlaps: Overlaps) -> None:
    """Rows of other tables would mean other boxes here, or no boxes.

    Pairs of any two classes stay those of the same boxes with other classes.
    """
    check_tables(dataset, detections)
    boxes = (
        (detections.name, detections.box, overlaps.det_box),
        (dataset.name, dataset.gt.box, overlaps.gt_box),
    )
    classes = (
        (detections.name, detections.class_row, overlaps.det_class),
        (dataset.name, dataset.gt.class_row, overlaps.gt_class),
    )
    for name, found, of_overlaps in (*boxes, *(classes if overlaps.same_class else ())):
        if found is not of_overlaps and not np.array_equal(found, of_overlaps):
            raise ParameterError(
                f"the overlaps are not those of {name!r}: they belong to "
                f"{len(of_overlaps)} other boxes or classes, it has {len(found)}. "
                "Call find_overlaps with the same data set and detections",
            )
