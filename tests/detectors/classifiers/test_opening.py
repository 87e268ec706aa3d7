"""A path or a function's name means one classifier; anything else is told what can be given."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from boxlens.detectors.classifiers.hog_classifier import HogClassifier
from boxlens.detectors.classifiers.opening import open_classifier
from boxlens.detectors.classifiers.saved_classifiers import save_classifier
from boxlens.errors import InputError, ParameterError
from detectors.classifiers.hog_toys import toy_classifier
from onnx_classifiers import save_colour_classifier
from pictures import CLASSES


@pytest.mark.parametrize("word", ["nothing", "model.pt", "a b:c", "", "weights.pth"])
def test_what_can_be_given_is_told(word):
    with pytest.raises(InputError) as caught:
        open_classifier(word)
    for part in (".npz", ".onnx", "package.module:function"):
        assert part in str(caught.value)


@pytest.mark.parametrize("word", ["absent.onnx", "absent.npz"])
def test_a_missing_model_file_is_named(word):
    with pytest.raises(InputError, match=f"{word}: no such file"):
        open_classifier(word)


def test_a_spec_belongs_to_onnx_alone():
    with pytest.raises(ParameterError, match=r"\.onnx"):
        open_classifier("model.npz", spec="mine.yaml")


def test_a_saved_classifier_is_opened_and_its_file_named(tmp_path):
    save_classifier(toy_classifier(), tmp_path / "one.npz")
    classifier, files = open_classifier(str(tmp_path / "one.npz"))
    assert isinstance(classifier, HogClassifier)
    assert files == (tmp_path / "one.npz",)


def test_a_model_depends_on_its_spec_too(tmp_path):
    path = save_colour_classifier(tmp_path / "model.onnx", np.ones((2, 3)))
    classifier, files = open_classifier(str(path), classes=CLASSES)
    assert classifier.classes is CLASSES
    assert files == (path,)
    spec = tmp_path / "mine.yaml"
    spec.write_text("classes: [dark, light]")
    classifier, files = open_classifier(str(path), spec=str(spec), classes=CLASSES)
    assert classifier.classes.name == ("dark", "light")
    assert files == (path, spec)


def test_a_function_takes_the_classes_of_the_data_set_and_is_known_by_its_file(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    source = tmp_path / "naming_to_change.py"
    source.write_text("def name(crop): return 'dark', 1\n")
    classifier, files = open_classifier("naming_to_change:name", classes=CLASSES)
    assert classifier.classes is CLASSES
    assert files == (source,)
