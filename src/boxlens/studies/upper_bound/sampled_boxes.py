"""Boxes of one exact IoU around a box, in four families (METHODS 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from boxlens.data.columns import Boxes, Floats

# Towards which corner a box is shifted.
FAMILIES = np.array([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])


def sampled_boxes(boxes_xywh: Boxes, iou: float, n_shifts: int = 1) -> Boxes:
    """[box, sample, 4]: equal-sized boxes whose IoU with the box is `iou`; nothing is clipped.

    Shifted by (1 - alpha) of its width and (1 - beta) of its height, a box shares alpha times
    beta of its area, so that every pair with alpha beta = 2 iou / (1 + iou) has that IoU.
    Coordinates stay real: whole pixels would break the identity.
    """
    if not 0 < iou < 1:
        raise ParameterError(f"sampled boxes have an IoU between 0 and 1, got {iou:g}")
    kept = np.stack(kept_shares(iou, n_shifts), axis=1)
    shift = (FAMILIES[:, None, :] * (1 - kept)[None, :, :]).reshape(-1, 2)
    corner, sides = boxes_xywh[:, None, :2], boxes_xywh[:, None, 2:]
    moved = corner + shift * sides
    return np.concatenate([moved, np.broadcast_to(sides, moved.shape)], axis=2)


def kept_shares(iou: float, n_shifts: int) -> tuple[Floats, Floats]:
    """Alpha evenly between 2 iou / (1 + iou) and 1, the ends excluded; and the beta of each."""
    product = 2 * iou / (1 + iou)
    alpha = product + (1 - product) * np.arange(1, n_shifts + 1) / (n_shifts + 1)
    return alpha, product / alpha
