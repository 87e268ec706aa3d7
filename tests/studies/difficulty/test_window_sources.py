"""Windows for clutter: given, from files, or made from photographs and scenes by real generators."""

from __future__ import annotations

import math
import os
import zipfile
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

import boxlens
from boxlens.data.windows import Windows
from boxlens.errors import InputError, ParameterError
from boxlens.images import find_images
from boxlens.studies.difficulty import DifficultyChoice
from boxlens.studies.difficulty.window_sources import find_windows
from boxlens.studies.proposals.sources import is_method
from oracles import difficulty_oracle as oracle
from planted_worlds import world_of
from shared_data import shared

FEW = DifficultyChoice(n_windows=100)


def check_clutter(dataset, windows, choice):
    result = boxlens.difficulty(dataset, windows=windows, n_windows=choice.n_windows)
    found = [one.clutter for one in result.datasets[0].classes]
    boxes = {
        row: windows.box[windows.offsets[row] : windows.offsets[row + 1]].tolist()
        for row in np.flatnonzero(windows.searched).tolist()
    }
    rows = oracle.measures(oracle.world_of(dataset), windows=boxes, limit=choice.n_windows)
    slow = [row["clutter"] for row in rows]
    np.testing.assert_allclose(found, slow, rtol=1e-12)
    assert np.nanmax(found) <= math.log2(choice.n_windows + 1)
    assert result.datasets[0].windows.name == windows.name
    return found


@pytest.mark.slow
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


@pytest.mark.slow
def test_clutter_of_all_photographs_by_fixed_windows():
    pytest.importorskip("cv2", reason="needs the extra images")
    dataset = boxlens.read_dataset(shared("coco_val2017_80", "instances.json"))
    (windows,) = find_windows([dataset], "sliding-window", shared("images"), DifficultyChoice())
    check_clutter(dataset, windows, DifficultyChoice())


@pytest.mark.slow
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
    notices = boxlens.difficulty(dataset, windows=windows, n_windows=100).notices
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


def photographs(folder, *, scale=1.0, shape=1.0, n=3):
    """Copies of some photographs: as they are, scaled, or of another shape; and their data set."""
    image = pytest.importorskip("PIL.Image", reason="needs the extra images")
    dataset = boxlens.read_dataset(shared("coco_val2017_80", "instances.json"))
    files = find_images(shared("images"), dataset=dataset)[0]
    folder.mkdir(exist_ok=True)
    for path in files.paths[:n]:
        with image.open(path) as picture:
            width, height = picture.size
            size = round(width * scale * shape), round(height * scale)
            picture.convert("RGB").resize(size).save(folder / f"{path.stem}.png")
    keep = np.flatnonzero(np.isin(dataset.images.id, files.ids[:n]))
    return dataset.select_images(keep)


def test_windows_of_scaled_pictures_are_scaled_to_the_ground_truth(tmp_path):
    dataset = photographs(tmp_path / "half", scale=0.5)
    (windows,) = find_windows([dataset], "sliding-window", tmp_path / "half", FEW)
    assert windows.searched.all()
    assert [one.code for one in windows.notices] == ["another_size"]
    for row in range(len(dataset.images)):
        boxes = windows.box[windows.offsets[row] : windows.offsets[row + 1]]
        size = dataset.images.width_px[row], dataset.images.height_px[row]
        reach = (boxes[:, :2] + boxes[:, 2:]).max(axis=0)
        np.testing.assert_allclose(reach, size, atol=4)


def test_pictures_of_another_shape_are_not_searched(tmp_path):
    dataset = photographs(tmp_path / "wide", shape=1.3)
    (windows,) = find_windows([dataset], "sliding-window", tmp_path / "wide", FEW)
    assert not windows.searched.any()
    assert len(windows) == 0
    assert [one.code for one in windows.notices] == ["another_shape"]


def test_boxes_that_are_fractions_get_windows_that_are(tmp_path):
    """Open Images tells no sizes: its boxes are fractions of the picture."""
    dataset = photographs(tmp_path / "as_they_are")
    (in_pixels,) = find_windows([dataset], "sliding-window", tmp_path / "as_they_are", FEW)
    images = dataset.images
    size = np.stack([images.width_px, images.height_px] * 2, axis=1)
    unknown = np.full(len(images), np.nan)
    relative = replace(
        dataset,
        relative=True,
        images=replace(images, width_px=unknown, height_px=unknown),
        gt=replace(dataset.gt, box=dataset.gt.box / size[dataset.gt.image_row]),
    )
    (fractions,) = find_windows([relative], "sliding-window", tmp_path / "as_they_are", FEW)
    # The window of the whole image is a pixel wider than it.
    assert fractions.box.max() <= 1 + 1 / size.min()
    image_row = np.repeat(np.arange(len(images)), np.diff(fractions.offsets))
    np.testing.assert_allclose(fractions.box * size[image_row], in_pixels.box)
    measured = boxlens.difficulty(relative, windows=fractions, n_windows=100).datasets[0]
    expected = boxlens.difficulty(dataset, windows=in_pixels, n_windows=100).datasets[0]
    np.testing.assert_allclose(measured.means["clutter"], expected.means["clutter"])
    np.testing.assert_allclose(measured.means["cpl"], expected.means["cpl"])


def test_what_failed_is_told_again_when_windows_are_used_again(tmp_path):
    dataset = photographs(tmp_path / "some")
    damaged = min((tmp_path / "some").iterdir())
    damaged.write_bytes(b"no picture")
    told = []
    for _ in range(2):
        (windows,) = find_windows(
            [dataset], "sliding-window", tmp_path / "some", FEW, keep=tmp_path / "kept"
        )
        told.append(windows.notices)
    assert told[0] == told[1]
    assert any(one.code == "picture_failed" for one in told[0])
    assert windows.searched.sum() == 2
    assert windows.made_by.startswith("sliding-window")


def test_a_picture_that_changed_is_searched_again(tmp_path):
    dataset = photographs(tmp_path / "some")
    keep = tmp_path / "kept"
    find_windows([dataset], "sliding-window", tmp_path / "some", FEW, keep=keep)
    assert len(list(keep.glob("windows-*-????????????.json"))) == 1
    changed = min((tmp_path / "some").iterdir())
    content = changed.read_bytes()
    os.utime(changed, ns=(1, 1))
    assert changed.read_bytes() == content
    find_windows([dataset], "sliding-window", tmp_path / "some", FEW, keep=keep)
    assert len(list(keep.glob("windows-*-????????????.json"))) == 2


def test_a_size_of_zero_is_no_size(tmp_path):
    """Some files say 0 where they do not know: windows stay as they were found."""
    dataset = photographs(tmp_path / "some")
    (known,) = find_windows([dataset], "sliding-window", tmp_path / "some", FEW)
    zeros = np.zeros(len(dataset.images))
    unknown = replace(dataset, images=replace(dataset.images, width_px=zeros, height_px=zeros))
    (windows,) = find_windows([unknown], "sliding-window", tmp_path / "some", FEW)
    np.testing.assert_array_equal(windows.box, known.box)
    assert windows.searched.all()
    assert windows.notices == ()
