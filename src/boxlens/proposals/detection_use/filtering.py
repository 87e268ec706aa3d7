"""Raw detections of a detector as if it had looked at proposals only (METHODS 6.8).

A detector is not run again: what it says elsewhere is dropped, then suppression follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Notice
from boxlens.errors import ParameterError
from boxlens.matching.box_matching import match_boxes
from boxlens.proposals.detection_use.class_rivals import survivors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.data import Detections
    from boxlens.data.columns import Bools, Boxes, Offsets
    from boxlens.data.windows import Windows

FILTER_IOU = 0.8
NMS_IOU = 0.3
# Fewer may well lie apart by themselves.
MANY_DETECTIONS = 1000


def filter_detections(
    detections: Detections,
    proposals: Windows,
    *,
    iou: float = FILTER_IOU,
    nms_iou: float = NMS_IOU,
    threads: int = 0,
) -> Detections:
    """Detections of any class with an IoU above `iou` to a proposal, suppressed class by class."""
    near = near_boxes(detections, proposals.offsets, proposals.box, iou=iou, threads=threads)
    kept = detections.where(near)
    return kept.where(survivors(kept, iou=nms_iou, threads=threads))


def near_boxes(
    detections: Detections, offsets: Offsets, box: Boxes, *, iou: float, threads: int = 0
) -> Bools:
    """Detections with an IoU above `iou` to a box of their image."""
    if not 0 <= iou < 1:
        raise ParameterError(
            f"detections are filtered by an overlap from 0 to below 1, got {iou} (filter_iou)"
        )
    if len(offsets) != len(detections.offsets):
        raise ParameterError(
            f"detections {detections.name!r} are rows of {detections.n_images} images, "
            f"the proposals of {len(offsets) - 1}: read them with the same data set"
        )
    matches = match_boxes(detections.offsets, detections.box, offsets, box, threads=threads)
    near: Bools = np.asarray(matches.best[0] > iou)
    return near


def not_raw(detections: Sequence[Detections], iou: float, *, threads: int = 0) -> Iterator[Notice]:
    """Tells detections that seem to be suppressed already: filtering them is too strict."""
    for table in detections:
        if len(table) >= MANY_DETECTIONS and survivors(table, iou=iou, threads=threads).all():
            yield Notice(
                "not_raw",
                len(table),
                f"{table.name}: no two detections of a class overlap by more than {iou:g}, so they "
                "have been suppressed before; proposals beside those that were kept find nothing. "
                "Give detections without suppression",
            )
