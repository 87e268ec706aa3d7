"""How to feed an ONNX classifier and how to read its answer, as a small YAML file says it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boxlens.data import Classes
from boxlens.data.columns import owned
from boxlens.detectors.onnx.model import Model
from boxlens.detectors.onnx.spec import LAYOUTS, InputSpec, check_values
from boxlens.detectors.onnx.spec_classes import ClassList, take_classes
from boxlens.detectors.onnx.spec_fields import Fields
from boxlens.errors import InputError
from boxlens.formats.yaml_files import read_yaml

# What classifiers trained on ImageNet are fed with, in the order red, green, blue.
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)
USUAL_SIDE_PX = 224
# Their pictures are scaled to a shorter side of 256 before 224 x 224 pixels are cut out.
USUAL_MARGIN = 256 / 224
ACTIVATIONS = ("softmax", "sigmoid", "none")


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierSpec:
    """All of it; `path` is for messages."""

    path: Path
    # The files it was read from; none where all is as usual.
    files: tuple[Path, ...]
    input: InputSpec
    # Crops are scaled to this shorter side and their middle is cut out; None: they are stretched.
    shorter_side: int | None
    # By name; None: the only output.
    output: str | None
    activation: str
    class_list: ClassList


def read_classifier_spec(
    path: Path | None, model: Model, classes: Classes | None
) -> ClassifierSpec:
    """Reads and checks a spec file, or takes what is usual; the file's classes come first."""
    fields = Fields({} if path is None else read_yaml(path), path or Path("defaults"))
    class_list = _class_list(fields, model, classes)
    feeding = fields.section_of("input")
    given = _input(feeding, whole_values=model.dtype is np.uint8)
    shorter_side = _shorter_side(feeding, given)
    feeding.finish()
    spec = ClassifierSpec(
        path=fields.path,
        files=tuple(file for file in (path, class_list.file) if file is not None),
        input=given,
        shorter_side=shorter_side,
        output=fields.text("output"),
        activation=fields.choice("activation", ACTIVATIONS, "softmax"),
        class_list=class_list,
    )
    fields.finish()
    return spec


def _class_list(fields: Fields, model: Model, classes: Classes | None) -> ClassList:
    if fields.raw("classes") is not None:
        return take_classes(fields)
    if classes is None:
        raise InputError(
            "its classes are unknown",
            path=model.path,
            remedy=f"Write classes: [cat, dog] into {model.path.with_suffix('.yaml').name} beside "
            "it, in the order of its outputs",
        )
    return ClassList(classes, owned(np.arange(len(classes), dtype=np.int32)))


def _input(fields: Fields, *, whole_values: bool) -> InputSpec:
    """A model of whole values is fed with pixels as they are, unless the spec says otherwise."""
    channels = fields.choice("channels", ("rgb", "bgr"), "rgb")
    turn = 1 if channels == "rgb" else -1
    spec = InputSpec(
        size=_size(fields),
        layout=fields.choice("layout", LAYOUTS, "nchw"),
        channels=channels,
        scale=fields.number("scale", 1.0 if whole_values else 1 / 255),
        mean=fields.numbers("mean", (0.0,) * 3 if whole_values else IMAGENET_MEAN[::turn]),
        std=fields.numbers("std", (1.0,) * 3 if whole_values else IMAGENET_STD[::turn]),
        # What comes here has the model's size already.
        resize="stretch",
        interpolation="linear",
        align="centre",
        pad=0,
    )
    check_values(spec, fields)
    return spec


def _size(fields: Fields) -> tuple[int, int] | str:
    sides = fields.counts("size")
    if len(sides) > 2:
        raise fields.wrong("size", "one side or [width, height]")
    return (sides[0], sides[-1]) if sides else "model"


def _shorter_side(fields: Fields, spec: InputSpec) -> int | None:
    """0 means the usual margin around a size that only the model knows."""
    way = fields.choice("resize", ("stretch", "crop"), "stretch")
    side = fields.limit("shorter_side")
    if way == "stretch":
        if side is not None:
            raise fields.wrong("shorter_side", "none with resize: stretch")
        return None
    if side is not None and not isinstance(spec.size, str) and side < max(spec.size):
        raise fields.wrong("shorter_side", f"{max(spec.size)}, the size, or more")
    return side or 0
