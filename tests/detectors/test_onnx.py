"""ONNX models as detectors: every output form decodes to boxes that are known beforehand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from boxlens.detectors import Detector
from boxlens.detectors.onnx import INCLUDED, open_onnx
from boxlens.errors import MissingExtraError, ParameterError
from onnx_models import save_constant, save_peeking

N_COCO = 80
# A model input of 64 x 64 that holds a 128 x 64 image as its upper half, or squeezed.
WIDE = np.zeros((64, 128, 3), dtype=np.uint8)
PLAIN = """\
outputs:
  - axes: [batch, boxes, columns]
    columns: [box, score, label]
boxes: {form: xyxy}
keep: {nms: none}
classes: [cat, dog]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def rows_model(folder: Path, rows: list[list[float]], **options) -> Path:
    """A model that gives these rows, [x1, y1, x2, y2, score, label] for PLAIN."""
    values = np.array([rows], dtype=np.float32)
    return save_constant(folder / "model.onnx", {"rows": values}, **options)


def logit(share: float) -> float:
    return float(np.log(share / (1 - share)))


def test_yolox_boxes_are_cell_offsets_and_exponents(tmp_path: Path):
    values = np.zeros((1, 64 + 16 + 4, 5 + N_COCO), dtype=np.float32)
    # Row 64 + 6 is the cell (2, 1) of the second grid, stride 16.
    values[0, 70, :5] = [0.5, 0.25, np.log(2), np.log(0.5), 0.5]
    values[0, 70, 5 + 16] = 0.75
    values[0, 70, 5 + 3] = 0.5
    detector = open_onnx(save_constant(tmp_path / "tiny.onnx", {"out": values}))
    assert detector.spec.name == "yolox"
    found = detector.detect([WIDE])
    # Centre (2.5, 1.25) * 16, sides 32 x 8; the image is twice as large as the input.
    assert found.box == pytest.approx(np.array([[48.0, 32.0, 64.0, 16.0]]), rel=1e-6)
    assert found.score == pytest.approx([0.375])
    assert [detector.classes.name[row] for row in found.class_row] == ["dog"]
    assert [detector.classes.id[row] for row in found.class_row] == [18]
    assert found.name == "tiny"


def test_fastestdet_boxes_are_tanh_offsets_and_sigmoid_sizes(tmp_path: Path):
    values = np.zeros((1, 5 + N_COCO, 4, 4), dtype=np.float32)
    values[0, :5, 3, 1] = [0.5, np.arctanh(0.5), np.arctanh(-0.5), logit(0.5), logit(0.25)]
    values[0, 5 + 79, 3, 1] = 0.25
    detector = open_onnx(save_constant(tmp_path / "tiny.onnx", {"out": values}))
    assert detector.spec.name == "fastestdet"
    found = detector.detect([WIDE])
    # Centre (1.5, 2.5) * 16 and sides 32 x 16 of the input, which is the image squeezed to half.
    assert found.box == pytest.approx(np.array([[16.0, 32.0, 64.0, 16.0]]), rel=1e-6)
    assert found.score == pytest.approx([0.5**0.6 * 0.25**0.4])
    assert [detector.classes.name[row] for row in found.class_row] == ["toothbrush"]


def test_yolov8_rows_are_columns_and_its_image_is_centred(tmp_path: Path):
    values = np.zeros((1, 4 + N_COCO, 64 + 16 + 4), dtype=np.float32)
    values[0, :4, 5] = [32, 32, 16, 8]
    values[0, 4, 5] = 0.9
    values[0, 4 + 2, 5] = 0.5
    values[0, :4, 80] = [62, 32, 16, 8]
    values[0, 4, 80] = 0.3
    detector = open_onnx(save_constant(tmp_path / "tiny.onnx", {"out": values}))
    assert detector.spec.name == "yolov8"
    found = detector.detect([WIDE])
    # 16 rows of padding above; the last box is clipped at the right edge.
    expected = [[48, 24, 32, 16], [48, 24, 32, 16], [108, 24, 20, 16]]
    assert found.box == pytest.approx(np.array(expected, dtype=float), rel=1e-6)
    assert found.score == pytest.approx([0.9, 0.5, 0.3])
    assert [detector.classes.name[row] for row in found.class_row] == ["person", "car", "person"]


def test_yolov5_has_three_boxes_a_cell_and_objectness(tmp_path: Path):
    values = np.zeros((1, 3 * (64 + 16 + 4), 5 + N_COCO), dtype=np.float32)
    values[0, 200, :6] = [32, 32, 16, 8, 0.5, 0.5]
    detector = open_onnx(save_constant(tmp_path / "tiny.onnx", {"out": values}))
    assert detector.spec.name == "yolov5"
    found = detector.detect([WIDE])
    assert found.box == pytest.approx(np.array([[48.0, 24.0, 32.0, 16.0]]))
    assert found.score == pytest.approx([0.25])


def test_torchvision_gives_boxes_labels_and_scores_of_the_image_itself(tmp_path: Path):
    outputs = {
        "boxes": np.array([[1, 2, 11, 22], [5, 5, 6, 6]], dtype=np.float32),
        "labels": np.array([90, 12], dtype=np.int64),
        "scores": np.array([0.5, 0.25], dtype=np.float32),
    }
    path = save_constant(tmp_path / "frcnn.onnx", outputs, input_shape=(3, "height", "width"))
    detector = open_onnx(path)
    assert detector.spec.name == "torchvision"
    found = detector.detect([WIDE])
    assert found.box.tolist() == [[1, 2, 10, 20]]
    assert [detector.classes.name[row] for row in found.class_row] == ["toothbrush"]
    # COCO has no class 12.
    assert [(notice.code, notice.count) for notice in found.notices] == [("unknown_label", 1)]


def test_softmax_counts_the_background_in(tmp_path: Path):
    spec = """\
outputs:
  - {name: logits, axes: [batch, boxes, columns], columns: [classes, background]}
  - {name: boxes, axes: [batch, boxes, columns], columns: [box]}
boxes: {form: cxcywh, units: fractions}
scores: {activation: softmax}
keep: {nms: none, min_score: 0.2}
classes: {1: cat, 3: dog}
labels: id
"""
    # Columns stand for the ids 0 to 3, then for nothing.
    shares = np.array([[0.05, 0.05, 0.1, 0.5, 0.3], [0.02, 0.1, 0.02, 0.06, 0.8]])
    outputs = {
        "boxes": np.array([[[0.5, 0.5, 0.25, 0.5], [0.5, 0.5, 1, 1]]], dtype=np.float32),
        "unasked": np.zeros((3, 3), dtype=np.float32),
        "logits": np.log(shares)[None].astype(np.float32) + 7,
    }
    path = save_constant(tmp_path / "detr.onnx", outputs)
    detector = open_onnx(path, write(tmp_path, spec))
    found = detector.detect([np.zeros((64, 64, 3), dtype=np.uint8)])
    assert found.score == pytest.approx([0.5], rel=1e-6)
    assert found.box == pytest.approx(np.array([[24.0, 16.0, 16.0, 32.0]]))
    assert [detector.classes.name[row] for row in found.class_row] == ["dog"]


@pytest.mark.parametrize(
    ("form", "units", "values"),
    [
        ("xyxy", "pixels", [16, 8, 48, 24]),
        ("yxyx", "pixels", [8, 16, 24, 48]),
        ("xywh", "pixels", [16, 8, 32, 16]),
        ("cxcywh", "pixels", [32, 16, 32, 16]),
        ("xyxy", "fractions", [0.25, 0.25, 0.75, 0.75]),
        ("yxyx", "fractions", [0.25, 0.25, 0.75, 0.75]),
        ("xywh", "fractions", [0.25, 0.25, 0.5, 0.5]),
        ("cxcywh", "fractions", [0.5, 0.5, 0.5, 0.5]),
    ],
)
def test_every_plain_form_says_the_same_box(form, units, values, tmp_path: Path):
    text = PLAIN.replace("{form: xyxy}", f"{{form: {form}, units: {units}}}")
    path = rows_model(tmp_path, [[*values, 1, 1]], input_shape=(1, 3, 32, 64))
    found = open_onnx(path, write(tmp_path, text)).detect([WIDE])
    assert found.box == pytest.approx(np.array([[32.0, 16.0, 64.0, 32.0]]))


def test_a_box_may_have_many_classes(tmp_path: Path):
    spec = """\
outputs: [{axes: [boxes, columns], columns: [box, skip, objectness, classes, rest]}]
boxes: {form: xywh}
scores: {activation: sigmoid, objectness_power: 2, class_power: 0.5}
keep: {classes_per_box: CLASSES, min_score: 0.1, nms: none}
classes: [ant, bee, cat]
"""
    row = [0, 0, 9, 9, 99, *[logit(share) for share in (0.5, 0.25, 0.04, 0.64)], 7, 7, 7]
    path = save_constant(tmp_path / "m.onnx", {"rows": np.array([row], dtype=np.float32)})
    many = open_onnx(path, write(tmp_path, spec.replace("CLASSES", "many"))).detect([WIDE])
    assert many.score == pytest.approx([0.25 * 0.8, 0.25 * 0.5], rel=1e-6)
    assert many.class_row.tolist() == [2, 0]
    one = open_onnx(path, write(tmp_path, spec.replace("CLASSES", "one"))).detect([WIDE])
    assert one.class_row.tolist() == [2]


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ("{nms: none}", [0.9, 0.8, 0.7, 0.5]),
        ("{nms: by-class, nms_iou: 0.6}", [0.9, 0.7, 0.5]),
        ("{nms: across-classes, nms_iou: 0.6}", [0.9, 0.5]),
        ("{nms: by-class, nms_iou: 0.6, max_per_image: 2}", [0.9, 0.7]),
        ("{nms: none, max_per_image: 3}", [0.9, 0.8, 0.7]),
        ("{nms: none, min_score: 0.75}", [0.9, 0.8]),
    ],
)
def test_what_is_kept(keep, expected, tmp_path: Path):
    rows = [
        [40, 40, 50, 50, 0.5, 0],
        [0, 0, 10, 10, 0.9, 0],
        [0, 0, 10, 9, 0.8, 0],
        [0, 0, 10, 8, 0.7, 1],
        [0, 0, 0, 0, -1, -1],
    ]
    text = PLAIN.replace("{nms: none}", keep)
    found = open_onnx(rows_model(tmp_path, rows), write(tmp_path, text)).detect([WIDE])
    assert found.score == pytest.approx(expected)


def test_boxes_of_negative_size_are_left_out_and_counted(tmp_path: Path):
    path = rows_model(tmp_path, [[10, 10, 5, 20, 0.9, 0], [1, 1, 2, 2, 0.8, 0]])
    found = open_onnx(path, write(tmp_path, PLAIN)).detect([WIDE, WIDE])
    assert found.score == pytest.approx([0.8, 0.8])
    assert [(notice.code, notice.count) for notice in found.notices] == [("negative_size", 2)]


def test_classes_stand_in_the_order_the_model_has_them(tmp_path: Path):
    text = PLAIN.replace("[cat, dog]", "{7: cat, 3: dog}")
    path = rows_model(tmp_path, [[0, 0, 1, 1, 0.9, 0], [0, 0, 1, 1, 0.8, 1]])
    detector = open_onnx(path, write(tmp_path, text))
    found = detector.detect([WIDE])
    assert [detector.classes.name[row] for row in found.class_row] == ["cat", "dog"]
    assert [detector.classes.id[row] for row in found.class_row] == [7, 3]


PEEKING = """\
input: {layout: LAYOUT, channels: CHANNELS, SCALE resize: stretch}
outputs: [{axes: [boxes, columns], columns: [box, score, label]}]
boxes: {form: xywh}
keep: {nms: none, min_score: 0}
classes: [cat]
"""


@pytest.mark.parametrize("channels", ["rgb", "bgr"])
@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        ("nchw", (1, 3, 2, 4)),
        ("nchw", ("batch", 3, 2, 4)),
        ("nhwc", (1, 2, 4, 3)),
        ("chw", (3, 2, 4)),
        ("hwc", (2, 4, 3)),
    ],
)
def test_a_pixel_arrives_where_the_layout_says(layout, shape, channels, tmp_path: Path):
    rng = np.random.default_rng(1)
    image = rng.integers(0, 256, (2, 4, 3)).astype(np.uint8)
    y, x, channel = 1, 2, 2
    sides = {"n": 1, "c": 3, "h": 2, "w": 4}
    index = {"n": 0, "c": channel, "h": y, "w": x}
    place = np.ravel_multi_index([index[axis] for axis in layout], [sides[axis] for axis in layout])
    path = save_peeking(tmp_path / "peek.onnx", int(place), input_shape=shape)
    text = PEEKING.replace("LAYOUT", layout).replace("CHANNELS", channels)
    text = text.replace("SCALE", "scale: 1/255,")
    found = open_onnx(path, write(tmp_path, text)).detect([image])
    expected = image[y, x, channel if channels == "rgb" else 2 - channel] / 255
    assert found.score == pytest.approx([expected], rel=1e-6)


@pytest.mark.parametrize(
    ("input_type", "scale", "expected"),
    [
        (TensorProto.FLOAT, "scale: 1/255,", 51 / 255),
        (TensorProto.FLOAT, "scale: 1/255, mean: [0.1, 0, 0], std: [2, 1, 1],", (0.2 - 0.1) / 2),
        (TensorProto.FLOAT16, "scale: 1/255,", float(np.float16(51 / 255))),
        (TensorProto.DOUBLE, "scale: 1/255,", 51 / 255),
        (TensorProto.UINT8, "", 1.0),
    ],
)
def test_inputs_of_every_type_are_fed(input_type, scale, expected, tmp_path: Path):
    path = save_peeking(tmp_path / "peek.onnx", 0, input_shape=(1, 3, 2, 4), input_type=input_type)
    text = PEEKING.replace("LAYOUT", "nchw").replace("CHANNELS", "rgb").replace("SCALE", scale)
    image = np.full((2, 4, 3), 1 if input_type == TensorProto.UINT8 else 51, dtype=np.uint8)
    found = open_onnx(path, write(tmp_path, text)).detect([image])
    assert found.score == pytest.approx([expected], rel=1e-6)


def test_a_batch_finds_what_single_images_have(tmp_path: Path):
    path = save_peeking(tmp_path / "peek.onnx", 3, input_shape=("n", 3, "h", "w"))
    text = PEEKING.replace("LAYOUT", "nchw").replace("CHANNELS", "rgb")
    spec = write(tmp_path, text.replace("SCALE", "scale: 1/255, size: [16, 8],"))
    rng = np.random.default_rng(2)
    images = [
        rng.integers(0, 256, (int(height), 20, 3)).astype(np.uint8)
        for height in rng.integers(1, 40, 12)
    ]
    singles = [open_onnx(path, spec, threads=1).detect([image]) for image in images]
    for threads in (1, 3, 0):
        together = open_onnx(path, spec, threads=threads).detect(images)
        assert together.image_row.tolist() == list(range(12))
        assert together.score.tolist() == [single.score[0] for single in singles]
        assert together.box.tolist() == [single.box[0].tolist() for single in singles]


def test_nothing_found_and_nothing_asked_are_empty_tables(tmp_path: Path):
    values = np.zeros((1, 0, 6), dtype=np.float32)
    path = save_constant(tmp_path / "none.onnx", {"rows": values})
    detector = open_onnx(path, write(tmp_path, PLAIN), name="empty")
    assert isinstance(detector, Detector)
    assert (len(detector.detect([WIDE])), detector.detect([WIDE]).n_images) == (0, 1)
    assert (len(detector.detect([])), detector.detect([]).n_images) == (0, 0)
    assert detector.name == "empty"


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((4, 4), dtype=np.uint8),
        np.zeros((4, 4, 4), dtype=np.uint8),
        np.zeros((4, 4, 3)),
        np.zeros((0, 4, 3), dtype=np.uint8),
    ],
)
def test_what_is_no_picture_is_refused(image, tmp_path: Path):
    detector = open_onnx(rows_model(tmp_path, [[0, 0, 1, 1, 1, 0]]), write(tmp_path, PLAIN))
    with pytest.raises(ParameterError, match="image 1 of the batch"):
        detector.detect([WIDE, image])


def test_a_missing_onnxruntime_is_named_with_its_remedy(tmp_path: Path, monkeypatch):
    path = rows_model(tmp_path, [[0, 0, 1, 1, 1, 0]])
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"onnxruntime.*boxlens\[onnx\]"):
        open_onnx(path)


def test_threads_are_not_negative(tmp_path: Path):
    with pytest.raises(ParameterError, match="threads"):
        open_onnx(tmp_path / "any.onnx", threads=-1)


def test_importing_loads_no_onnxruntime_and_no_opencv():
    code = (
        "import sys, boxlens.detectors, boxlens.detectors.onnx;"
        "print(sorted({'onnxruntime', 'cv2', 'PIL', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_included_specs_are_files_of_the_package():
    folder = Path(sys.modules[open_onnx.__module__].__file__).parent / "specs"
    assert sorted(INCLUDED) == sorted(path.stem for path in folder.glob("*.yaml"))
