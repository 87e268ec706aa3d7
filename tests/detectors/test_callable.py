"""Any function is a detector; what it may answer is checked and mistakes are named."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from boxlens.data import Classes
from boxlens.detectors import Detector
from boxlens.detectors.classifiers.from_function import load_classifier_function
from boxlens.detectors.from_callable import CallableDetector, load_callable
from boxlens.detectors.renaming import with_classes
from boxlens.errors import InputError
from pictures import CLASSES, quadrant_detector, quadrants, scene
from small_world import assert_same_tables


def answering(answer, **options) -> CallableDetector:
    return CallableDetector(lambda _: answer, CLASSES, "mine:find", **options)


def test_a_function_is_a_detector():
    detector = quadrant_detector()
    assert isinstance(detector, Detector)
    found = detector.detect([scene(0), scene(1)])
    assert found.n_images == 2
    assert found.image_row.tolist() == [0] * 4 + [1] * 4
    boxes, scores, classes = quadrants(scene(1))
    np.testing.assert_array_equal(found.box[4:], boxes)
    np.testing.assert_array_equal(found.score[4:], scores)
    np.testing.assert_array_equal(found.class_row[4:], classes)


def test_names_and_places_mean_the_same_class():
    boxes, scores = [[0, 0, 2, 2], [1, 1, 3, 3]], [0.5, 0.25]
    answers = [["light", "dark"], [1, 0], np.array([1.0, 0.0]), np.array(["light", "dark"])]
    found = [answering((boxes, scores, classes)).detect([scene(0)]) for classes in answers]
    for other in found[1:]:
        assert_same_tables(other, found[0])
    assert found[0].class_row.tolist() == [1, 0]


@pytest.mark.parametrize("nothing", [([], [], []), (np.empty((0, 4)), np.empty(0), np.empty(0))])
def test_nothing_found_is_an_answer(nothing):
    assert len(answering(nothing).detect([scene(0)])) == 0
    assert answering(nothing).detect([]).n_images == 0


def test_a_function_of_lists_sees_the_batch():
    seen = []

    def find(images):
        seen.append(len(images))
        return [quadrants(image) for image in images]

    images = [scene(0), scene(1), scene(2)]
    found = CallableDetector(find, CLASSES, "quadrants", batched=True).detect(images)
    assert seen == [3]
    assert_same_tables(found, quadrant_detector().detect(images))


BOX = [[0.0, 0.0, 1.0, 1.0]]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "expected a tuple"),
        ((BOX, [0.5]), "list of 2|tuple of 2"),
        (([0.0, 0.0, 1.0, 1.0], [0.5], [0]), r"shape \(4,\)"),
        (([[0, 0, 1]], [0.5], [0]), r"shape \(1, 3\)"),
        ((BOX, [0.5, 0.5], [0]), "scores have shape"),
        ((BOX, [0.5], [0, 1]), "classes have shape"),
        (([[0, 0, np.nan, 1]], [0.5], [0]), "finite"),
        ((BOX, [np.inf], [0]), "finite"),
        (([[5, 5, 2, -1]], [0.5], [0]), "negative"),
        ((BOX, [0.5], ["cat"]), "'cat'"),
        ((BOX, [0.5], [2]), "class 2"),
        ((BOX, [0.5], [-1]), "class -1"),
        ((BOX, [0.5], [0.5]), "class 0.5"),
        (("boxes", [0.5], [0]), "boxes are not an array"),
        (([[0, 0, 1, 1], [0]], [0.5], [0]), "boxes are not an array"),
    ],
)
def test_a_wrong_answer_is_named_with_function_and_picture(answer, told):
    detector = CallableDetector(
        lambda pixels: quadrants(pixels) if pixels.shape[0] == 16 else answer, CLASSES, "mine:find"
    )
    with pytest.raises(InputError, match=told) as caught:
        detector.detect([scene(0), scene(1, 30, 20)])
    assert str(caught.value).startswith("mine:find, picture 1 of the batch: ")


def test_too_few_answers_of_a_batched_function_are_an_error():
    with pytest.raises(InputError, match="1 answers for 2 pictures"):
        CallableDetector(lambda images: [quadrants(images[0])], CLASSES, "f", batched=True).detect(
            [scene(0), scene(1)]
        )


MODULE = """
import boxlens
classes = ["cat", "dog"]
def find(pixels):
    return [[0, 0, pixels.shape[1], pixels.shape[0]]], [0.5], ["dog"]
def find_many(images):
    return [find(pixels) for pixels in images]
find_many.batched = True
def of_its_own(pixels):
    return [], [], []
of_its_own.classes = boxlens.Classes.of([90, 7], ["toothbrush", "train"], sort=True)
class Ready:
    name, classes = "ready", of_its_own.classes
    def detect(self, images): ...
    def find(self, pixels):
        return find(pixels)
ready = Ready()
number = 3
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    name = f"mine_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    return name


def test_a_function_is_loaded_from_the_current_folder(module):
    detector = load_callable(f"{module}:find")
    assert detector.classes.name == ("cat", "dog")
    assert detector.classes.id.tolist() == [1, 2]
    assert detector.name == f"{module}:find"
    assert detector.detect([scene(0)]).class_row.tolist() == [1]


def test_attributes_of_the_function_say_more(module):
    assert load_callable(f"{module}:find_many").detect([scene(0)] * 3).n_images == 3
    assert load_callable(f"{module}:of_its_own").classes.name == ("train", "toothbrush")


def test_a_ready_detector_and_a_method_are_loaded(module):
    assert load_callable(f"{module}:ready").name == "ready"
    assert len(load_callable(f"{module}:ready.find").detect([scene(0)])) == 1


@pytest.mark.parametrize(
    ("attribute", "told"),
    [("nothing", "has no 'nothing'"), ("number", "a int, where a function was expected")],
)
@pytest.mark.parametrize("load", [load_callable, load_classifier_function])
def test_what_is_no_function_is_named(module, load, attribute, told):
    with pytest.raises(InputError, match=told):
        load(f"{module}:{attribute}")


def test_a_module_that_cannot_be_imported_is_named(module, tmp_path):
    with pytest.raises(InputError, match="'absent_module' cannot be imported"):
        load_callable("absent_module:find")
    (tmp_path / f"broken_{module}.py").write_text("1 / 0")
    with pytest.raises(InputError, match="ZeroDivisionError"):
        load_callable(f"broken_{module}:find")


@pytest.mark.parametrize("classes", ["", "classes = []", "classes = 3", "classes = ['a', 'a']"])
def test_a_function_without_usable_classes_is_refused(module, tmp_path, classes):
    name = f"bare_{module}"
    (tmp_path / f"{name}.py").write_text(f"{classes}\ndef find(pixels): ...\n")
    with pytest.raises(InputError, match="class"):
        load_callable(f"{name}:find")


def test_under_a_data_set_classes_are_joined_by_name():
    truth = Classes.of([40, 50], ["light", "other"])
    renamed, notices = with_classes(quadrant_detector(), truth)
    images = [scene(seed) for seed in range(6)]
    own, found = quadrant_detector().detect(images), renamed.detect(images)
    light = own.where(own.class_row == 1)
    np.testing.assert_array_equal(found.box, light.box)
    np.testing.assert_array_equal(found.image_row, light.image_row)
    assert set(found.class_row.tolist()) == {0}
    assert [(notice.code, notice.count) for notice in notices] == [("class_without_name", 1)]


def test_a_detector_of_other_classes_is_refused():
    with pytest.raises(InputError, match=r"finds dark, light.*has cat"):
        with_classes(quadrant_detector(), Classes.of([1], ["cat"]))
