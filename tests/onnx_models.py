"""Small real ONNX models for tests: outputs that are known, whatever goes in or because of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


def save_constant(
    path: Path,
    outputs: Mapping[str, np.ndarray],
    *,
    input_shape: Sequence[int | str] = (1, 3, 64, 64),
    input_type: int = FLOAT,
    declared: Mapping[str, Sequence[int | str]] = MappingProxyType({}),
    n_inputs: int = 1,
) -> Path:
    """A model that gives the same outputs for every input.

    Outputs in `declared` have that shape in the file, and theirs only when the model runs.
    """
    nodes = [_constant(name, value) for name, value in outputs.items() if name not in declared]
    for name in declared:
        nodes += _open_shaped(name, outputs[name])
    shapes = {name: value.shape for name, value in outputs.items()} | dict(declared)
    types = {name: helper.np_dtype_to_tensor_dtype(value.dtype) for name, value in outputs.items()}
    inputs = [
        helper.make_tensor_value_info(f"image{number}", input_type, input_shape)
        for number in range(n_inputs)
    ]
    ports = [helper.make_tensor_value_info(name, types[name], shapes[name]) for name in outputs]
    return _save(path, nodes, inputs, ports)


def save_peeking(
    path: Path,
    place: int,
    *,
    input_shape: Sequence[int | str],
    input_type: int = FLOAT,
) -> Path:
    """One box (x, y, w, h, score, label) whose score is the input's value at `place`, flattened."""
    box = np.array([[10, 20, 30, 40]], dtype=np.float32)
    nodes = [
        _constant("flat", np.array([-1], dtype=np.int64)),
        _constant("place", np.array([place], dtype=np.int64)),
        _constant("row", np.array([1, 1], dtype=np.int64)),
        _constant("box", box),
        _constant("label", np.array([[0]], dtype=np.float32)),
        helper.make_node("Cast", ["image"], ["values"], to=FLOAT),
        helper.make_node("Reshape", ["values", "flat"], ["line"]),
        helper.make_node("Gather", ["line", "place"], ["found"]),
        helper.make_node("Reshape", ["found", "row"], ["score"]),
        helper.make_node("Concat", ["box", "score", "label"], ["rows"], axis=1),
    ]
    inputs = [helper.make_tensor_value_info("image", input_type, input_shape)]
    outputs = [helper.make_tensor_value_info("rows", FLOAT, [1, 6])]
    return _save(path, nodes, inputs, outputs)


def _open_shaped(name: str, value: np.ndarray) -> list[Any]:
    """The value, by a reshape whose target hangs on the input, so that no tool foresees it."""
    return [
        _constant(f"{name}.flat", value.ravel()),
        _constant(f"{name}.shape", np.array(value.shape, dtype=np.int64)),
        helper.make_node("ReduceMin", ["image0"], [f"{name}.least"], keepdims=0),
        helper.make_node("Cast", [f"{name}.least"], [f"{name}.number"], to=TensorProto.INT64),
        helper.make_node("Sub", [f"{name}.number", f"{name}.number"], [f"{name}.zero"]),
        helper.make_node("Add", [f"{name}.shape", f"{name}.zero"], [f"{name}.target"]),
        helper.make_node("Reshape", [f"{name}.flat", f"{name}.target"], [name]),
    ]


def _constant(name: str, value: np.ndarray) -> Any:
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(value))


def _save(path: Path, nodes: list[Any], inputs: list[Any], outputs: list[Any]) -> Path:
    graph = helper.make_graph(nodes, "test", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(path))
    return path
