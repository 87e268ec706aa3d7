"""Boxes are continuous x, y, w, h in pixels; other spaces are turned into it here (METHODS 0.1)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Boxes, Floats


def xywh_from_inclusive_corners(corners: npt.ArrayLike) -> Boxes:
    """1-based inclusive pixels (x1, y1, x2, y2), as VOC counts them; no +1 is needed afterwards."""
    x1, y1, x2, y2 = _columns(corners)
    return np.stack([x1 - 1, y1 - 1, x2 - x1 + 1, y2 - y1 + 1], axis=1)


def xywh_from_corners(corners: npt.ArrayLike) -> Boxes:
    """Continuous corners (x1, y1, x2, y2)."""
    x1, y1, x2, y2 = _columns(corners)
    return np.stack([x1, y1, x2 - x1, y2 - y1], axis=1)


def corners_from_xywh(boxes: npt.ArrayLike) -> Boxes:
    x, y, w, h = _columns(boxes)
    return np.stack([x, y, x + w, y + h], axis=1)


def xywh_from_relative_centre(
    centres: npt.ArrayLike,
    width_px: npt.ArrayLike,
    height_px: npt.ArrayLike,
) -> Boxes:
    """Centre and size as fractions of the image (cx, cy, w, h), as YOLO writes them."""
    cx, cy, w, h = _columns(centres)
    width = np.asarray(width_px, dtype=np.float64)
    height = np.asarray(height_px, dtype=np.float64)
    return np.stack([(cx - w / 2) * width, (cy - h / 2) * height, w * width, h * height], axis=1)


def relative_centre_from_xywh(
    boxes: npt.ArrayLike,
    width_px: npt.ArrayLike,
    height_px: npt.ArrayLike,
) -> Boxes:
    """The inverse of `xywh_from_relative_centre`."""
    x, y, w, h = _columns(boxes)
    width = np.asarray(width_px, dtype=np.float64)
    height = np.asarray(height_px, dtype=np.float64)
    return np.stack(
        [(x + w / 2) / width, (y + h / 2) / height, w / width, h / height],
        axis=1,
    )


def areas(boxes: npt.ArrayLike) -> Floats:
    """Width times height; infinite where that is beyond float64."""
    _, _, w, h = _columns(boxes)
    with np.errstate(over="ignore"):
        return w * h


def _columns(boxes: npt.ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    array = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    return array[:, 0], array[:, 1], array[:, 2], array[:, 3]
