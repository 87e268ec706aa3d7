"""A saved torch classifier answers the very same, and a file that does not fit is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Classes, Notice
from boxlens.detectors.classifiers.saved_classifiers import (
    load_torch_classifier,
    save_torch_classifier,
)
from boxlens.detectors.classifiers.torch.choice import Epoch
from boxlens.detectors.classifiers.torch.classifier import TorchClassifier
from boxlens.detectors.classifiers.torch.library import torch_seeded
from boxlens.detectors.classifiers.torch.opening import small_network
from boxlens.errors import InputError
from detectors.classifiers.torch_toys import REASON, bits, some_crops, tiny

pytest.importorskip("torch", reason=REASON)

CLASSES = Classes.of(["b", "a"], ["ladder", "ring"], supercategory=["straight", "round"], sort=True)
TINY = "detectors.classifiers.torch_toys:tiny"


def classifier(build=tiny) -> TorchClassifier:
    with torch_seeded(4):
        module = build(2)
    return TorchClassifier(
        module,
        CLASSES,
        side_px=20,
        mean=(1 / 3, 99.5, 250.0),
        batch=3,
        activation="none",
        threads=1,
        name="toys",
        history=(Epoch(1, 0.1, 0.7, 0.5, np.nan, np.nan),),
        notices=(Notice("box_outside", 2, "2 boxes"),),
    )


@pytest.mark.parametrize(("build", "name"), [(tiny, TINY), (small_network, "torch:small")])
def test_a_saved_classifier_answers_the_very_same(tmp_path, build, name):
    first = classifier(build)
    save_torch_classifier(first, tmp_path / "toys.npz", name)
    again = load_torch_classifier(tmp_path / "toys.npz", threads=1)
    crops = some_crops(5)
    assert (again.classify(crops) == first.classify(crops)).all()
    assert bits(again) == bits(first)
    for field in ("side_px", "mean", "batch", "activation", "name", "notices"):
        assert getattr(again, field) == getattr(first, field)
    assert repr(again.history) == repr(first.history)
    assert again.classes.id.tolist() == ["a", "b"]
    assert again.classes.supercategory == ("round", "straight")


def test_weights_of_another_module_are_refused(tmp_path):
    save_torch_classifier(classifier(), tmp_path / "toys.npz", "small")
    with pytest.raises(InputError, match="another module"):
        load_torch_classifier(tmp_path / "toys.npz")


def test_a_file_whose_builder_is_not_there_names_it(tmp_path):
    save_torch_classifier(classifier(), tmp_path / "toys.npz", "nowhere.at_all:net")
    with pytest.raises(InputError, match="nowhere"):
        load_torch_classifier(tmp_path / "toys.npz")


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "toys.npz"
    save_torch_classifier(classifier(), path, TINY)
    content = path.read_bytes()
    for damaged in (b"", content[: len(content) // 2], b"PK" + content[100:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="not a torch classifier of Boxlens"):
            load_torch_classifier(path)


def test_a_state_that_is_no_array_is_refused(tmp_path):
    half = classifier()
    half.module.bfloat16()
    with pytest.raises(InputError, match="float32"):
        save_torch_classifier(replace(half), tmp_path / "toys.npz", TINY)
