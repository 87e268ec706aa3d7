"""Which objects of a picture can be shown, where, and which others are seen with one of them."""

from __future__ import annotations

from typing import Literal

import numpy as np

from boxlens.data.boxes import corners_from_xywh, xywh_from_corners
from boxlens.data.columns import Bools, Boxes, Floats, Rows, owned
from boxlens.images.crops import PixelSpan, span_inside
from boxlens.images.transforming.shot import Exposure, Shot


def visible_spans(shot: Shot) -> dict[int, PixelSpan]:
    """The pixels of each object, crowds too; objects outside the picture are skipped."""
    spans = {
        row: span_inside(box, shot.width_px, shot.height_px) for row, box in enumerate(shot.box)
    }
    return {row: span for row, span in spans.items() if span is not None}


def single_spans(shot: Shot) -> dict[int, PixelSpan]:
    """The same without crowds: what can be shown alone (METHODS 4.6)."""
    return {row: span for row, span in visible_spans(shot).items() if not shot.crowd[row]}


def seen_neighbours(shot: Shot, subject: int, span: PixelSpan) -> tuple[Rows, Boxes]:
    """Other objects and crowds of which anything is seen where only the span is, and what.

    However little that is: a detection counts as one of it by how much of the detection lies in it.
    """
    seen = clipped(shot.box, span)
    chosen = share_left(shot.box, seen) > 0
    chosen[subject] = False
    rows = np.flatnonzero(chosen).astype(np.int32)
    return owned(rows), owned(seen[rows])


def region_of(exposure: Exposure, rows: Rows, cut: Literal["box", "mask"]) -> Bools:
    """Where objects are, height x width: their masks where these are asked for and there."""
    shot = exposure.shot
    region = np.zeros((shot.height_px, shot.width_px), dtype=np.bool_)
    for row in rows.tolist():
        mask = exposure.mask_of(row) if cut == "mask" else None
        if mask is not None and mask.any():
            region |= mask
        else:
            span = span_inside(shot.box[row], shot.width_px, shot.height_px)
            if span is not None:
                region[span.top : span.bottom, span.left : span.right] = True
    return region


def clipped(boxes_xywh: Boxes, span: PixelSpan) -> Boxes:
    """What of boxes lies in a span; outside it, boxes without area."""
    low, high = np.array(span[:2] * 2), np.array(span[2:] * 2)
    return xywh_from_corners(np.clip(corners_from_xywh(boxes_xywh), low, high))


def share_left(boxes_xywh: Boxes, clipped_xywh: Boxes) -> Floats:
    """How much of each box is left when it is clipped; 0 of a box without area."""
    area = boxes_xywh[:, 2] * boxes_xywh[:, 3]
    left = clipped_xywh[:, 2] * clipped_xywh[:, 3]
    return np.divide(left, area, out=np.zeros(len(area)), where=area > 0)
