"""The type of every detection under Hoiem's scheme (METHODS 1.2)."""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

import numpy as np

from boxlens.data.columns import Floats, Labels, Rows
from boxlens.studies.diagnosis.evidence import Evidence

Assignment = Literal["priority", "argmax_iou"]


class HoiemType(IntEnum):
    """The verdict on a detection."""

    CORRECT = 0
    IGNORED = 1
    LOC = 2
    SIM = 3
    OTH = 4
    BG = 5

    @property
    def label(self) -> str:
        return self.name.lower()


FP_TYPES = (HoiemType.LOC, HoiemType.SIM, HoiemType.OTH, HoiemType.BG)


def hoiem_types(
    evidence: Evidence, labels: Labels, assignment: Assignment
) -> tuple[Labels, Rows, Floats]:
    """The target class first, then similar classes, then any other.

    With the type come the object a false positive falls on and the IoU with it.
    """
    gt_class = evidence.dataset.gt.class_row[evidence.overlaps.gt_row]
    det_class = evidence.detections.class_row[evidence.det_row]
    alike = evidence.similar[det_class, gt_class]
    touched = evidence.iou >= evidence.background_iou
    kinds = (
        (HoiemType.LOC, touched & evidence.same_class),
        (HoiemType.SIM, touched & alike),
        (HoiemType.OTH, touched & ~alike & ~evidence.same_class),
    )
    det_type = np.full(len(labels), HoiemType.BG, dtype=np.int8)
    gt_row = np.full(len(labels), -1, dtype=np.int32)
    best_iou = np.zeros(len(labels))
    # From the lowest priority up, each kind overwriting the one below.
    for kind, keep in reversed(kinds):
        iou, row = evidence.best(keep)
        takes = row >= 0
        if assignment == "argmax_iou" and kind is HoiemType.SIM:
            takes &= (iou > best_iou) | ((iou == best_iou) & (row > gt_row))
        det_type[takes], gt_row[takes], best_iou[takes] = kind, row[takes], iou[takes]
    det_type[labels > 0] = HoiemType.CORRECT
    det_type[labels == 0] = HoiemType.IGNORED
    gt_row[labels >= 0] = -1
    return det_type, gt_row, np.where(gt_row >= 0, best_iou, np.nan)


def corrected_labels(weak: Labels, det_type: Labels) -> Labels:
    """Everything that touches its object hits it; what is left over on it is taken out."""
    return np.where((weak < 0) & (det_type <= HoiemType.LOC), 0, weak).astype(np.int8)
