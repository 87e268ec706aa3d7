"""A model's tensors become boxes, scores and classes, in the space of the model's input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.boxes import xywh_from_corners
from boxlens.data.columns import Boxes, Floats, Offsets, Rows
from boxlens.detectors.onnx.fitting import column_widths
from boxlens.detectors.onnx.spec import GRID_FORMS, BoxSpec, OnnxSpec, OutputSpec
from boxlens.errors import InputError

Columns = dict[str, "Floats"]
# Half precision and quantised models leave 0 to 1 by a little.
_SLACK = 0.01
_LOWEST = np.finfo(np.float64).min


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


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Boxes (x, y, w, h) of one image with their scores and classes."""

    box: Boxes
    score: Floats
    class_row: Rows
    # Left out: labels that name no class, and boxes with a negative side.
    n_unknown: int
    n_inverted: int

    def select(self, rows: Rows) -> Found:
        return replace(
            self, box=self.box[rows], score=self.score[rows], class_row=self.class_row[rows]
        )


def decode(tensors: Sequence[npt.NDArray[Any]], spec: OnnxSpec, size: tuple[int, int]) -> Found:
    """All boxes above the least score, in input pixels, before any suppression.

    The shapes of the tensors fit the spec. Problems come without the model's path.
    """
    columns = _columns(tensors, spec)
    row, label, score = _scored(columns, spec)
    values = columns["box"][row]
    _check_finite("box", values)
    box = input_boxes(values, row, spec.boxes, size)
    n_endless = int(np.count_nonzero(~np.isfinite(box).all(axis=1)))
    if n_endless:
        raise InputError(
            f"{n_endless} of {len(box)} boxes are infinite",
            where="boxes.form of the spec",
            remedy=f"Is '{spec.boxes.form}' right? Decoded boxes need cxcywh, xyxy, xywh or yxyx",
        )
    class_row = np.where(label >= 0, spec.class_list.row_of_label[label], -1).astype(np.int32)
    inverted = (box[:, 2:] < 0).any(axis=1)
    found = Found(
        box=box,
        score=score,
        class_row=class_row,
        n_unknown=int(np.count_nonzero(class_row < 0)),
        n_inverted=int(np.count_nonzero(inverted & (class_row >= 0))),
    )
    return found.select(np.flatnonzero((class_row >= 0) & ~inverted).astype(np.int32))


def _columns(tensors: Sequence[npt.NDArray[Any]], spec: OnnxSpec) -> Columns:
    """The named columns of all outputs, one row per box."""
    found: Columns = {}
    for tensor, output in zip(tensors, spec.outputs, strict=True):
        found |= _columns_of(_table(tensor, output), output, spec.class_list.n_labels)
    lengths = {name: len(values) for name, values in found.items()}
    if len(set(lengths.values())) > 1:
        numbers = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(
            f"outputs differ in their number of boxes: {numbers}",
            where="outputs of the spec",
            remedy="Correct the axes",
        )
    return found


def _table(tensor: npt.NDArray[Any], output: OutputSpec) -> Floats:
    """One row per box, in the order the axes have in memory; one column per value."""
    axes = list(output.axes)
    if "batch" in axes:
        tensor = tensor[(slice(None),) * axes.index("batch") + (0,)]
        axes.remove("batch")
    if "columns" in axes:
        tensor = np.moveaxis(tensor, axes.index("columns"), -1)
    else:
        tensor = tensor[..., None]
    return tensor.reshape(-1, tensor.shape[-1]).astype(np.float64)


def _columns_of(table: Floats, output: OutputSpec, n_labels: int) -> Columns:
    ends = np.cumsum(column_widths(output, n_labels))
    found = {
        name: table[:, end - width : end]
        for name, width, end in zip(
            output.columns, column_widths(output, n_labels), ends, strict=True
        )
        if name not in {"skip", "rest"}
    }
    for name, values in found.items():
        # Boxes are looked at once it is known which of them count; -inf is a class ruled out.
        if name != "box":
            _check_finite(name, np.maximum(values, _LOWEST))
    return found


def _check_finite(name: str, values: Floats) -> None:
    n_wrong = int(np.count_nonzero(~np.isfinite(values)))
    if n_wrong:
        raise InputError(
            f"{n_wrong:,} of {values.size:,} values of '{name}' are NaN or infinite",
            where="the model's output",
            remedy="Check input.scale, mean and std of the spec; a float16 model may overflow",
        )


def _scored(columns: Columns, spec: OnnxSpec) -> tuple[Offsets, Offsets, Floats]:
    """Row, label and score of what reaches the least score, in the order of rows."""
    least = spec.keep.min_score
    if "score" in columns:
        score = _activated(columns["score"], spec, "score")[:, 0]
        row = np.flatnonzero(score >= least)
        label = _whole_labels(columns["label"][row, 0], spec.class_list.n_labels)
        return row, label, score[row]
    by_class = _class_values(columns, spec) ** spec.scores.class_power
    if "objectness" in columns:
        objectness = _activated(columns["objectness"], spec, "objectness")
        by_class = by_class * objectness**spec.scores.objectness_power
    if spec.keep.classes_per_box == "many":
        row, label = np.nonzero(by_class >= least)
        return row, label, by_class[row, label]
    best = by_class.argmax(axis=1)
    score = np.take_along_axis(by_class, best[:, None], axis=1)[:, 0]
    row = np.flatnonzero(score >= least)
    return row, best[row], score[row]


def _class_values(columns: Columns, spec: OnnxSpec) -> Floats:
    values = columns["classes"]
    if spec.scores.activation != "softmax":
        return _activated(values, spec, "classes")
    rivals = np.hstack([values, columns["background"]]) if "background" in columns else values
    rivals = np.maximum(rivals, _LOWEST)
    weights = np.exp(rivals - rivals.max(axis=1, keepdims=True))
    shares: Floats = weights / weights.sum(axis=1, keepdims=True)
    return shares[:, : values.shape[1]]


def _activated(values: Floats, spec: OnnxSpec, what: str) -> Floats:
    """Values from 0 to 1; raises where there was no activation and should have been one."""
    if spec.scores.activation == "sigmoid":
        return sigmoid(values)
    # A negative score marks a row without a box in outputs of a fixed length.
    low = -np.inf if what == "score" else -_SLACK
    if values.size and (values.min() < low or values.max() > 1 + _SLACK):
        raise InputError(
            f"'{what}' is between {values.min():.4g} and {values.max():.4g}, expected 0 to 1",
            where="the model's output",
            remedy="Set scores.activation to sigmoid or softmax, or choose another spec",
        )
    return np.clip(values, 0.0, 1.0)


def _whole_labels(labels: Floats, n_labels: int) -> Offsets:
    """Labels as whole numbers; -1 where one lies outside the known ones."""
    if (labels != np.rint(labels)).any():
        raise InputError(
            f"the label {labels[labels != np.rint(labels)][0]:g} is not a whole number",
            where="outputs of the spec",
            remedy="Check which output or column holds the labels",
        )
    known = (labels >= 0) & (labels < n_labels)
    return np.where(known, labels, -1).astype(np.int64)
