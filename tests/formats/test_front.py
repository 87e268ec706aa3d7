"""The front of formats: one place that knows them all, and costs nothing to import."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from boxlens import formats
from boxlens.errors import InputError, ParameterError
from boxlens.formats import files
from small_world import small_dataset, small_detections


def module_of(name: str):
    try:
        return import_module(formats.FORMATS[name].module)
    except ImportError as problem:
        pytest.fail(f"{name} cannot be imported: {problem}")


@pytest.mark.parametrize("name", formats.FORMATS)
def test_every_format_has_the_readers_and_writers_it_claims(name: str) -> None:
    entry, module = formats.FORMATS[name], module_of(name)
    if entry.ground_truth:
        taken = set(inspect.signature(module.read_dataset).parameters)
        assert taken - {"path"} <= {"split", "threads", "progress"}
        assert callable(module.write_dataset)
    if entry.detections:
        taken = set(inspect.signature(module.read_detections).parameters)
        assert taken >= {"path", "dataset", "name", "strict"}
        assert taken - {"path", "dataset", "name", "strict"} <= {"threads", "progress"}
        assert callable(module.write_detections)


def test_importing_the_front_loads_nothing_heavy() -> None:
    code = (
        "import sys, boxlens.formats, boxlens.formats.sniff\n"
        "heavy = {'polars', 'yaml', 'defusedxml', 'boxlens._kernel', 'boxlens.formats.coco'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    source = Path(files.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(source)},
    )
    assert done.stdout.strip() == "[]"


def test_unknown_formats_are_answered_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="unknown format 'kitti': choose one of coco, lvis"):
        formats.read_dataset(tmp_path, format="kitti")


def test_a_split_needs_a_format_with_splits(tmp_path: Path) -> None:
    formats.write_dataset(small_dataset(), tmp_path / "d", "parquet")
    with pytest.raises(ParameterError, match="format 'parquet' has no splits: remove split 'val'"):
        formats.read_dataset(tmp_path / "d", split="val")


def test_a_format_without_ground_truth_says_so(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'ultralytics' cannot hold ground truth"):
        formats.write_dataset(small_dataset(), tmp_path / "d", "ultralytics")


def test_detectors_are_named_after_their_file(tmp_path: Path) -> None:
    dataset = small_dataset()
    path = tmp_path / "yolo.v2.parquet"
    formats.write_detections(small_detections(), dataset, path, "parquet")
    assert formats.read_detections(path, dataset).name == "yolo.v2"
    assert formats.read_detections(path, dataset, name="mine").name == "mine"
    assert files.default_name(tmp_path / "a.json.gz") == "a"
    assert files.default_name(tmp_path) == tmp_path.name


def test_a_missing_path_is_told_before_anything_else(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        formats.read_dataset(tmp_path / "nowhere", format="parquet")
