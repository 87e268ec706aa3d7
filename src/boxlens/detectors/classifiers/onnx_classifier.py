"""An ONNX classifier: onnxruntime runs it, a small spec says what goes in and comes out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from boxlens.data import Classes
from boxlens.data.columns import Floats
from boxlens.detectors.classifiers.onnx_classifier_spec import (
    USUAL_MARGIN,
    USUAL_SIDE_PX,
    ClassifierSpec,
    read_classifier_spec,
)
from boxlens.detectors.hog import resized
from boxlens.detectors.named_objects import classes_from
from boxlens.detectors.onnx.decoding import sigmoid
from boxlens.detectors.onnx.fitting import input_size
from boxlens.detectors.onnx.model import Model, Port, open_model, shape_text
from boxlens.detectors.onnx.preparing import prepare
from boxlens.errors import InputError, ParameterError
from boxlens.formats.files import existing_file
from boxlens.images import Pixels
from boxlens.limits import THREADS

# Of a crop that is longer than so many times its width, the middle is enough.
_MOST_ELONGATED = 8


@dataclass(frozen=True, slots=True, eq=False)
class OnnxClassifier:
    """Runs crops one by one, several at a time: a batch changes nothing in the answers."""

    name: str
    spec: ClassifierSpec
    model: Model
    output: Port
    # Width and height fed to the model.
    size: tuple[int, int]
    threads: int = 0

    @property
    def classes(self) -> Classes:
        return self.spec.class_list.classes

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that answers depend on."""
        return (self.model.path, *self.spec.files)

    def classify(self, crops: Sequence[Pixels]) -> Floats:
        """After the activation; -inf for a class without an output."""
        answers = np.full((len(crops), len(self.classes)), -np.inf)
        row_of_label = self.spec.class_list.row_of_label
        named = np.flatnonzero(row_of_label >= 0)
        n_threads = min(self.threads or os.cpu_count() or 1, max(len(crops), 1))
        with ThreadPoolExecutor(n_threads) as pool:
            for number, values in enumerate(pool.map(self._values, crops)):
                answers[number, row_of_label[named]] = values[named]
        return answers

    def _values(self, crop: Pixels) -> Floats:
        fed = fitted_crop(crop, self.size, self.spec.shorter_side)
        tensor, _ = prepare(fed, self.spec.input, self.size, self.model.dtype)
        (answer,) = self.model.run([self.output.name], tensor)
        n_labels = self.spec.class_list.n_labels
        if answer.size != n_labels:
            raise _wrong_length(self.model, shape_text(answer.shape), n_labels)
        return _activated(answer.reshape(-1).astype(np.float64), self.spec.activation)


def open_onnx_classifier(
    path: str | Path,
    spec: str | Path | None = None,
    *,
    classes: Classes | Sequence[str] | None = None,
    threads: int = 0,
) -> OnnxClassifier:
    """A model as a classifier, on `threads` threads (0: all cores).

    Without `spec` the file of the model's name that ends in .yaml is read, if it is there. Classes
    that no spec names are those given, in the order of the model's outputs.
    """
    THREADS.check(threads, "threads")
    model = open_model(Path(path))
    beside = model.path.with_suffix(".yaml")
    file = existing_file(spec) if spec is not None else beside if beside.is_file() else None
    given = classes if isinstance(classes, Classes) or classes is None else list(classes)
    known = None if given is None else classes_from(given, str(path))
    wanted = read_classifier_spec(file, model, known)
    size = _size(wanted, model)
    if wanted.shorter_side == 0:
        wanted = replace(wanted, shorter_side=round(max(size) * USUAL_MARGIN))
    return OnnxClassifier(
        name=model.path.stem,
        spec=wanted,
        model=model,
        output=_output(wanted, model),
        size=size,
        threads=threads,
    )


def fitted_crop(crop: Pixels, size: tuple[int, int], shorter_side: int | None) -> Pixels:
    """The crop at the model's size: stretched, or the middle of it scaled to a shorter side."""
    width, height = size
    if shorter_side is None:
        return resized(crop, width, height)
    crop = _middle(
        crop,
        min(crop.shape[1], crop.shape[0] * _MOST_ELONGATED),
        min(crop.shape[0], crop.shape[1] * _MOST_ELONGATED),
    )
    scale = shorter_side / min(crop.shape[:2])
    scaled = resized(
        crop,
        max(round(crop.shape[1] * scale), shorter_side),
        max(round(crop.shape[0] * scale), shorter_side),
    )
    return _middle(scaled, width, height)


def _middle(pixels: Pixels, width: int, height: int) -> Pixels:
    top = (pixels.shape[0] - height) // 2
    left = (pixels.shape[1] - width) // 2
    return pixels[top : top + height, left : left + width]


def _size(spec: ClassifierSpec, model: Model) -> tuple[int, int]:
    """As the spec or the model says; as usual where neither does."""
    layout = spec.input.layout
    if spec.input.size == "model" and len(model.input.shape) == len(layout):
        sides = dict(zip(layout, model.input.shape, strict=True))
        if sides["w"] is None or sides["h"] is None:
            open_sides = sides["w"] or USUAL_SIDE_PX, sides["h"] or USUAL_SIDE_PX
            spec = replace(spec, input=replace(spec.input, size=open_sides))
    size = input_size(spec, model)
    if size is None:
        raise ParameterError("a classifier needs crops of one size")
    if spec.shorter_side and spec.shorter_side < max(size):
        raise InputError(
            f"crops of a shorter side of {spec.shorter_side} do not fill {shape_text(size)}",
            path=model.path,
            where=f"input.shorter_side of the spec {spec.path.name}",
            remedy=f"Write {max(size)} or more",
        )
    return size


def _output(spec: ClassifierSpec, model: Model) -> Port:
    listed = ", ".join(port.text() for port in model.outputs)
    named = [port for port in model.outputs if spec.output in {None, port.name}]
    if len(named) != 1:
        raise InputError(
            f"unknown output '{spec.output}'" if spec.output else "it has several outputs",
            path=model.path,
            where=f"output of the spec {spec.path.name}",
            remedy=f"Write output: with one of these names into a spec: {listed}",
        )
    n_labels = spec.class_list.n_labels
    # Sides that are open, or unknown altogether, are looked at when the model has run.
    declared = [side for side in named[0].shape if side not in {None, 1}]
    if declared and declared != [n_labels]:
        raise _wrong_length(model, named[0].text(), n_labels)
    return named[0]


def _wrong_length(model: Model, found: str, n_labels: int) -> InputError:
    return InputError(
        f"expected a number for each of {n_labels} classes, got an output {found}",
        path=model.path,
        remedy="List the classes of the model in a spec, in the order of its outputs",
    )


def _activated(values: Floats, activation: str) -> Floats:
    """What is not finite stays so, for the caller to see."""
    if activation == "none":
        return values
    with np.errstate(invalid="ignore"):
        if activation == "sigmoid":
            return sigmoid(values)
        shares = np.exp(values - values.max())
        return np.asarray(shares / shares.sum())
