"""A word, a path or a function's name means one detector; anything else is told what can be given."""

from __future__ import annotations

import sys

import pytest

from boxlens.detectors.exchange import ExchangeFolder
from boxlens.detectors.opening import open_detector
from boxlens.errors import InputError, ParameterError
from pictures import CLASSES


@pytest.mark.parametrize("model", ["nothing", "model.pt", "a b:c", "", "weights.pth"])
def test_what_can_be_given_is_told(model):
    with pytest.raises(InputError) as caught:
        open_detector(model)
    for part in ("window", "region", ".npz", ".onnx", "package.module:function", "folder"):
        assert part in str(caught.value)


@pytest.mark.parametrize("model", ["absent.onnx", "absent.npz"])
def test_a_missing_model_file_is_named(model):
    with pytest.raises(InputError, match=f"{model}: no such file"):
        open_detector(model)


def test_a_folder_is_an_exchange_even_before_it_is_made(tmp_path):
    for model in (str(tmp_path), f"{tmp_path}/new/"):
        detector, _ = open_detector(model, classes=CLASSES)
        assert isinstance(detector, ExchangeFolder)
        assert detector.classes is CLASSES
    assert list(tmp_path.iterdir()) == []


def test_a_spec_belongs_to_onnx_alone(tmp_path):
    with pytest.raises(ParameterError, match=r"\.onnx"):
        open_detector(str(tmp_path), spec="yolox")


def test_the_identity_of_a_function_changes_with_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    source = tmp_path / "mine_to_change.py"
    source.write_text("classes = ['a']\ndef find(pixels): ...\ndef other(pixels): ...\n")
    _, first = open_detector("mine_to_change:find")
    assert open_detector("mine_to_change:find")[1] == first
    assert open_detector("mine_to_change:other")[1] != first
    source.write_text(source.read_text() + "# another\n")
    assert open_detector("mine_to_change:find")[1] != first
