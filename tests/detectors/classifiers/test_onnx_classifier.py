"""ONNX classifiers: what a spec says goes in is what the model sees, and mistakes are named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from onnx import TensorProto

from boxlens.data import Classes
from boxlens.detectors import Classifier
from boxlens.detectors.classifiers.onnx_classifier import fitted_crop, open_onnx_classifier
from boxlens.detectors.classifiers.onnx_classifier_spec import IMAGENET_MEAN, IMAGENET_STD
from boxlens.errors import InputError, ParameterError
from documentation_pages import blocks_of
from onnx_classifiers import save_colour_classifier
from onnx_models import save_constant
from shared_data import ROOT

NAMES = ["red", "green", "blue"]
# Outputs are the mean values of the three channels as the model sees them.
SEEN = np.eye(3)
# Inputs are whole pixel values, answers what the model gives.
RAW = "input: {scale: 1, mean: [0, 0, 0], std: [1, 1, 1]}\nactivation: none\n"


def plain(red: int, green: int, blue: int, width: int = 10, height: int = 7) -> np.ndarray:
    return np.full((height, width, 3), [red, green, blue], dtype=np.uint8)


def opened(tmp_path, spec: str = "", weights: np.ndarray = SEEN, classes=NAMES, **model):
    path = save_colour_classifier(tmp_path / "model.onnx", weights, **model)
    if spec:
        (tmp_path / "model.yaml").write_text(spec)
    return open_onnx_classifier(path, classes=classes)


def refused(tmp_path, spec: str = "", **options) -> str:
    with pytest.raises(InputError) as caught:
        opened(tmp_path, spec, **options)
    return str(caught.value)


def test_by_default_it_is_fed_as_imagenet_and_answers_with_probabilities(tmp_path):
    classifier = opened(tmp_path)
    assert isinstance(classifier, Classifier)
    assert classifier.name == "model"
    assert classifier.classes.name == tuple(NAMES)
    assert classifier.size == (224, 224)
    crops = [plain(200, 10, 40), plain(1, 2, 250, 1, 1)]
    values = [(crop[0, 0] / 255 - IMAGENET_MEAN) / IMAGENET_STD for crop in crops]
    shares = np.exp(values) / np.exp(values).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(classifier.classify(crops), shares, atol=2e-5)
    assert classifier.classify([]).shape == (0, 3)


def test_the_spec_in_the_guide_says_what_is_usual(tmp_path):
    blocks = blocks_of(ROOT / "docs" / "upper-bound.md")
    (spec,) = ["\n".join(block.lines) for block in blocks if block.language == "yaml"]
    usual = opened(tmp_path)
    told = opened(tmp_path, spec, classes=None)
    assert told.classes.name == ("cat", "dog", "horse")
    assert replace(told.spec.input, size="model") == usual.spec.input
    assert (told.size, told.spec.shorter_side) == (usual.size, usual.spec.shorter_side)
    assert told.spec.activation == usual.spec.activation


def test_the_numbers_of_a_spec_are_those_the_model_sees(tmp_path):
    classifier = opened(
        tmp_path,
        "input: {scale: 1/2, mean: [1, 2, 3], std: [1, 2, 4], size: 8}\nactivation: none\n",
    )
    assert classifier.size == (8, 8)
    np.testing.assert_allclose(classifier.classify([plain(200, 10, 40)]), [[99, 1.5, 4.25]])


def test_bgr_turns_channels_and_their_usual_means(tmp_path):
    rgb, crop = opened(tmp_path, "activation: none"), plain(200, 10, 40)
    bgr = opened(tmp_path, "activation: none\ninput: {channels: bgr}")
    np.testing.assert_allclose(bgr.classify([crop])[:, ::-1], rgb.classify([crop]), rtol=1e-5)
    assert bgr.spec.input.mean == IMAGENET_MEAN[::-1]


@pytest.mark.parametrize(
    ("activation", "expected"),
    [
        ("none", [0.0, 2.0, -1.0]),
        ("sigmoid", [0.5, 0.880797, 0.268941]),
        ("softmax", [0.114195, 0.843795, 0.042010]),
    ],
)
def test_the_spec_decides_what_becomes_of_the_outputs(tmp_path, activation, expected):
    spec = f"input: {{scale: 1, mean: [0, 0, 0], std: [1, 1, 1]}}\nactivation: {activation}\n"
    weights = np.array([[0, 0, 0], [0.02, 0, 0], [-0.01, 0, 0]])
    answers = opened(tmp_path, spec, weights).classify([plain(100, 0, 0)])
    np.testing.assert_allclose(answers, [expected], rtol=1e-4, atol=1e-6)


def test_models_of_other_layouts_and_types_are_fed(tmp_path):
    crop = plain(9, 80, 200)
    last = opened(
        tmp_path,
        RAW.replace("{", "{layout: nhwc, "),
        input_shape=(1, 16, 12, 3),
        channels_last=True,
    )
    assert last.size == (12, 16)
    np.testing.assert_allclose(last.classify([crop]), [[9, 80, 200]], rtol=1e-5)
    whole = opened(tmp_path, "activation: none", input_type=TensorProto.UINT8)
    np.testing.assert_allclose(whole.classify([crop]), [[9, 80, 200]], rtol=1e-5)


def test_a_batch_changes_nothing_to_the_bit(tmp_path):
    random = np.random.RandomState(0)
    crops = [random.randint(0, 256, (n, 2 * n, 3)).astype(np.uint8) for n in range(1, 9)]
    classifier = opened(tmp_path)
    alone = [classifier.classify([crop])[0] for crop in crops]
    np.testing.assert_array_equal(classifier.classify(crops), alone)


def test_labels_that_are_ids_leave_room_for_others(tmp_path):
    spec = RAW + "labels: id\nclasses: {3: blue, 1: red}\n"
    weights = np.array([[0, 9, 0], [1, 0, 0], [0, 5, 0], [0, 0, 1]])
    classifier = opened(tmp_path, spec, weights)
    assert classifier.classes.name == ("red", "blue")
    np.testing.assert_allclose(classifier.classify([plain(10, 20, 30)]), [[10, 30]], rtol=1e-5)


def test_classes_of_the_spec_come_before_those_given(tmp_path):
    assert opened(tmp_path, "classes: [r, g, b]").classes.name == ("r", "g", "b")
    classes = Classes.of([5, 2, 9], ["red", "green", "blue"], sort=True)
    (tmp_path / "model.yaml").unlink()
    assert opened(tmp_path, classes=classes).classes is classes


def test_a_spec_elsewhere_is_read_instead_of_the_one_beside(tmp_path):
    (tmp_path / "other.yaml").write_text("classes: names.txt\n")
    (tmp_path / "names.txt").write_text("x\ny\nz\n")
    opened(tmp_path, "classes: [r, g, b]")
    classifier = open_onnx_classifier(tmp_path / "model.onnx", tmp_path / "other.yaml")
    assert classifier.classes.name == ("x", "y", "z")
    assert [file.name for file in classifier.files] == ["model.onnx", "other.yaml", "names.txt"]


def test_one_of_several_outputs_is_named(tmp_path):
    said = refused(tmp_path, second_output=True)
    assert "several outputs" in said
    assert "'flat'" in said
    flat = opened(tmp_path, RAW + "output: flat", second_output=True)
    np.testing.assert_allclose(flat.classify([plain(1, 2, 3)]), [[1, 2, 3]], rtol=1e-5)
    assert "unknown output 'round'" in refused(tmp_path, "output: round", second_output=True)


def test_the_middle_is_cut_out_of_a_crop_scaled_to_its_shorter_side():
    crop = np.zeros((20, 60, 3), dtype=np.uint8)
    crop[:, 20:40] = 255
    crop[:, :20, 0] = 90
    assert (fitted_crop(crop, (20, 20), 20) == 255).all()
    wide = fitted_crop(crop, (40, 20), 20)
    assert (wide[:, 10:30] == 255).all()
    assert (wide[:, :10] == [90, 0, 0]).all()
    assert fitted_crop(crop.transpose(1, 0, 2), (20, 20), 20).min() == 255
    stretched = fitted_crop(crop, (30, 30), None)
    assert stretched.shape == (30, 30, 3)
    assert (stretched[:, :9] == [90, 0, 0]).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 5_000), (5_000, 1), (3, 2), (224, 500)])
def test_any_crop_fills_the_input(shape):
    crop = np.full((*shape, 3), 7, dtype=np.uint8)
    for side in (None, 224, 256):
        fed = fitted_crop(crop, (224, 200), side)
        assert fed.shape == (200, 224, 3)
        assert (fed == 7).all()


def test_resize_crop_has_the_usual_margin(tmp_path):
    assert opened(tmp_path, "input: {resize: crop}").spec.shorter_side == 256
    assert opened(tmp_path, "input: {resize: crop, size: 56}").spec.shorter_side == 64
    assert opened(tmp_path, "input: {resize: crop, shorter_side: 300}").spec.shorter_side == 300
    assert opened(tmp_path, "input: {resize: stretch}").spec.shorter_side is None


def test_answers_that_are_no_numbers_stay_so(tmp_path):
    weights = np.array([[np.nan, 0, 0], [1, 0, 0], [0, 0, 1]])
    answers = opened(tmp_path, weights=weights).classify([plain(10, 20, 30)])
    assert np.isnan(answers).all()


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("input: {sizes: 3}", "input.sizes: unknown field"),
        ("clases: [a]", "Did you mean 'classes'"),
        ("activation: relu", "one of softmax, sigmoid, none"),
        ("input: {layout: hwcn}", "input.layout"),
        ("input: {layout: chw}", "has 3 axes"),
        ("input: {std: [1, 0, 1]}", "3 numbers above 0"),
        ("input: {scale: 0}", "other than 0"),
        ("input: {size: [1, 2, 3]}", "one side or"),
        ("input: {resize: fold}", "stretch, crop"),
        ("input: {shorter_side: 256}", "none with resize: stretch"),
        ("input: {resize: crop, size: 224, shorter_side: 100}", "224, the size, or more"),
        ("input: {resize: crop, shorter_side: 100}", "do not fill 224 x 224"),
        ("classes: [a, b]", "each of 2 classes, got an output 'logits' ? x 3"),
        ("classes: [a, a, b]", "more than once"),
        ("- 3", "expected fields"),
        ("a: [", "not YAML"),
    ],
)
def test_a_spec_that_does_not_fit_is_refused_by_field(tmp_path, spec, told):
    assert told in refused(tmp_path, spec)


def test_models_that_do_not_fit_are_refused(tmp_path):
    assert "classes are unknown" in refused(tmp_path, classes=None)
    assert "model.yaml" in refused(tmp_path, classes=None)
    assert "each of 2 classes" in refused(tmp_path, classes=["a", "b"])
    assert "duplicate class name" in refused(tmp_path, classes=["a", "a", "b"])
    assert "has 8 channels" in refused(tmp_path, "input: {layout: nhwc}", input_shape=(1, 3, 8, 8))
    assert "the model" in refused(tmp_path, "input: {size: 9}", input_shape=(1, 3, 8, 8))
    with pytest.raises(InputError, match="no such file"):
        open_onnx_classifier(tmp_path / "absent.onnx")
    with pytest.raises(InputError, match="no such file"):
        open_onnx_classifier(tmp_path / "model.onnx", tmp_path / "absent.yaml")
    with pytest.raises(ParameterError, match="threads"):
        open_onnx_classifier(tmp_path / "model.onnx", threads=-1)


def test_an_output_whose_length_shows_only_when_it_runs_is_checked_then(tmp_path):
    path = save_constant(
        tmp_path / "open.onnx",
        {"scores": np.zeros((1, 3), dtype=np.float32)},
        declared={"scores": ["n", "k"]},
    )
    classifier = open_onnx_classifier(path, classes=["a", "b"])
    with pytest.raises(InputError, match="each of 2 classes, got an output 1 x 3"):
        classifier.classify([plain(1, 2, 3)])
