"""An ONNX file as onnxruntime sees it: what goes in, what comes out, and running it quietly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.errors import InputError, imported
from boxlens.formats.files import existing_file

_FATAL = 4
_LONGEST_REASON = 300
# What onnxruntime calls a type -> the array that holds it.
_INPUT_TYPES: dict[str, type[np.generic]] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
}


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output of a model; sizes that are open are None."""

    name: str
    shape: tuple[int | None, ...]
    type: str

    def text(self) -> str:
        """As messages show it: 'images' 1 x 3 x ? x ?."""
        return f"'{self.name}' {shape_text(self.shape)}"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """An opened model with one picture as input."""

    path: Path
    input: Port
    dtype: type[np.generic]
    outputs: tuple[Port, ...]
    session: Any
    quiet: Any

    def run(self, outputs: Sequence[str], tensor: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        try:
            answers = self.session.run(list(outputs), {self.input.name: tensor}, self.quiet)
        except Exception as problem:
            # onnxruntime's errors share no type but this one.
            raise InputError(
                f"the model fails on an input of {shape_text(tensor.shape)} ({_reason(problem)})",
                path=self.path,
                remedy="Check input.size and input.layout of the spec",
            ) from problem
        return [np.asarray(answer) for answer in answers]


def open_model(path: Path) -> Model:
    """Loads the file; one thread per run, as images and not layers are shared among threads."""
    onnxruntime = imported("onnxruntime", "running ONNX models", "onnxruntime", "onnx")
    existing_file(path)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _FATAL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(
            # It would print what went wrong before it raises.
            str(path),
            options,
            providers=["CPUExecutionProvider"],
            enable_fallback=0,
        )
        # A name may be no text.
        inputs = [_port(found) for found in session.get_inputs()]
        outputs = tuple(_port(found) for found in session.get_outputs())
    except Exception as problem:
        raise _not_loaded(path, problem) from problem
    quiet = onnxruntime.RunOptions()
    quiet.log_severity_level = _FATAL
    port = _only_input(inputs, path)
    return Model(
        path=path,
        input=port,
        dtype=_INPUT_TYPES[port.type],
        outputs=outputs,
        session=session,
        quiet=quiet,
    )


def shape_text(shape: Sequence[int | None]) -> str:
    return " x ".join("?" if side is None else str(side) for side in shape) or "of unknown shape"


def _port(found: Any) -> Port:
    shape = tuple(side if isinstance(side, int) else None for side in found.shape)
    return Port(found.name, shape, found.type)


def _only_input(ports: Sequence[Port], path: Path) -> Port:
    if len(ports) != 1:
        raise InputError(
            f"expected a model with one input, found {len(ports)}: "
            + ", ".join(port.text() for port in ports),
            path=path,
            remedy="Export the model so that the image is its only input",
        )
    if ports[0].type not in _INPUT_TYPES:
        raise InputError(
            f"the input {ports[0].text()} is a {ports[0].type}, expected one of "
            + ", ".join(_INPUT_TYPES),
            path=path,
            remedy="Export the model with an image as input",
        )
    return ports[0]


def _not_loaded(path: Path, problem: Exception) -> InputError:
    size = path.stat().st_size
    reason = _reason(problem)
    if size == 0:
        return InputError(
            "expected an ONNX model, the file is empty", path=path, remedy="Copy or export it again"
        )
    if "protobuf" in reason.lower():
        return InputError(
            f"not a complete ONNX model ({size:,} bytes)",
            path=path,
            remedy="Name an .onnx file; if it is one, it is damaged: copy or export it again",
        )
    return InputError(
        f"onnxruntime cannot load the model ({reason})",
        path=path,
        remedy="Export it again, or install a newer onnxruntime",
    )


def _reason(problem: Exception) -> str:
    """What onnxruntime says, without its code, place in its source and signature."""
    text = " ".join(str(problem).split())
    text = re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", text)
    text = re.sub(r"^Load model from .*? failed:", "", text)
    text = re.sub(r"\S+\.(?:cc|h|cpp):\d+ .*?\) ", "", text)
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}..."
