"""What the four values of a box mean: every form becomes x, y, w, h in pixels of the input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.boxes import xywh_from_corners
from boxlens.detectors.onnx.spec import GRID_FORMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data.columns import Boxes, Floats, Offsets
    from boxlens.detectors.onnx.spec import BoxSpec


def input_boxes(values: Floats, row: Offsets, spec: BoxSpec, size: tuple[int, int]) -> Boxes:
    """Boxes of the values of some rows; `size` is the width and height of the model's input."""
    if spec.form in GRID_FORMS:
        cell, stride = grid(spec.strides, size)
        return _from_grid(values, spec.form, cell[row], stride[row], size)
    if spec.units == "fractions":
        width, height = size
        sides = [height, width] if spec.form == "yxyx" else [width, height]
        values = values * np.array([*sides, *sides])
    if spec.form == "cxcywh":
        return _from_centres(values[:, :2], values[:, 2:])
    if spec.form == "xyxy":
        return xywh_from_corners(values)
    if spec.form == "yxyx":
        return xywh_from_corners(values[:, [1, 0, 3, 2]])
    return values


def grid(strides: Sequence[int], size: tuple[int, int]) -> tuple[Floats, Floats]:
    """Column and row of every cell, grid by grid, each row by row from the top; and its stride."""
    width, height = size
    cells = []
    for stride in strides:
        y, x = np.mgrid[: height // stride, : width // stride].reshape(2, -1)
        cells.append(np.stack([x, y, np.full(len(x), stride)], axis=1).astype(np.float64))
    table = np.concatenate(cells)
    return table[:, :2], table[:, 2:]


def sigmoid(values: Floats) -> Floats:
    """Without overflow on either side."""
    small = np.exp(-np.abs(values))
    shares: Floats = np.where(values >= 0, 1.0, small) / (1.0 + small)
    return shares


def _from_grid(
    values: Floats, form: str, cell: Floats, stride: Floats, size: tuple[int, int]
) -> Boxes:
    if form == "grid-tanh":
        return _from_centres(
            (cell + np.tanh(values[:, :2])) * stride, sigmoid(values[:, 2:]) * np.array(size)
        )
    # Values of boxes that are decoded already overflow here; the caller looks at the result.
    with np.errstate(over="ignore", invalid="ignore"):
        return _from_centres((cell + values[:, :2]) * stride, np.exp(values[:, 2:]) * stride)


def _from_centres(centre: Floats, sides: Floats) -> Boxes:
    return np.hstack([centre - sides / 2, sides])
