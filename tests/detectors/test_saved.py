"""A saved detector is the same detector, and a file that is none is refused by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from boxlens.detectors.region_training import train_regions
from boxlens.detectors.saved import load_detector, save_detector
from boxlens.detectors.window_training import train_windows
from boxlens.errors import InputError
from small_world import assert_same_tables
from toy_pictures import toy_set

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module", params=[train_windows, train_regions], ids=["window", "region"])
def detector(request: pytest.FixtureRequest):
    pictures, dataset = toy_set(8, seed=1, difficult=lambda n: np.arange(n) == 2)
    return request.param(pictures, dataset, seed=2)


@pytest.fixture
def saved(detector, tmp_path: Path) -> Path:
    path = tmp_path / "model.npz"
    save_detector(detector, path)
    return path


def test_the_loaded_detector_finds_the_very_same(detector, saved: Path):
    loaded = load_detector(saved)
    assert type(loaded) is type(detector)
    assert_same_tables(loaded.classes, detector.classes)
    assert (loaded.name, loaded.notices) == (detector.name, detector.notices)
    pictures, _ = toy_set(4, seed=5)
    assert_same_tables(loaded.detect(pictures), detector.detect(pictures))


def test_the_file_is_small_and_always_the_same_bytes(detector, saved: Path, tmp_path: Path):
    again = tmp_path / "again.npz"
    save_detector(load_detector(saved), again)
    assert again.read_bytes() == saved.read_bytes()
    assert saved.stat().st_size < 200_000


def test_a_cut_file_is_refused_wherever_it_was_cut(saved: Path):
    content = saved.read_bytes()
    for length in (0, 1, 100, len(content) // 2, len(content) - 1):
        saved.write_bytes(content[:length])
        with pytest.raises(InputError, match=r"model\.npz: not a detector of Boxlens"):
            load_detector(saved)


def test_flipped_bytes_are_refused(saved: Path):
    content = bytearray(saved.read_bytes())
    content[len(content) // 2] ^= 255
    saved.write_bytes(content)
    with pytest.raises(InputError, match="not a detector of Boxlens"):
        load_detector(saved)


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
        {"bias": np.zeros(1)},
        {"step": None, "steps": np.ones(1)},
        {"class_row": np.array([99], dtype=np.int32)},
        {"class_row": np.zeros((1, 1), dtype=np.int32)},
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
def test_a_model_that_contradicts_itself_is_refused(saved: Path, change: dict):
    with pytest.raises(InputError, match="not a detector of Boxlens"):
        load_detector(rewritten(saved, **change))


def test_the_untouched_model_passes_the_same_way(saved: Path):
    load_detector(rewritten(saved))


def test_files_of_others_are_refused(tmp_path: Path):
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
        with pytest.raises(InputError, match=f"{path.name}: not a detector of Boxlens"):
            load_detector(path)


def test_what_is_no_file_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="no such file"):
        load_detector(tmp_path / "absent.npz")
    with pytest.raises(InputError, match="found a folder"):
        load_detector(tmp_path)
