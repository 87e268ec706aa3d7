"""Models that are none, and models that do not fit their spec: who, what, where, what to do."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from boxlens.detectors.onnx import open_onnx
from boxlens.errors import InputError
from onnx_models import save_constant, save_peeking

IMAGE = np.zeros((64, 64, 3), dtype=np.uint8)
ROWS = np.array([[[0, 0, 8, 8, 0.5, 1]]], dtype=np.float32)
SPEC = """\
outputs: [{axes: [batch, boxes, columns], columns: [box, score, label]}]
boxes: {form: xyxy}
keep: {nms: none}
classes: [cat, dog]
"""


def spec_file(folder: Path, text: str = SPEC) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def problem_of(path: Path, spec: Path | str | None = None, *, run: bool = True) -> str:
    """The message, which always names the model's file."""

    def attempt() -> None:
        detector = open_onnx(path, spec)
        if run:
            detector.detect([IMAGE])

    with pytest.raises(InputError) as caught:
        attempt()
    assert str(path) in str(caught.value)
    assert caught.value.remedy
    return str(caught.value)


@pytest.mark.parametrize("kind", ["text", "empty", "cut", "zip", "zeros", "picture"])
def test_a_file_that_is_no_model(kind: str, tmp_path: Path, capfd):
    path = tmp_path / "model.onnx"
    whole = save_constant(tmp_path / "whole.onnx", {"rows": ROWS}).read_bytes()
    content = {
        "text": b"these are not the weights you are looking for\n" * 20,
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "zeros": bytes(500),
        "picture": b"\x89PNG\r\n\x1a\n" + bytes(100),
    }
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("model.onnx", whole)
    else:
        path.write_bytes(content[kind])
    message = problem_of(path, run=False)
    assert ("empty" if kind == "empty" else "not a complete ONNX model") in message
    assert "again" in message
    # onnxruntime writes to the file descriptor, past Python.
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_absent_or_a_folder(tmp_path: Path):
    assert "no such file" in problem_of_path(tmp_path / "none.onnx")
    assert "found a folder" in problem_of_path(tmp_path)


def problem_of_path(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        open_onnx(path)
    return str(caught.value)


def test_a_valid_file_that_onnxruntime_cannot_run(tmp_path: Path, capfd):
    from onnx import helper, save

    node = helper.make_node("NoSuchOperation", ["image"], ["rows"])
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 64, 64])
    rows = helper.make_tensor_value_info("rows", TensorProto.FLOAT, [1, 1, 6])
    graph = helper.make_graph([node], "odd", [image], [rows])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    save(model, str(tmp_path / "odd.onnx"))
    message = problem_of(tmp_path / "odd.onnx")
    assert "NoSuchOperation" in message
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.zeros((1, 5, 7), dtype=np.float32), ["7 columns, expected 6"]),
        (np.zeros((5, 6), dtype=np.float32), ["2 axes, expected 3"]),
        (np.zeros((4, 5, 6), dtype=np.float32), ["a batch of 4, expected 1"]),
    ],
)
def test_an_output_whose_shape_does_not_fit(values, words, tmp_path: Path):
    path = save_constant(tmp_path / "model.onnx", {"rows": values})
    message = problem_of(path, spec_file(tmp_path), run=False)
    assert all(word in message for word in [*words, "outputs[0]", "mine.yaml"])


@pytest.mark.parametrize(
    ("shape", "words"), [((1, 5, 7), "7 columns, expected 6"), ((4, 5, 6), "a batch of 4")]
)
def test_a_shape_that_is_known_only_after_a_run(shape, words: str, tmp_path: Path):
    values = np.zeros(shape, dtype=np.float32)
    open_shape = ("a", "b", "c")
    path = save_constant(tmp_path / "model.onnx", {"rows": values}, declared={"rows": open_shape})
    detector = open_onnx(path, spec_file(tmp_path))
    with pytest.raises(InputError, match=words):
        detector.detect([IMAGE])


def test_classes_that_the_columns_do_not_fit(tmp_path: Path):
    values = np.zeros((1, 84, 85), dtype=np.float32)
    path = save_constant(tmp_path / "model.onnx", {"rows": values})
    text = "like: yolox\nclasses: [cat, dog]\n"
    message = problem_of(path, spec_file(tmp_path, text), run=False)
    assert "85 columns, expected 7 (2 of them for classes)" in message


def test_a_number_of_boxes_that_no_grid_has(tmp_path: Path):
    path = save_constant(tmp_path / "model.onnx", {"rows": np.zeros((1, 80, 85), np.float32)})
    message = problem_of(path, "yolox", run=False)
    assert "80 boxes, expected 84 for 64 x 64 pixels, strides 8, 16, 32" in message


def test_a_wrong_number_of_outputs_and_a_wrong_name(tmp_path: Path):
    path = save_constant(tmp_path / "model.onnx", {"rows": ROWS, "more": ROWS})
    assert "the spec lists 1, the model has 2: 'rows' 1 x 1 x 6" in problem_of(
        path, spec_file(tmp_path), run=False
    )
    named = SPEC.replace("[{axes", "[{name: boxes, axes")
    message = problem_of(path, spec_file(tmp_path, named), run=False)
    assert "unknown output 'boxes'. The model has 'rows' 1 x 1 x 6, 'more'" in message


def test_outputs_that_differ_in_length(tmp_path: Path):
    text = """\
outputs:
  - {axes: [boxes, columns], columns: [box]}
  - {axes: [boxes], columns: [score]}
  - {axes: [boxes], columns: [label]}
boxes: {form: xyxy}
classes: [cat]
"""
    outputs = {name: np.zeros(shape, np.float32) for name, shape in (("b", (3, 4)), ("s", 3))}
    outputs["l"] = np.zeros(2, np.int64)
    path = save_constant(tmp_path / "model.onnx", outputs)
    message = problem_of(path, spec_file(tmp_path, text))
    assert "differ in their number of boxes: box 3, score 3, label 2" in message


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (0, np.nan, "1 of 4 values of 'box' are NaN or infinite"),
        (4, np.nan, "1 of 1 values of 'score' are NaN or infinite"),
        (4, np.inf, "1 of 1 values of 'score' are NaN or infinite"),
        (4, 7.5, "'score' is between 7.5 and 7.5, expected 0 to 1"),
        (5, 0.5, "the label 0.5 is not a whole number"),
    ],
)
def test_values_that_mean_nothing(place, value, words, tmp_path: Path):
    rows = ROWS.copy()
    rows[0, 0, place] = value
    path = save_constant(tmp_path / "model.onnx", {"rows": rows})
    assert words in problem_of(path, spec_file(tmp_path))


def test_boxes_that_were_decoded_already(tmp_path: Path):
    values = np.zeros((1, 84, 85), dtype=np.float32)
    values[0, 0, :6] = [320, 240, 1000, 1000, 1, 1]
    path = save_constant(tmp_path / "model.onnx", {"rows": values})
    assert "1 of 1 boxes are infinite" in problem_of(path, "yolox")


def test_class_values_that_still_need_an_activation(tmp_path: Path):
    values = np.full((1, 84, 85), -4, dtype=np.float32)
    path = save_constant(tmp_path / "model.onnx", {"rows": values})
    message = problem_of(path, "yolox")
    assert "'classes' is between -4 and -4" in message
    assert "scores.activation" in message


@pytest.mark.parametrize(
    ("shape", "spec", "words"),
    [
        ((1, 3, 64, 64), "size: [64, 32]", "the spec says 64 x 32 (width x height), the model 64"),
        ((1, 3, "h", 64), "size: [32, 64]", "the model 64 x ? (width x height)"),
        ((1, 3, "h", "w"), "size: model", "has no fixed size"),
        ((1, 3, 64, 64), "size: image", "the model needs 64 x 64"),
        ((4, 3, 64, 64), "size: model", "needs batches of 4"),
        ((1, 64, 64, 3), "size: model", "has 64 channels, expected 3"),
        ((1, 1, 64, 64), "size: model", "has 1 channels, expected 3"),
        ((3, 64, 64), "size: model", "nchw has 4 axes, the input 'image0' 3 x 64 x 64 has 3"),
    ],
)
def test_an_input_that_the_spec_contradicts(shape, spec, words, tmp_path: Path):
    path = save_constant(tmp_path / "model.onnx", {"rows": ROWS}, input_shape=shape)
    text = f"input: {{{spec}}}\n{SPEC}"
    assert words in problem_of(path, spec_file(tmp_path, text), run=False)


def test_inputs_of_the_wrong_number_and_type(tmp_path: Path):
    two = save_constant(tmp_path / "two.onnx", {"rows": ROWS}, n_inputs=2)
    assert "expected a model with one input, found 2" in problem_of(two)
    words = save_constant(
        tmp_path / "words.onnx", {"rows": ROWS}, input_type=TensorProto.STRING, input_shape=(1,)
    )
    assert "tensor(string)" in problem_of(words)


def test_a_model_of_whole_pixel_values_with_a_scale(tmp_path: Path):
    path = save_constant(tmp_path / "m.onnx", {"rows": ROWS}, input_type=TensorProto.UINT8)
    text = f"input: {{scale: 1/255}}\n{SPEC}"
    assert "takes whole pixel values" in problem_of(path, spec_file(tmp_path, text))


def test_a_model_that_fails_on_its_input(tmp_path: Path, capfd):
    path = save_peeking(tmp_path / "peek.onnx", 10**6, input_shape=(1, 3, "h", "w"))
    text = SPEC.replace("[batch, boxes, columns]", "[boxes, columns]")
    text = f"input: {{size: 8}}\n{text}"
    message = problem_of(path, spec_file(tmp_path, text))
    assert "fails on an input of 1 x 3 x 8 x 8" in message
    assert capfd.readouterr() == ("", "")


def test_a_model_that_no_included_spec_fits(tmp_path: Path):
    path = save_constant(tmp_path / "model.onnx", {"rows": ROWS})
    message = problem_of(path, run=False)
    assert "input 'image0' 1 x 3 x 64 x 64, output 'rows' 1 x 1 x 6" in message
    assert "yolox, fastestdet, yolov8, yolov5, torchvision" in message
    assert "like: yolox" in message


def test_a_model_that_several_specs_fit(tmp_path: Path):
    values = np.zeros((1, 84, 85), dtype=np.float32)
    path = save_constant(tmp_path / "m.onnx", {"rows": values}, declared={"rows": (1, "n", 85)})
    message = problem_of(path, run=False)
    assert "its shapes fit several specs: yolox, yolov5" in message
    assert open_onnx(path, "yolox").spec.name == "yolox"


def test_a_name_that_is_no_text_is_damage(tmp_path):
    path = save_constant(tmp_path / "mine.onnx", {"answers": ROWS})
    path.write_bytes(path.read_bytes().replace(b"answers", b"\xffnswers"))
    assert "onnxruntime cannot load the model" in problem_of(path, spec_file(tmp_path))
