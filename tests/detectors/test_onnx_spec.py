"""Spec files: what they may say, and what is said when they say something else."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from boxlens.detectors.onnx.spec import (
    AXES,
    COLUMNS,
    FORMS,
    INCLUDED,
    BoxSpec,
    InputSpec,
    KeepSpec,
    OutputSpec,
    ScoreSpec,
    find_spec,
    included,
    read_spec,
)
from boxlens.errors import InputError
from documentation_pages import blocks_of
from shared_data import ROOT

PAGE = ROOT / "docs" / "onnx-models.md"
SECTIONS = {
    "input": InputSpec,
    "outputs": OutputSpec,
    "boxes": BoxSpec,
    "scores": ScoreSpec,
    "keep": KeepSpec,
}
SMALL = """\
outputs: [{axes: [batch, boxes, columns], columns: [box, classes]}]
boxes: {form: xyxy}
classes: [cat, dog]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def problem_of(folder: Path, text: str) -> str:
    path = write(folder, text)
    with pytest.raises(InputError) as caught:
        read_spec(path)
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize("name", INCLUDED)
def test_included_specs_can_be_read(name: str):
    spec = read_spec(find_spec(name))
    assert spec.name == name
    assert len(spec.class_list.classes) == 80


def test_the_coco_list_has_ids_with_their_gaps():
    classes = read_spec(included("yolox")).class_list.classes
    gaps = {12, 26, 29, 30, 45, 66, 68, 69, 71, 83}
    assert classes.id.tolist() == [number for number in range(1, 91) if number not in gaps]
    assert (classes.name[0], classes.name[11], classes.name[79]) == (
        "person",
        "stop sign",
        "toothbrush",
    )


def test_what_is_left_out_has_a_default(tmp_path: Path):
    spec = read_spec(write(tmp_path, SMALL))
    assert spec.input == InputSpec(
        size="model",
        layout="nchw",
        channels="rgb",
        scale=1.0,
        mean=(0.0, 0.0, 0.0),
        std=(1.0, 1.0, 1.0),
        resize="letterbox",
        interpolation="linear",
        align="centre",
        pad=114,
    )
    assert spec.boxes == BoxSpec("xyxy", "pixels", (), 1, clip=False)
    assert spec.scores == ScoreSpec("none", 1.0, 1.0)
    assert spec.keep == KeepSpec("one", 0.001, "by-class", 0.65, None)
    assert spec.class_list.classes.id.tolist() == [1, 2]


def test_everything_can_be_said(tmp_path: Path):
    text = """\
input: {size: [640, 480], layout: nhwc, channels: bgr, scale: 1/255, mean: [0.5, 0.4, 0.3],
  std: [2, 3, 4e-1], resize: stretch, interpolation: area, align: corner, pad: 0}
outputs: [{name: out, axes: [columns, boxes, boxes], columns: [skip, box, objectness, classes]}]
boxes: {form: grid-exp, strides: [8, 16], clip: true}
scores: {activation: sigmoid, objectness_power: 0.6, class_power: 0.4}
keep: {classes_per_box: many, min_score: 0, nms: none, nms_iou: 1, max_per_image: none}
classes: {5: no, 2: '7'}
labels: id
"""
    spec = read_spec(write(tmp_path, text))
    assert spec.input.size == (640, 480)
    assert spec.input.scale == 1 / 255
    assert spec.input.std == (2.0, 3.0, 0.4)
    assert spec.outputs == (
        OutputSpec("out", ("columns", "boxes", "boxes"), ("skip", "box", "objectness", "classes")),
    )
    assert spec.boxes.strides == (8, 16)
    assert spec.class_list.classes.name == ("7", "no")
    assert spec.class_list.row_of_label.tolist() == [-1, -1, 0, -1, -1, 1]


def test_a_spec_may_be_like_an_included_one(tmp_path: Path):
    own = read_spec(write(tmp_path, "like: yolox\nclasses: [cat]\nkeep: {min_score: 0.3}\n"))
    given = read_spec(included("yolox"))
    assert (own.input, own.outputs, own.boxes, own.scores) == (
        given.input,
        given.outputs,
        given.boxes,
        given.scores,
    )
    assert (own.keep.min_score, own.keep.nms_iou) == (0.3, 0.65)
    assert own.class_list.classes.name == ("cat",)
    assert [path.name for path in own.files] == ["mine.yaml", "yolox.yaml"]
    assert "like: expected one of yolox" in problem_of(tmp_path, "like: yolo\n")


@pytest.mark.parametrize("name", ["names.txt", "names.yaml", "ids.yaml"])
def test_classes_may_stand_in_a_file_beside_the_spec(name: str, tmp_path: Path):
    (tmp_path / "names.txt").write_text("cat\n\n dog \n", encoding="utf-8")
    (tmp_path / "names.yaml").write_text("[cat, dog]", encoding="utf-8")
    (tmp_path / "ids.yaml").write_text("{1: cat, 2: dog}", encoding="utf-8")
    spec = read_spec(write(tmp_path, SMALL.replace("[cat, dog]", name)))
    assert spec.class_list.classes.name == ("cat", "dog")
    assert spec.class_list.classes.id.tolist() == [1, 2]
    assert [path.name for path in spec.files] == ["mine.yaml", name]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("input.size", "[1, 2, 3]", "expected model, image, one side or [width, height]"),
        ("input.size", "-4", "expected whole numbers from 1 up, got '-4'"),
        ("input.layout", "ncwh", "Did you mean 'nchw'?"),
        ("input.channels", "rbg", "expected one of rgb, bgr, got 'rbg'. Did you mean"),
        ("input.scale", "1/0", "expected a number, got '1/0'"),
        ("input.scale", "0", "a number other than 0"),
        ("input.mean", "[1, 2]", "expected 3 numbers in brackets"),
        ("input.mean", "[1, 2, x]", "expected 3 numbers in brackets"),
        ("input.std", "[1, 0, 1]", "3 numbers above 0"),
        ("input.pad", "256", "a whole number from 0 to 255"),
        ("input.pad", "none", "a whole number from 0 to 255"),
        ("input.pad", "grey", "expected a whole number from 0 to 255, got 'grey'"),
        ("input.resize", "[letterbox]", "expected one of letterbox, stretch"),
        ("boxes.form", "xyhw", "expected one of cxcywh"),
        ("boxes.strides", "[8, 0]", "whole numbers from 1 up"),
        ("boxes.clip", "maybe", "expected one of true, false"),
        ("boxes.per_cell", "0", "a whole number from 1 up"),
        ("scores.activation", "relu", "expected one of none, sigmoid, softmax"),
        ("scores.class_power", "-1", "a number from 0 up"),
        ("keep.min_score", "1.5", "a number from 0 to 1, got '1.5'"),
        ("keep.min_score", "nan", "a number from 0 to 1"),
        ("keep.nms", "by_class", "Did you mean 'by-class'?"),
        ("keep.max_per_image", "0", "a whole number from 1 up, or none"),
    ],
)
def test_a_wrong_value_is_named_with_its_field(field: str, value: str, words: str, tmp_path: Path):
    section, key = field.split(".")
    given = "form: xyxy, " if section == "boxes" and key != "form" else ""
    text = SMALL.replace("boxes: {form: xyxy}\n", "") if section == "boxes" else SMALL
    message = problem_of(tmp_path, f"{text}{section}: {{{given}{key}: {value}}}\n")
    assert message.startswith(f", {field}: ")
    assert words in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{SMALL}inputs: {{}}", "inputs: unknown field. Did you mean 'input'?"),
        (f"{SMALL}input: {{colour: bgr}}", "input.colour: unknown field"),
        (f"{SMALL}keep: {{nms_iuo: 0.5}}", "keep.nms_iuo: unknown field. Did you mean"),
        (SMALL.replace("[{axes", "[{nmae: out, axes"), "outputs[0].nmae: unknown field"),
    ],
)
def test_an_unknown_field_is_refused_with_a_suggestion(text: str, words: str, tmp_path: Path):
    assert words in problem_of(tmp_path, text)


# What stands for a part of the sound spec, and what is said of it.
WRONG_PARTS = {
    "[box, classes]": [
        ("[box, clases]", "Did you mean 'classes'?"),
        ("[]", "expected a list of box"),
        ("[box, classes, classes]", "'classes' occurs more than once"),
        ("[classes]", "missing 'box'"),
        ("[box]", "either 'classes', or 'score' and 'label'"),
        ("[box, classes, score]", "either 'classes', or 'score' and 'label'"),
        ("[box, score]", "'score' and 'label' go together"),
        ("[box, score, label, objectness]", "'objectness' and 'background' go with 'classes'"),
        ("[box, classes, background]", "scores.activation: softmax only"),
        ("[box, rest, classes]", "rest at the end only"),
    ],
    "{form: xyxy}": [
        ("{form: grid-exp}", "boxes.strides: expected the strides of the grids for grid-exp"),
        ("{form: grid-tanh, strides: 8, per_cell: 3}", "boxes.per_cell: expected 1 for grid-tanh"),
        ("{form: grid-exp, strides: 8, units: fractions}", "boxes.units: expected pixels"),
        ("{}", "boxes.form: expected one of cxcywh"),
        ("xyxy", "boxes: expected fields (name: value)"),
    ],
    "[cat, dog]": [
        ("coco", "unknown class list or file"),
        ("[]", "expected coco80, a list of names"),
        ("[cat, cat]", "the class name 'cat' occurs more than once"),
        ("[cat, [dog]]", "not an id and a name: '2': ['dog']"),
        ("{one: cat}", "not an id and a name: 'one': 'cat'"),
        ("{1: cat, 01: dog}", "class id 01 is too large or occurs twice"),
        ("{9999999: cat}", "class id 9999999 is too large"),
    ],
    "[batch, boxes, columns]": [
        ("[batch, columns]", "outputs[0].axes"),
        ("[batch, batch, boxes]", "outputs[0].axes"),
        ("boxes", "outputs[0].axes"),
    ],
}


@pytest.mark.parametrize(
    ("part", "given", "words"),
    [(part, *case) for part, cases in WRONG_PARTS.items() for case in cases],
)
def test_a_part_that_cannot_be_meant_is_named(part: str, given: str, words: str, tmp_path: Path):
    message = problem_of(tmp_path, SMALL.replace(part, given))
    assert words in message
    assert "outputs" in message or part != "[box, classes]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected fields (name: value)"),
        ("- a\n- b\n", "expected fields (name: value)"),
        ("a: [1, 2\nb: }", "not YAML"),
        ("a: &x [1]\nb: *x\n", "aliases (*name) are not supported"),
        ("classes: [cat]\n", "outputs: expected a list of outputs"),
        ("classes: [cat]\noutputs: [box]\n", "outputs[0]: expected fields (name: value)"),
    ],
)
def test_files_that_are_no_spec(text: str, words: str, tmp_path: Path):
    assert words in problem_of(tmp_path, text)


def test_a_binary_file_is_no_spec(tmp_path: Path):
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        read_spec(path)


def test_a_spec_that_does_not_exist_is_named():
    with pytest.raises(InputError, match=r"yolo_x: unknown spec.*Did you mean 'yolox'"):
        find_spec("yolo_x")
    with pytest.raises(InputError, match="unknown spec"):
        find_spec(Path("absent.yaml"))


def test_the_guide_has_every_field_and_word():
    page = PAGE.read_text(encoding="utf-8")
    named = [
        f"`{section}.{field.name}`" if section != "outputs" else f"`outputs[].{field.name}`"
        for section, kind in SECTIONS.items()
        for field in fields(kind)
    ]
    words = [f"`{word}`" for word in (*AXES, *COLUMNS, *FORMS, *INCLUDED)]
    assert [name for name in (*named, *words) if name not in page] == []


def test_the_specs_of_the_guide_can_be_read(tmp_path: Path):
    blocks = [block for block in blocks_of(PAGE) if block.language == "yaml"]
    assert len(blocks) >= 3
    for block in blocks:
        read_spec(write(tmp_path, "\n".join(block.lines)))
