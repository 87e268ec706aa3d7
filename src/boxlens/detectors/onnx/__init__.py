"""ONNX models as detectors: onnxruntime runs them, a small spec says what goes in and comes out."""

from __future__ import annotations

from pathlib import Path

from boxlens.detectors.onnx.detector import OnnxDetector
from boxlens.detectors.onnx.model import Model
from boxlens.detectors.onnx.spec import INCLUDED, OnnxSpec, find_spec, included, read_spec

__all__ = ["INCLUDED", "open_onnx"]


def open_onnx(
    path: str | Path, spec: str | Path | None = None, *, name: str | None = None, threads: int = 0
) -> OnnxDetector:
    """A model as a detector, on `threads` threads (0: all cores).

    `spec` is the name of an included spec or a file; without it the model's shapes decide.
    """
    from boxlens.detectors.onnx.detector import OnnxDetector
    from boxlens.detectors.onnx.fitting import input_size, output_ports
    from boxlens.detectors.onnx.model import open_model
    from boxlens.limits import THREADS

    THREADS.check(threads, "threads")
    wanted = None if spec is None else read_spec(find_spec(spec))
    model = open_model(Path(path))
    chosen = _recognised(model) if wanted is None else wanted
    size = input_size(chosen, model)
    return OnnxDetector(
        name=model.path.stem if name is None else name,
        spec=chosen,
        model=model,
        outputs=output_ports(chosen, model, size),
        size=size,
        threads=threads,
    )


def _recognised(model: Model) -> OnnxSpec:
    """The one included spec that fits the shapes of the model."""
    from boxlens.detectors.onnx.fitting import input_size, output_ports
    from boxlens.errors import InputError

    fitting: list[OnnxSpec] = []
    for name in INCLUDED:
        spec = read_spec(included(name))
        try:
            output_ports(spec, model, input_size(spec, model))
        except InputError:
            continue
        fitting.append(spec)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        problem = f"its shapes fit several specs: {', '.join(spec.name for spec in fitting)}"
        remedy = "Choose one of them with --spec"
    else:
        outputs = ", ".join(port.text() for port in model.outputs)
        problem = f"input {model.input.text()}, output {outputs}: no included spec matches"
        remedy = (
            f"Included are {', '.join(INCLUDED)}. Write a spec of your own, such as a YAML file "
            "with 'like: yolox' and 'classes: [cat, dog]'; docs/onnx-models.md shows all fields"
        )
    raise InputError(problem, path=model.path, remedy=remedy)
