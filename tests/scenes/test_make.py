"""Scenes as files: the same bytes however they are made, readable in both formats, resumable."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pycocotools.coco import COCO

import boxlens
from boxlens.errors import InputError, ParameterError
from boxlens.images import read_picture
from boxlens.scenes.catalogue import KINDS
from boxlens.scenes.make import SceneSettings, make_scenes
from boxlens.scenes.records import object_records
from boxlens.scenes.scene import render_scene
from running import PATIENCE_S

SMALL = {"width_px": 160, "height_px": 120}
SETTINGS = SceneSettings(5, 8, **SMALL)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    return make_scenes(SETTINGS, tmp_path_factory.mktemp("scenes") / "made").folder


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def annotations_of(folder: Path) -> list[dict]:
    return json.loads((folder / "ground_truth.json").read_text())["annotations"]


# --- the same bytes -------------------------------------------------------------------------------


def test_any_number_of_workers_writes_the_same_bytes(made, tmp_path):
    again = make_scenes(SETTINGS, tmp_path / "again", workers=2).folder
    assert content(again) == content(made)
    assert not list(tmp_path.glob("*.partial"))


def test_a_larger_set_begins_with_the_same_scenes(made, tmp_path):
    fewer = make_scenes(SceneSettings(5, 3, **SMALL), tmp_path / "fewer").folder
    larger = content(made)
    for name, data in content(fewer).items():
        if name.startswith(("images", "voc/Annotations")):
            assert larger[name] == data, name
    assert annotations_of(fewer) == annotations_of(made)[: len(annotations_of(fewer))]


def test_other_seeds_are_other_worlds(made, tmp_path):
    other = make_scenes(SceneSettings(6, 8, **SMALL), tmp_path / "other").folder
    here, there = content(made), content(other)
    assert here.keys() == there.keys()
    pictures = [name for name in here if name.startswith("images")]
    assert all(here[name] != there[name] for name in pictures)
    assert len({here[name] for name in pictures}) == SETTINGS.n_images


def test_the_files_hold_what_was_rendered(made):
    for number in range(1, SETTINGS.n_images + 1):
        scene = render_scene(5, number, **SMALL)
        written = [found for found in annotations_of(made) if found["image_id"] == number]
        expected = json.loads(json.dumps(object_records(scene, number)))
        assert [{k: v for k, v in found.items() if k != "id"} for found in written] == expected
        picture = read_picture(made / "images" / f"{number:06}.jpg").pixels
        assert picture.shape == scene.pixels.shape
        assert np.abs(picture.astype(int) - scene.pixels).mean() < 8  # JPEG loses a little


# --- other readers --------------------------------------------------------------------------------


def test_both_formats_hold_the_same_objects(made):
    coco = boxlens.read_dataset(made / "ground_truth.json")
    voc = boxlens.read_dataset(made / "voc")
    assert (coco.source.format, voc.source.format) == ("coco", "voc")
    assert listed(voc) == listed(coco)
    # VOC knows no crowds: they are not counted there either.
    difficult = (coco.gt.attributes["difficult"] == 1) | coco.gt.crowd
    assert voc.gt.difficult.tolist() == difficult.tolist()
    assert not voc.gt.difficult.all()
    for name in ("pose", "occlusion", "truncated_fraction"):
        known = ~coco.gt.crowd
        here, there = voc.gt.attributes[name][known], coco.gt.attributes[name][known]
        assert here.tolist() == there.tolist()


def listed(dataset: boxlens.Dataset) -> list[tuple[object, ...]]:
    """Every object as image, class and box."""
    gt = dataset.gt
    names = [dataset.classes.name[row] for row in gt.class_row.tolist()]
    return list(zip(gt.image_row.tolist(), names, map(tuple, gt.box.tolist()), strict=True))


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_pycocotools_reads_the_same_masks(made, capsys):
    reader = COCO(str(made / "ground_truth.json"))
    capsys.readouterr()
    assert len(reader.getImgIds()) == SETTINGS.n_images
    for number in reader.getImgIds():
        objects = render_scene(5, number, **SMALL).objects
        records = reader.loadAnns(reader.getAnnIds(number))
        for found, record in zip(objects, records, strict=True):
            mask = reader.annToMask(record)
            assert np.array_equal(mask, found.mask)
            assert record["area"] == mask.sum() == found.visible_px
            assert record["bbox"] == list(found.box)
            name = reader.loadCats(record["category_id"])[0]["name"]
            assert name == KINDS[found.class_row].name


def test_attributes_become_columns(made):
    dataset = boxlens.read_dataset(made / "ground_truth.json")
    columns = dataset.gt.attributes
    assert {"visible_fraction", "occluded_fraction", "truncated_fraction"} <= set(columns)
    assert {"occlusion", "occluded", "truncated", "difficult", "pose"} <= set(columns)
    assert {f"side_{name}" for name in ("front", "rear", "side", "top", "bottom")} <= set(columns)
    assert any(name.startswith("part_") for name in columns)
    records = {record["id"]: record for record in annotations_of(made)}
    for row, number in enumerate(dataset.gt.id.tolist()):
        for name in ("visible_fraction", "occlusion", "truncated", "side_top"):
            if name in records[number]:
                assert columns[name][row] == records[number][name]


def test_the_class_tree_has_every_class_once(made):
    def leaves(node: dict) -> list[str]:
        below = node.get("Subcategory", [])
        return [leaf for child in below for leaf in leaves(child)] or [node["LabelName"]]

    tree = json.loads((made / "class_tree.json").read_text())
    assert sorted(leaves(tree)) == sorted(kind.name for kind in KINDS)
    categories = json.loads((made / "ground_truth.json").read_text())["categories"]
    assert {found["name"]: found["supercategory"] for found in categories} == {
        kind.name: kind.group for kind in KINDS
    }


def test_counts_are_those_of_the_files(made, tmp_path):
    again = make_scenes(SETTINGS, tmp_path / "again")
    records = annotations_of(made)
    assert again.n_images == SETTINGS.n_images
    assert again.n_crowds == sum(record["iscrowd"] for record in records)
    assert again.n_objects == sum(1 - record["iscrowd"] for record in records)
    assert again.n_difficult == sum(record.get("difficult", 0) for record in records)
    assert again.to_json()["folder"] == str(tmp_path / "again")


def test_progress_counts_every_scene(tmp_path):
    told: list[tuple[str, int, int]] = []
    make_scenes(
        SceneSettings(5, 3, 64, 48), tmp_path / "out", progress=lambda *report: told.append(report)
    )
    assert told == [("scenes", 1, 3), ("scenes", 2, 3), ("scenes", 3, 3)]


def test_a_set_without_objects_is_a_set(tmp_path):
    seed = next(seed for seed in range(10, 400) if not render_scene(seed, 1, 64, 48).objects)
    empty = make_scenes(SceneSettings(seed, 1, 64, 48), tmp_path / "empty")
    assert empty.n_objects == 0
    assert len(boxlens.read_dataset(empty.folder / "voc").gt) == 0


# --- stopped and started again --------------------------------------------------------------------

LONG = SceneSettings(9, 24, **SMALL)


# Told of its third scene, it sends itself a signal; before, it writes down its processes.
SCRIPT = """
import multiprocessing, os, signal, sys
from pathlib import Path
from boxlens.scenes import SceneSettings, make_scenes

def told(_, number, __):
    if number == 3:
        processes = multiprocessing.active_children()
        Path(folder + ".workers").write_text(" ".join(str(one.pid) for one in processes))
        os.kill(os.getpid(), signal.Signals[sys.argv[4]])

if __name__ == "__main__":
    folder, workers, settings = sys.argv[1], int(sys.argv[2]), eval(sys.argv[3])
    make_scenes(settings, folder, workers=workers, progress=told)
"""


def stopped_by(name: str, folder: Path, workers: int) -> subprocess.Popen[bytes]:
    """A run that got this signal half way."""
    script = folder.with_name("script.py")
    script.write_text(SCRIPT)
    return subprocess.Popen([sys.executable, script, folder, str(workers), repr(LONG), name])


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    target, partial = tmp_path / "out", tmp_path / "out.partial"
    assert stopped_by("SIGKILL", target, 1).wait(PATIENCE_S) == -signal.SIGKILL
    assert not target.exists()
    done = {path.stem for path in (partial / "records").glob("*.json")}
    assert 0 < len(done) < LONG.n_images
    times = {name: (partial / "images" / f"{name}.jpg").stat().st_mtime_ns for name in done}
    told: list[int] = []
    make_scenes(LONG, target, progress=lambda _, number, __: told.append(number))
    assert told == list(range(len(done) + 1, LONG.n_images + 1))
    assert {name: (target / "images" / f"{name}.jpg").stat().st_mtime_ns for name in done} == times
    assert not partial.exists()
    unbroken = make_scenes(LONG, tmp_path / "unbroken", workers=2).folder
    assert content(target) == content(unbroken)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc to find processes")
def test_a_killed_run_leaves_no_process_behind(tmp_path):
    assert stopped_by("SIGKILL", tmp_path / "out", 2).wait(PATIENCE_S) == -signal.SIGKILL
    workers = [int(pid) for pid in (tmp_path / "out.workers").read_text().split()]
    assert workers, "no worker was seen"
    patience = time.monotonic() + PATIENCE_S
    while any(is_running(pid) for pid in workers) and time.monotonic() < patience:
        time.sleep(0.05)
    left = [pid for pid in workers if is_running(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


def is_running(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def test_the_beginning_of_other_scenes_is_refused(tmp_path):
    target = tmp_path / "out"
    assert stopped_by("SIGKILL", target, 1).wait(PATIENCE_S) == -signal.SIGKILL
    before = content(tmp_path)
    for change in ({"seed": 8}, {"n_images": 25}, {"width_px": 161}):
        with pytest.raises(InputError, match=r"out\.partial.*other settings.*Remove it"):
            make_scenes(replace(LONG, **change), target)
    assert content(tmp_path) == before


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_broken_settings_of_a_stopped_run_are_no_crash(tmp_path, text):
    (tmp_path / "out.partial").mkdir()
    (tmp_path / "out.partial" / "settings.json").write_text(text)
    with pytest.raises(InputError, match=r"out\.partial.*Remove it"):
        make_scenes(SceneSettings(5, 1, 64, 48), tmp_path / "out")


# --- what cannot be meant -------------------------------------------------------------------------


def test_an_occupied_folder_is_refused_and_kept(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="Name a new folder"):
        make_scenes(SceneSettings(5, 1, 64, 48), tmp_path / "out")
    assert content(tmp_path) == {"out/mine.txt": b"mine"}


def test_a_file_in_the_way_is_refused_and_kept(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(InputError, match="Name a new folder"):
        make_scenes(SceneSettings(5, 1, 64, 48), tmp_path / "out")
    assert content(tmp_path) == {"out": b"mine"}


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "out").mkdir()
    make_scenes(SceneSettings(5, 1, 64, 48), tmp_path / "out")
    assert (tmp_path / "out" / "ground_truth.json").exists()


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ((-1, 1), "seed .*expected a whole number from 0 to 4,294,967,295, got -1"),
        ((2**32, 1), "seed .*got 4,294,967,296"),
        ((0, 0), "n_images .*expected a whole number from 1 .*got 0"),
        ((0, -3), "n_images .*got -3"),
        ((0, 1, 1, 1), "size 1x1"),
        ((0, 1, 63, 48), "size 63x48"),
        ((0, 1, 5000, 48), "size 5000x48"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(values, told):
    with pytest.raises(ParameterError, match=told) as problem:
        SceneSettings(*values)
    assert "\n" not in str(problem.value)


def test_two_processes_do_not_make_the_same_scenes(tmp_path):
    target = tmp_path / "out"
    run = stopped_by("SIGSTOP", target, 1)
    os.waitpid(run.pid, os.WUNTRACED)
    try:
        with pytest.raises(InputError, match="another process is making these scenes"):
            make_scenes(LONG, target)
    finally:
        run.kill()
        run.wait()
