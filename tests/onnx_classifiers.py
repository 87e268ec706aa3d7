"""Small real ONNX classifiers for tests: the mean of each channel, times a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def save_colour_classifier(
    path: Path,
    weights: np.ndarray,
    *,
    input_shape: Sequence[int | str] = ("n", 3, "h", "w"),
    input_type: int = TensorProto.FLOAT,
    channels_last: bool = False,
    second_output: bool = False,
) -> Path:
    """Global average pooling, and a row of `weights` for each output."""
    nodes = [helper.make_node("Cast", ["crop"], ["values"], to=TensorProto.FLOAT)]
    if channels_last:
        nodes.append(helper.make_node("Transpose", ["values"], ["planes"], perm=[0, 3, 1, 2]))
    else:
        nodes.append(helper.make_node("Identity", ["values"], ["planes"]))
    nodes += [
        helper.make_node("GlobalAveragePool", ["planes"], ["means"]),
        helper.make_node("Flatten", ["means"], ["flat"]),
        helper.make_node("Gemm", ["flat", "weights"], ["logits"], transB=1),
    ]
    shape = [input_shape[0], len(weights)]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)]
    if second_output:
        outputs.append(helper.make_tensor_value_info("flat", TensorProto.FLOAT, [shape[0], 3]))
    graph = helper.make_graph(
        nodes,
        "colours",
        [helper.make_tensor_value_info("crop", input_type, input_shape)],
        outputs,
        [numpy_helper.from_array(np.asarray(weights, dtype=np.float32), "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(path))
    return path
