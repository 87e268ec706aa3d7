"""A saved classifier is the same classifier, and a file that is none is refused by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from boxlens.detectors.classifiers.saved_classifiers import load_classifier, save_classifier
from boxlens.detectors.region_features import N_FEATURES
from boxlens.errors import InputError
from detectors.classifiers.hog_toys import pixels_of, toy_classifier, toy_crops
from small_world import assert_same_tables

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.npz"
    save_classifier(toy_classifier(), path)
    return path


def test_the_loaded_classifier_answers_the_very_same(saved: Path):
    loaded = load_classifier(saved)
    assert_same_tables(loaded.classes, toy_classifier().classes)
    assert (loaded.name, loaded.notices) == (toy_classifier().name, toy_classifier().notices)
    crops = pixels_of(toy_crops(4, seed=5))
    np.testing.assert_array_equal(loaded.classify(crops), toy_classifier().classify(crops))


def test_the_file_is_always_the_same_bytes(saved: Path, tmp_path: Path):
    again = tmp_path / "again.npz"
    save_classifier(load_classifier(saved), again)
    assert again.read_bytes() == saved.read_bytes()


def test_a_cut_or_changed_file_is_refused(saved: Path):
    content = saved.read_bytes()
    for length in (0, 1, 100, len(content) // 2, len(content) - 1):
        saved.write_bytes(content[:length])
        with pytest.raises(InputError, match=r"model\.npz: not a classifier of Boxlens"):
            load_classifier(saved)
    changed = bytearray(content)
    changed[len(content) // 2] ^= 255
    saved.write_bytes(changed)
    with pytest.raises(InputError, match="not a classifier of Boxlens"):
        load_classifier(saved)


def rewritten(path: Path, header: dict[str, object] | None = None, **arrays: object) -> Path:
    """The file with some of its arrays or header fields replaced; None removes one."""
    with np.load(path) as archive:
        parts = {name: archive[name] for name in archive.files} | arrays
    fields = json.loads(bytes(parts["header"])) | (header or {})
    fields = {key: value for key, value in fields.items() if value is not None}
    parts["header"] = np.frombuffer(json.dumps(fields).encode(), dtype=np.uint8)
    np.savez(path, **{name: part for name, part in parts.items() if part is not None})
    return path


@pytest.mark.parametrize(
    "change",
    [
        {"weights": None},
        {"weights": np.zeros((3, N_FEATURES))},
        {"weights": np.zeros((3, 7), dtype=np.int16)},
        {"bias": np.array([0, np.nan, 0])},
        {"step": np.array([1.0, 1.0, 0.0])},
        {"class_row": np.array([0, 1, 3], dtype=np.int32)},
        {"class_row": np.array([0, 1, 1], dtype=np.int32)},
        {"extra": np.zeros(1)},
        {"header": {"schema": "boxlens/detector/1"}},
        {"header": {"schema": None}},
        {"header": {"kind": "fortune teller"}},
        {"header": {"classes": 7}},
        {"header": {"notices": [{"code": "x"}]}},
    ],
    ids=str,
)
def test_a_model_that_contradicts_itself_is_refused(saved: Path, change: dict):
    with pytest.raises(InputError, match="not a classifier of Boxlens"):
        load_classifier(rewritten(saved, **change))


def test_the_untouched_model_passes_the_same_way(saved: Path):
    load_classifier(rewritten(saved))
