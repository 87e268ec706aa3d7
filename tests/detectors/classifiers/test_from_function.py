"""Any function is a classifier; what it may answer is checked and mistakes are named."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from boxlens.data import Classes
from boxlens.detectors import Classifier
from boxlens.detectors.classifiers.from_function import CallableClassifier, load_classifier_function
from boxlens.errors import InputError
from pictures import scene

CLASSES = Classes.of([3, 7, 9], ["dark", "grey", "light"])


def answering(answer, **options) -> CallableClassifier:
    return CallableClassifier(lambda _: answer, CLASSES, "mine:name", **options)


@pytest.mark.parametrize(
    "answer",
    [[1, 0.5, -2], np.array([1, 0.5, -2], dtype=np.float32), (1, 0.5, -2)],
    ids=["list", "array", "tuple of three"],
)
def test_numbers_for_all_classes_are_taken_as_they_are(answer):
    classifier = answering(answer)
    assert isinstance(classifier, Classifier)
    assert classifier.classify([scene(0), scene(1)]).tolist() == [[1, 0.5, -2]] * 2
    assert classifier.classify([]).shape == (0, 3)


@pytest.mark.parametrize("label", ["grey", 1, np.int64(1)])
def test_a_label_leaves_the_other_classes_unknown(label):
    assert answering((label, 0.25)).classify([scene(0)]).tolist() == [[-np.inf, 0.25, -np.inf]]


def test_two_classes_make_no_label_of_two_numbers():
    two = Classes.of([1, 2], ["dark", "light"])
    assert CallableClassifier(lambda _: [0, 0.9], two, "f").classify([scene(0)]).tolist() == [
        [0, 0.9]
    ]
    with pytest.raises(InputError, match="must be a list or an array"):
        CallableClassifier(lambda _: (0.1, 0.9), two, "f").classify([scene(0)])


def test_a_function_of_lists_sees_the_batch():
    seen = []

    def name(crops):
        seen.append(len(crops))
        return np.array([[crop.mean(), 0, 1] for crop in crops])

    crops = [scene(0), scene(1)]
    answers = CallableClassifier(name, CLASSES, "mine:name", batched=True).classify(crops)
    assert seen == [2]
    assert answers[:, 0].tolist() == [crop.mean() for crop in crops]
    with pytest.raises(InputError, match="1 answers for 2 crops"):
        CallableClassifier(lambda _: [[1, 2, 3]], CLASSES, "f", batched=True).classify(crops)


def test_numbers_that_are_none_are_left_to_the_caller():
    answers = answering([np.nan, 1, np.inf]).classify([scene(0)])
    np.testing.assert_array_equal(answers, [[np.nan, 1, np.inf]])


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "expected an array"),
        ("grey", "got str"),
        ([1, 2], r"shape \(2,\) for 3 classes"),
        ([[1, 2, 3]], r"shape \(1, 3\)"),
        ([1, [2], 3], "expected an array"),
        (("purple", 1), "'purple' is neither a name nor an index of dark, grey, light;"),
        ((3, 1), "label 3"),
        ((-1, 1), "label -1"),
        ((True, 1), "label True"),
        ((1.0, 1), "label 1.0"),
        (("grey", "high"), "score 'high' is not a number"),
        (("grey", None), "score None"),
    ],
)
def test_a_wrong_answer_is_named_with_function_and_crop(answer, told):
    classifier = CallableClassifier(
        lambda crop: ("dark", 1) if crop.shape[0] == 16 else answer, CLASSES, "mine:name"
    )
    with pytest.raises(InputError, match=told) as caught:
        classifier.classify([scene(0), scene(1, 30, 20)])
    assert str(caught.value).startswith("mine:name, crop 1 of the batch: ")


def test_of_a_single_crop_no_place_is_told_and_a_foreign_label_is_passed_on():
    with pytest.raises(InputError) as caught:
        answering((7, 1)).classify([scene(0)])
    assert str(caught.value).startswith("mine:name: label 7 is neither")
    said = answering(("purple", 0.5)).said_of([scene(0)])
    assert said.foreign == {0: ("purple", 0.5)}
    assert said.scores.tolist() == [[-np.inf] * 3]


MODULE = """
classes = ["cat", "dog"]
def name(crop):
    return "dog", float(crop.mean())
def name_many(crops):
    return [name(crop) for crop in crops]
name_many.batched = True
class Ready:
    name, classes = "ready", classes
    def classify(self, crops): ...
ready = Ready()
number = 3
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    name = f"naming_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    return name


def test_a_function_is_loaded_from_the_current_folder(module):
    for attribute in ("name", "name_many"):
        classifier = load_classifier_function(f"{module}:{attribute}", CLASSES)
        assert classifier.classes.name == ("cat", "dog")
        assert classifier.classify([scene(0)]).argmax() == 1
    assert load_classifier_function(f"{module}:ready").name == "ready"


def test_a_function_without_classes_takes_those_given(module, tmp_path):
    (tmp_path / f"bare_{module}.py").write_text("def name(crop): return 'grey', 1\n")
    assert load_classifier_function(f"bare_{module}:name", CLASSES).classes is CLASSES
    with pytest.raises(InputError, match="has no classes"):
        load_classifier_function(f"bare_{module}:name")
