"""Whether a model and a spec fit, by the shapes of inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from boxlens.detectors.onnx.model import Model, Port, shape_text
from boxlens.detectors.onnx.preparing import value_table
from boxlens.detectors.onnx.spec import BoxSpec, InputSpec, OnnxSpec, OutputSpec
from boxlens.errors import InputError

Size = tuple[int, int]


class FeedingSpec(Protocol):
    """The part of a spec that says how a model is fed, be it a detector or a classifier."""

    @property
    def path(self) -> Path: ...

    @property
    def input(self) -> InputSpec: ...


def input_size(spec: FeedingSpec, model: Model) -> Size | None:
    """Width and height to feed; None: each image's own."""
    misfit = partial(_misfit, spec, model)
    sides = _sides(spec, model)
    fixed = (sides["w"], sides["h"])
    wanted = spec.input.size
    _check_values(spec, model)
    if wanted == "image":
        if fixed != (None, None):
            raise misfit("input.size", f"the model needs {_size_text(fixed)}", "Write model")
        return None
    if isinstance(wanted, str):
        if fixed[0] is None or fixed[1] is None:
            raise misfit(
                "input.size",
                f"the input {model.input.text()} has no fixed size",
                "Write input: {size: [640, 480]}, width and height, into a spec of your own",
            )
        return fixed[0], fixed[1]
    for side, own in zip(wanted, fixed, strict=True):
        if own not in {None, side}:
            raise misfit(
                "input.size",
                f"the spec says {_size_text(wanted)}, the model {_size_text(fixed)}",
                "Write model, or the model's size",
            )
    return wanted


def output_ports(spec: OnnxSpec, model: Model, size: Size | None) -> tuple[Port, ...]:
    """The outputs the spec speaks of, in its order, as far as their declared shapes fit."""
    misfit = partial(_misfit, spec, model)
    by_name = {port.name: port for port in model.outputs}
    listed = ", ".join(port.text() for port in model.outputs)
    unnamed = [output for output in spec.outputs if output.name is None]
    if unnamed and len(spec.outputs) != len(model.outputs):
        raise misfit(
            "outputs",
            f"the spec lists {len(spec.outputs)}, the model has {len(model.outputs)}: {listed}",
            "List them all, or name those that matter",
        )
    ports: list[Port] = []
    for number, output in enumerate(spec.outputs):
        if output.name is not None and output.name not in by_name:
            raise misfit(
                f"outputs[{number}].name",
                f"unknown output '{output.name}'",
                f"The model has {listed}",
            )
        port = model.outputs[number] if output.name is None else by_name[output.name]
        # A shape that is declared empty is unknown: it is looked at when the model has run.
        if port.shape:
            check_shape(spec, model, number, port.shape, size)
        ports.append(port)
    return tuple(ports)


def check_shape(
    spec: OnnxSpec, model: Model, number: int, shape: Sequence[int | None], size: Size | None
) -> None:
    """Raises where the shape of an output, declared or real, is not what the spec says."""
    output = spec.outputs[number]
    problem = _shape_problem(output, shape, spec.class_list.n_labels)
    if problem is None and size is not None:
        problem = _count_problem(spec.boxes, output, shape, size)
    if problem is not None:
        raise _misfit(
            spec,
            model,
            f"outputs[{number}]",
            f"an output of {shape_text(shape)} does not fit [{', '.join(output.axes)}] with "
            f"columns [{', '.join(output.columns)}]: {problem}",
            "Choose the spec that belongs to the model, or correct it",
        )


def column_widths(output: OutputSpec, n_labels: int) -> list[int]:
    """How many values each column name stands for; `rest` is whatever follows."""
    wide = {"box": 4, "classes": n_labels, "rest": 0}
    return [wide.get(name, 1) for name in output.columns]


def _sides(spec: FeedingSpec, model: Model) -> dict[str, int | None]:
    """The input's declared sizes by the letter of their axis."""
    misfit = partial(_misfit, spec, model)
    layout = spec.input.layout
    shape = model.input.shape
    if len(shape) != len(layout):
        raise misfit(
            "input.layout",
            f"{layout} has {len(layout)} axes, the input {model.input.text()} has {len(shape)}",
            "Write the order of its axes: nchw, nhwc, chw or hwc",
        )
    sides = dict(zip(layout, shape, strict=True))
    if sides["c"] not in {None, 3}:
        raise misfit(
            "input.layout",
            f"the input {model.input.text()} has {sides['c']} channels, expected 3",
            "Write the order of its axes (nchw or nhwc); only colour images are fed",
        )
    if sides.get("n") not in {None, 1}:
        raise misfit(
            "input.layout",
            f"the input {model.input.text()} needs batches of {sides['n']}",
            "Export the model with a batch of 1, or an open one",
        )
    return sides


def _check_values(spec: FeedingSpec, model: Model) -> None:
    if model.dtype is np.uint8:
        table = value_table(spec.input)
        if (table != np.rint(table)).any() or table.min() < 0 or table.max() > 255:
            raise _misfit(
                spec,
                model,
                "input.scale",
                "the model takes whole pixel values",
                "Remove scale, mean and std",
            )


def _shape_problem(output: OutputSpec, shape: Sequence[int | None], n_labels: int) -> str | None:
    if len(shape) != len(output.axes):
        return f"it has {len(shape)} axes, expected {len(output.axes)}"
    sides = dict(zip(output.axes, shape, strict=True))
    if sides.get("batch") not in {None, 1}:
        return f"a batch of {sides['batch']}, expected 1"
    n_columns = sides.get("columns") if "columns" in sides else 1
    n_expected = sum(column_widths(output, n_labels))
    if n_columns is None or n_columns == n_expected:
        return None
    if "rest" in output.columns and n_columns > n_expected:
        return None
    of_which = f" ({n_labels} of them for classes)" if "classes" in output.columns else ""
    return f"{n_columns} columns, expected {n_expected}{of_which}"


def _count_problem(
    boxes: BoxSpec, output: OutputSpec, shape: Sequence[int | None], size: Size
) -> str | None:
    if not boxes.strides:
        return None
    sides = [side for axis, side in zip(output.axes, shape, strict=True) if axis == "boxes"]
    n_boxes = 1
    for side in sides:
        if side is None:
            return None
        n_boxes *= side
    width, height = size
    n_cells = sum((width // stride) * (height // stride) for stride in boxes.strides)
    n_expected = n_cells * boxes.per_cell
    if n_boxes == n_expected:
        return None
    return (
        f"{n_boxes:,} boxes, expected {n_expected:,} for {width} x {height} pixels, "
        f"strides {', '.join(map(str, boxes.strides))}, {boxes.per_cell} per cell"
    )


def _size_text(size: Sequence[int | None]) -> str:
    return f"{shape_text(size)} (width x height)"


def _misfit(spec: FeedingSpec, model: Model, field: str, problem: str, remedy: str) -> InputError:
    return InputError(
        problem, path=model.path, where=f"{field} of the spec {spec.path.name}", remedy=remedy
    )
