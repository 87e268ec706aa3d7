"""How to feed an ONNX model and how to read its answer, as a small YAML file says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any, TypeVar

from boxlens.detectors.onnx.spec_classes import ClassList, take_classes
from boxlens.detectors.onnx.spec_fields import Fields, nearest
from boxlens.errors import InputError
from boxlens.formats.yaml_files import read_yaml

INCLUDED = ("yolox", "fastestdet", "yolov8", "yolov5", "torchvision")

LAYOUTS = ("nchw", "nhwc", "chw", "hwc")
AXES = ("batch", "boxes", "columns")
COLUMNS = ("box", "objectness", "classes", "background", "score", "label", "skip", "rest")
GRID_FORMS = ("grid-exp", "grid-tanh")
FORMS = ("cxcywh", "xyxy", "xywh", "yxyx", *GRID_FORMS)

_FOLDER = Path(__file__).with_name("specs")
_Spec = TypeVar("_Spec")


def by(method: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """A field that a method of `Fields` takes from a spec file, with these arguments."""
    return field(metadata={"take": lambda fields, key: method(fields, key, *given, **options)})


def _taken(kind: type[_Spec], fields: Fields) -> _Spec:
    columns = dataclass_fields(kind)  # type: ignore[arg-type]
    return kind(**{one.name: one.metadata["take"](fields, one.name) for one in columns})


def _size(fields: Fields, key: str) -> tuple[int, int] | str:
    value = fields.raw(key)
    if key not in fields or value in ("model", "image"):
        return str(value or "model")
    sides = fields.counts(key)
    if len(sides) not in {1, 2}:
        raise fields.wrong(key, "model, image, one side or [width, height]")
    return sides[0], sides[-1]


@dataclass(frozen=True, slots=True)
class InputSpec:
    """How pixels become the model's input."""

    # Width and height; "model": as the model fixes them, "image": as the image has them.
    size: tuple[int, int] | str = by(_size)
    layout: str = by(Fields.choice, LAYOUTS, "nchw")
    channels: str = by(Fields.choice, ("rgb", "bgr"), "rgb")
    # A pixel value v becomes (v * scale - mean) / std; mean and std in the order of channels.
    scale: float = by(Fields.number, 1.0)
    mean: tuple[float, ...] = by(Fields.numbers, (0.0, 0.0, 0.0))
    std: tuple[float, ...] = by(Fields.numbers, (1.0, 1.0, 1.0))
    resize: str = by(Fields.choice, ("letterbox", "stretch"), "letterbox")
    interpolation: str = by(Fields.choice, ("linear", "area", "cubic", "nearest"), "linear")
    align: str = by(Fields.choice, ("corner", "centre"), "centre")
    pad: int = by(Fields.whole, 114, low=0, high=255)


@dataclass(frozen=True, slots=True)
class OutputSpec:
    """What the axes and columns of one output tensor mean; without a name it goes by position."""

    name: str | None = by(Fields.text)
    axes: tuple[str, ...] = by(Fields.words, AXES)
    columns: tuple[str, ...] = by(Fields.words, COLUMNS)


@dataclass(frozen=True, slots=True)
class BoxSpec:
    """What the four values of a box mean, in the space of the model's input."""

    form: str = by(Fields.choice, FORMS)
    units: str = by(Fields.choice, ("pixels", "fractions"), "pixels")
    # With strides the number of boxes is known: per_cell for every cell of every grid.
    strides: tuple[int, ...] = by(Fields.counts)
    per_cell: int = by(Fields.whole, 1, low=1)
    clip: bool = by(Fields.flag, default=False)


@dataclass(frozen=True, slots=True)
class ScoreSpec:
    """score = objectness ^ objectness_power * class ^ class_power, after the activation."""

    activation: str = by(Fields.choice, ("none", "sigmoid", "softmax"), "none")
    objectness_power: float = by(Fields.number, 1.0, low=0.0)
    class_power: float = by(Fields.number, 1.0, low=0.0)


@dataclass(frozen=True, slots=True)
class KeepSpec:
    """Which boxes become detections."""

    classes_per_box: str = by(Fields.choice, ("one", "many"), "one")
    min_score: float = by(Fields.number, 0.001, low=0.0, high=1.0)
    nms: str = by(Fields.choice, ("by-class", "across-classes", "none"), "by-class")
    nms_iou: float = by(Fields.number, 0.65, low=0.0, high=1.0)
    max_per_image: int | None = by(Fields.limit)


@dataclass(frozen=True, slots=True, eq=False)
class OnnxSpec:
    """All of it, with the file it came from for messages."""

    path: Path
    # All files it was read from: itself, the spec it is like, a list of classes.
    files: tuple[Path, ...]
    input: InputSpec
    outputs: tuple[OutputSpec, ...]
    boxes: BoxSpec
    scores: ScoreSpec
    keep: KeepSpec
    class_list: ClassList

    @property
    def name(self) -> str:
        return self.path.stem


def included(name: str) -> Path:
    """The file of an included spec."""
    return _FOLDER / f"{name}.yaml"


def find_spec(spec: str | Path) -> Path:
    """An included spec by its name, or a file."""
    if str(spec) in INCLUDED:
        return included(str(spec))
    path = Path(spec)
    if not path.is_file():
        raise InputError(
            "unknown spec: neither an included one nor a file",
            path=path,
            remedy=nearest(str(spec), INCLUDED),
        )
    return path


def read_spec(path: Path) -> OnnxSpec:
    """Reads and checks a spec file; `like: NAME` fills what it leaves open from an included one."""
    values = read_yaml(path)
    files = [path]
    if isinstance(values, dict) and "like" in values:
        files.append(included(Fields(values, path).choice("like", INCLUDED)))
        own = {key: value for key, value in values.items() if key != "like"}
        values = _merged(read_yaml(files[-1]), own)
    fields = Fields(values, path)
    class_list = take_classes(fields)
    if class_list.file is not None:
        files.append(class_list.file)
    spec = OnnxSpec(
        path=path,
        files=tuple(files),
        input=_input(fields.section_of("input")),
        outputs=_outputs(fields),
        boxes=_boxes(fields.section_of("boxes")),
        scores=_whole_section(ScoreSpec, fields.section_of("scores")),
        keep=_whole_section(KeepSpec, fields.section_of("keep")),
        class_list=class_list,
    )
    fields.finish()
    _check_columns(spec)
    return spec


def _merged(given: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Own fields over given ones, section by section; lists and single fields are replaced."""
    sections = {"input", "boxes", "scores", "keep"}
    both = {
        key: {**given.get(key, {}), **value}
        for key, value in own.items()
        if key in sections and isinstance(value, dict)
    }
    return {**given, **own, **both}


def _whole_section(kind: type[_Spec], fields: Fields) -> _Spec:
    spec = _taken(kind, fields)
    fields.finish()
    return spec


def _input(fields: Fields) -> InputSpec:
    spec = _taken(InputSpec, fields)
    check_values(spec, fields)
    fields.finish()
    return spec


def check_values(spec: InputSpec, fields: Fields) -> None:
    """Numbers that pixel values can be multiplied with and divided by."""
    if spec.scale == 0:
        raise fields.wrong("scale", "a number other than 0")
    if not all(value > 0 for value in spec.std):
        raise fields.wrong("std", "3 numbers above 0")


def _outputs(fields: Fields) -> tuple[OutputSpec, ...]:
    tensors = fields.raw("outputs")
    if not isinstance(tensors, list) or not tensors:
        raise fields.wrong("outputs", "a list of outputs, each with axes and columns")
    return tuple(
        _output(Fields(tensor, fields.path, f"outputs[{number}]"))
        for number, tensor in enumerate(tensors)
    )


def _output(fields: Fields) -> OutputSpec:
    spec = _taken(OutputSpec, fields)
    if "boxes" not in spec.axes or any(spec.axes.count(axis) > 1 for axis in ("batch", "columns")):
        raise fields.wrong("axes", "boxes, and batch and columns at most once")
    if "rest" in spec.columns[:-1]:
        raise fields.wrong("columns", "rest at the end only")
    fields.finish()
    return spec


def _boxes(fields: Fields) -> BoxSpec:
    spec = _taken(BoxSpec, fields)
    if spec.form in GRID_FORMS:
        if not spec.strides:
            raise fields.wrong("strides", f"the strides of the grids for {spec.form}")
        if spec.per_cell != 1:
            raise fields.wrong("per_cell", f"1 for {spec.form}")
        if spec.units != "pixels":
            raise fields.wrong("units", f"pixels for {spec.form}")
    fields.finish()
    return spec


def _check_columns(spec: OnnxSpec) -> None:
    """Together the outputs hold one box, and either one score per class or a score and a label."""
    columns = [name for output in spec.outputs for name in output.columns]
    problem = None
    twice = [name for name in COLUMNS[:-2] if columns.count(name) > 1]
    if twice:
        problem = f"'{twice[0]}' occurs more than once"
    elif "box" not in columns:
        problem = "missing 'box'"
    elif ("classes" in columns) == ("score" in columns or "label" in columns):
        problem = "expected either 'classes', or 'score' and 'label'"
    elif ("score" in columns) != ("label" in columns):
        problem = "'score' and 'label' go together"
    elif "classes" not in columns and {"objectness", "background"} & set(columns):
        problem = "'objectness' and 'background' go with 'classes' only"
    elif "background" in columns and spec.scores.activation != "softmax":
        problem = "'background' takes part in scores.activation: softmax only"
    if problem is not None:
        raise InputError(
            f"columns of all outputs together: {problem}",
            path=spec.path,
            where="outputs",
            remedy="List what the model gives, such as [box, objectness, classes]",
        )
