"""Boxes under affine maps of the picture: 2 x 3 matrices over continuous coordinates."""

from __future__ import annotations

import numpy as np

from boxlens.data.columns import Bools, Boxes, Floats, frozen
from boxlens.errors import ParameterError

# The map that leaves everything where it is.
STAYS = frozen(np.eye(2, 3), np.float64)


def map_boxes(boxes_xywh: Boxes, matrix: Floats) -> Boxes:
    """The upright box of the four mapped corners, averaged and not enclosing (METHODS 6.5).

    Its left side is the mean of the two smallest x, its right side that of the two largest. The
    centre goes where the map takes it, and a side is as long as the longer of the two edges of
    the mapped box seen along it. Maps that only shift and scale by powers of two lose no bit.
    """
    new_sides = (np.abs(matrix[:, :2]) * boxes_xywh[:, None, 2:]).max(axis=2)
    return _centred(boxes_xywh, matrix, new_sides)


def map_ellipses(boxes_xywh: Boxes, matrix: Floats) -> Boxes:
    """The upright box around the mapped ellipse that fills each box.

    What a turned object fills is known from its box alone only if a shape is supposed: on masks
    of COCO, ellipses come nearest (ADR 11). Maps that only shift and scale give the mapped box.
    """
    return _centred(boxes_xywh, matrix, ellipse_sides(boxes_xywh[:, 2:], matrix[:, :2]))


def _centred(boxes_xywh: Boxes, matrix: Floats, new_sides: Floats) -> Boxes:
    """Boxes of these sides where the map takes the centres."""
    corner, sides, linear = boxes_xywh[:, :2], boxes_xywh[:, 2:], matrix[:, :2]
    new_corner = corner @ linear.T + matrix[:, 2] + (sides @ linear.T - new_sides) / 2
    return np.concatenate([new_corner, new_sides], axis=1)


def ellipse_sides(sides: Floats, linear: Floats) -> Floats:
    """Of the boxes around mapped ellipses; one linear map, or one for each."""
    return np.asarray(np.sqrt(((linear * sides[:, None, :]) ** 2).sum(axis=2)))


def inverted(matrix: Floats) -> Floats:
    """The map back."""
    linear = matrix[:, :2]
    if np.linalg.det(linear) == 0:
        raise ParameterError(f"the map {matrix.tolist()} has no inverse: it flattens the picture")
    back = np.linalg.inv(linear)
    return np.column_stack([back, -back @ matrix[:, 2]])


def composed(first: Floats, second: Floats) -> Floats:
    """First one map, then the other."""
    linear = second[:, :2] @ first[:, :2]
    return np.column_stack([linear, second[:, :2] @ first[:, 2] + second[:, 2]])


def inside(boxes_xywh: Boxes, width_px: float, height_px: float) -> Bools:
    """Whose centre lies in a picture of this size, its border included."""
    centre = boxes_xywh[:, :2] + boxes_xywh[:, 2:] / 2
    x, y = centre[:, 0], centre[:, 1]
    return (x >= 0) & (x <= width_px) & (y >= 0) & (y <= height_px)
