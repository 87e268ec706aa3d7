"""Windows for clutter: given, from files, or made from photographs and scenes by real generators."""

from __future__ import annotations

import math
import zipfile
from importlib.resources import files

import numpy as np
import pytest

import boxlens
from boxlens.data.windows import Windows
from boxlens.dataset_difficulty import DifficultyChoice
from boxlens.dataset_difficulty.window_sources import find_windows, is_method
from boxlens.errors import InputError, ParameterError
from boxlens.images import find_images
from oracles.model import iou
from planted_worlds import world_of
from shared_data import shared

FEW = DifficultyChoice(n_windows=100)


def slow_clutter(dataset, windows, class_row, limit):
    """METHODS 3.6 in plain loops, over the images that were searched."""
    gt, ranks = dataset.gt, []
    for image in range(len(dataset.images)):
        targets = [
            tuple(gt.box[row])
            for row in range(gt.offsets[image], gt.offsets[image + 1])
            if gt.class_row[row] == class_row and not gt.crowd[row]
        ]
        if not targets or not windows.searched[image]:
            continue
        shown = windows.box[windows.offsets[image] : windows.offsets[image + 1]][:limit]
        hits = [any(iou(tuple(box), one) >= 0.5 for one in targets) for box in shown]
        ranks.append(hits.index(True) + 1 if True in hits else limit + 1)
    return math.log2(sum(ranks) / len(ranks)) if ranks else math.nan


def check_clutter(dataset, windows, choice):
    result = boxlens.difficulty(dataset, windows=windows, choice=choice)
    found = [one.clutter for one in result.datasets[0].classes]
    slow = [
        slow_clutter(dataset, windows, row, choice.n_windows) for row in range(len(dataset.classes))
    ]
    np.testing.assert_allclose(found, slow, rtol=1e-12)
    assert np.nanmax(found) <= math.log2(choice.n_windows + 1)
    assert result.datasets[0].windows.name == windows.name
    return found


@pytest.mark.parametrize("method", ["edge-boxes", "sliding-window"])
def test_clutter_of_photographs(method):
    pytest.importorskip("cv2", reason="needs the extra images")
    dataset = boxlens.read_dataset(shared("coco_val2017_80", "instances.json"))
    pictures = find_images(shared("images"), dataset=dataset)[0].ids
    some = dataset.select_images(np.flatnonzero(np.isin(dataset.images.id, pictures))[:10])
    (windows,) = find_windows([some], method, shared("images"), FEW)
    assert windows.searched.all()
    found = check_clutter(some, windows, FEW)
    assert np.nanmin(found) < math.log2(101)


def test_clutter_of_all_photographs_by_fixed_windows():
    pytest.importorskip("cv2", reason="needs the extra images")
    dataset = boxlens.read_dataset(shared("coco_val2017_80", "instances.json"))
    (windows,) = find_windows([dataset], "sliding-window", shared("images"), DifficultyChoice())
    check_clutter(dataset, windows, DifficultyChoice())


def test_clutter_of_scenes(tmp_path):
    pytest.importorskip("cv2", reason="needs the extra images")
    demo = files("boxlens") / "demo"
    with zipfile.ZipFile(demo / "images.zip") as packed:
        for name in sorted(packed.namelist())[:8]:
            packed.extract(name, tmp_path)
    dataset = boxlens.read_dataset(demo / "ground_truth.json.gz")
    (windows,) = find_windows([dataset], "edge-boxes", tmp_path, FEW)
    assert 0 < windows.searched.sum() <= 8
    found = check_clutter(dataset, windows, FEW)
    assert np.isfinite(found).any()
    notices = boxlens.difficulty(dataset, windows=windows, choice=FEW).notices
    assert any(one.code == "image_without_windows" for one in notices)


def test_a_file_goes_before_a_method_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_method("edge-boxes")
    (tmp_path / "edge-boxes").write_text("image,x,y,w,h\n1,0,0,10,10\n")
    assert not is_method("edge-boxes")


def test_one_file_a_data_set_is_asked_for(tmp_path):
    path = tmp_path / "windows.csv"
    path.write_text("image,x,y,w,h\n1,0,0,10,10\n")
    world = world_of([[0, 0, 10, 10]])
    assert len(find_windows([world, world], [path, path], (), FEW)) == 2
    with pytest.raises(ParameterError, match="2 data sets and 1 windows"):
        find_windows([world, world], path, (), FEW)


def test_what_cannot_be_meant_is_told(tmp_path):
    world = world_of([[0, 0, 10, 10]])
    with pytest.raises(ParameterError, match="methods are"):
        find_windows([world], "edge-boxen", (), FEW)
    with pytest.raises(ParameterError, match="name their folder"):
        find_windows([world], "edge-boxes", (), FEW)
    with pytest.raises(ParameterError, match="name a method"):
        find_windows([world], (), tmp_path, FEW)
    with pytest.raises(InputError, match="no pictures"):
        find_windows([world], "sliding-window", tmp_path, FEW)


def test_windows_in_memory_are_taken_as_they_are():
    world = world_of([[0, 0, 10, 10]])
    windows = Windows.of("mine", 1, image_row=[0], box=[[0, 0, 10, 10]])
    assert find_windows([world], windows, (), FEW) == [windows]
    assert find_windows([world], (), (), FEW) == [None]
