"""A saved model is the same model, and a file that is none is refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from boxlens.detectors.classifiers.saved_classifiers import load_classifier, save_classifier
from boxlens.detectors.region_features import N_FEATURES
from boxlens.detectors.region_training import train_regions
from boxlens.detectors.saved import load_detector, save_detector
from boxlens.detectors.window_training import train_windows
from boxlens.errors import InputError
from detectors.classifiers.hog_toys import pixels_of, toy_classifier, toy_crops
from small_world import assert_same_tables
from toy_pictures import toy_set


class Kind(NamedTuple):
    """A model, and how it is written, read and asked."""

    model: Any
    what: str
    save: Callable[[Any, Path], None]
    load: Callable[[Path], Any]
    answer: Callable[[Any], Any]


def _detector(train: Callable[..., Any]) -> Kind:
    pictures, dataset = toy_set(8, seed=1, difficult=lambda n: np.arange(n) == 2)
    seen, _ = toy_set(4, seed=5)
    model = train(pictures, dataset, seed=2)
    return Kind(model, "detector", save_detector, load_detector, lambda one: one.detect(seen))


def _classifier() -> Kind:
    crops = pixels_of(toy_crops(4, seed=5))
    return Kind(
        toy_classifier(),
        "classifier",
        save_classifier,
        load_classifier,
        lambda one: one.classify(crops),
    )


KINDS = {
    "window": lambda: _detector(train_windows),
    "region": lambda: _detector(train_regions),
    "hog": _classifier,
}


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]()


@pytest.fixture
def saved(kind: Kind, tmp_path: Path) -> Path:
    path = tmp_path / "model.npz"
    kind.save(kind.model, path)
    return path


def refused(kind: Kind, path: Path) -> None:
    with pytest.raises(InputError, match=f"{path.name}: not a {kind.what} of Boxlens"):
        kind.load(path)


def test_the_loaded_model_answers_the_very_same(kind: Kind, saved: Path):
    loaded, model = kind.load(saved), kind.model
    assert type(loaded) is type(model)
    assert_same_tables(loaded.classes, model.classes)
    assert (loaded.name, loaded.notices) == (model.name, model.notices)
    found, before = kind.answer(loaded), kind.answer(model)
    if isinstance(found, np.ndarray):
        np.testing.assert_array_equal(found, before)
    else:
        assert_same_tables(found, before)


def test_the_file_is_small_and_always_the_same_bytes(kind: Kind, saved: Path, tmp_path: Path):
    again = tmp_path / "again.npz"
    kind.save(kind.load(saved), again)
    assert again.read_bytes() == saved.read_bytes()
    assert saved.stat().st_size < 200_000


def test_a_cut_or_changed_file_is_refused(kind: Kind, saved: Path):
    content = saved.read_bytes()
    for length in (0, 1, 100, len(content) // 2, len(content) - 1):
        saved.write_bytes(content[:length])
        refused(kind, saved)
    changed = bytearray(content)
    changed[len(content) // 2] ^= 255
    saved.write_bytes(changed)
    refused(kind, saved)


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
        {"weights": np.zeros(3, dtype=np.int8)},
        {"weights": np.zeros((3, N_FEATURES))},
        {"weights": np.zeros((3, 7), dtype=np.int16)},
        {"bias": np.zeros(1)},
        {"bias": np.array([0, np.nan, 0])},
        {"step": None, "steps": np.ones(1)},
        {"step": np.array([1.0, 1.0, 0.0])},
        {"class_row": np.array([99], dtype=np.int32)},
        {"class_row": np.zeros((1, 1), dtype=np.int32)},
        {"class_row": np.array([0, 1, 3], dtype=np.int32)},
        {"slope": np.array([np.nan])},
        {"extra": np.zeros(1)},
        {"header": {"schema": "boxlens/detector/99"}},
        {"header": {"schema": None}},
        {"header": {"kind": "fortune teller"}},
        {"header": {"classes": None}},
        {"header": {"classes": {"id": [1, 1], "name": ["a", "b"], "supercategory": None}}},
        {"header": {"classes": 7}},
        {"header": {"notices": [{"code": "x"}]}},
    ],
    ids=str,
)
def test_a_model_that_contradicts_itself_is_refused(kind: Kind, saved: Path, change: dict):
    refused(kind, rewritten(saved, **change))


def test_the_untouched_model_passes_the_same_way(kind: Kind, saved: Path):
    kind.load(rewritten(saved))


def test_a_classifier_knows_a_class_once(tmp_path: Path):
    kind = _classifier()
    kind.save(kind.model, tmp_path / "model.npz")
    twice = np.array([0, 1, 1], dtype=np.int32)
    refused(kind, rewritten(tmp_path / "model.npz", class_row=twice))


@pytest.mark.parametrize("kind", ["detector", "classifier"])
def test_files_of_others_are_refused(kind: str, tmp_path: Path):
    load = {"detector": load_detector, "classifier": load_classifier}[kind]
    foreign = tmp_path / "foreign.npz"
    np.savez(foreign, values=np.zeros(3))
    single = tmp_path / "single.npz"
    with single.open("wb") as file:
        np.save(file, np.zeros(3))
    pickled = tmp_path / "pickled.npz"
    np.savez(pickled, header=np.array([{"a": 1}], dtype=object))
    text = tmp_path / "text.npz"
    text.write_text("not a model")
    for path in (foreign, single, pickled, text):
        with pytest.raises(InputError, match=f"{path.name}: not a {kind} of Boxlens"):
            load(path)
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "absent.npz")
    with pytest.raises(InputError, match="found a folder"):
        load(tmp_path)
