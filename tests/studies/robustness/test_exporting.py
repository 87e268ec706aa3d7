"""Changed sets as files: what is written, kept, refused and left out."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data.columns import frozen
from boxlens.detectors.run_result import NothingDetectedError
from boxlens.errors import InputError
from boxlens.formats import read_dataset
from boxlens.images.transforming.catalogue import CLEAN
from boxlens.images.transforming.changed_set import changed_set
from boxlens.images.transforming.transform import Step, TransformSettings
from boxlens.studies.robustness.exporting import export_sets, exported_names
from boxlens.studies.robustness.importing import open_sets
from rendered_set import rendered_set

STEPS = (
    CLEAN,
    Step("crop", math.nan),
    Step("graded_rotation", 5.0),
    Step("incongruent", math.nan),
    Step("gaussian_noise", 3.0),
)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    return rendered_set(tmp_path_factory.mktemp("rendered") / "set")


def sets_of(rendered, steps=STEPS, seed=0):
    settings = TransformSettings(seed=seed)
    return [changed_set(rendered.dataset, rendered.files, step, settings) for step in steps]


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("workers", [1, 3])
def test_exported_pictures_and_boxes_are_those_that_are_drawn(rendered, tmp_path, workers):
    sets = sets_of(rendered)
    result = export_sets(sets, tmp_path / "out", workers=workers)
    assert result.failed == ()
    assert result.n_images == sum(len(one) for one in sets)
    for one, opened in zip(sets, open_sets(tmp_path / "out"), strict=True):
        assert opened.step.slug == one.step.slug
        np.testing.assert_array_equal(opened.source_row, one.source_row)
        np.testing.assert_array_equal(opened.object_row, one.object_row)
        for column in ("image_row", "class_row", "box", "area_px", "crowd", "id"):
            np.testing.assert_array_equal(
                getattr(opened.dataset.gt, column), getattr(one.dataset.gt, column)
            )
        np.testing.assert_array_equal(opened.dataset.images.width_px, one.dataset.images.width_px)
        np.testing.assert_array_equal(opened.ids, one.ids)
        for row in range(len(one)):
            np.testing.assert_array_equal(opened.read(row).pixels, one.read(row).pixels)


def test_the_files_are_where_other_tools_look_for_them(rendered, tmp_path):
    sets = sets_of(rendered)
    export_sets(sets, tmp_path)
    index = json.loads((tmp_path / "sets.json").read_text())
    assert index["schema"] == "boxlens/changed-sets/1"
    assert index["settings"] == TransformSettings().to_json()
    assert [one["folder"] for one in index["sets"]] == [step.slug for step in STEPS]
    assert index["sets"][4]["name"] == "gaussian_noise"
    assert index["sets"][4]["severity"] == 3
    for entry, one in zip(index["sets"], sets, strict=True):
        ground_truth = read_dataset(tmp_path / entry["folder"] / "ground_truth.json")
        assert entry["n_images"] == len(one)
        assert entry["n_objects"] == int((~one.dataset.gt.crowd).sum())
        for name in ground_truth.images.file_name:
            assert (tmp_path / entry["folder"] / "images" / name).is_file()
    masks = read_dataset(tmp_path / "gaussian_noise-3" / "ground_truth.json").gt.spans
    assert "segmentation" in masks
    assert not (tmp_path / "crop" / "images" / "000001.png.new").exists()


def test_what_is_there_is_kept_and_what_is_torn_is_made_again(rendered, tmp_path):
    sets = sets_of(rendered)
    export_sets(sets, tmp_path)
    whole = contents(tmp_path)
    ages = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.png")}
    again = export_sets(sets, tmp_path)
    assert again.n_kept == again.n_images == len(ages)
    # As a kill leaves a set: no outcome, pictures that are missing or empty.
    origin = tmp_path / "crop" / "origin.json"
    origin.write_text(json.dumps(json.loads(origin.read_text()) | {"outcome": None}))
    (tmp_path / "crop" / "ground_truth.json").unlink()
    pictures = sorted((tmp_path / "crop" / "images").iterdir())
    pictures[0].unlink()
    pictures[1].write_bytes(b"")
    told = []
    resumed = export_sets(sets, tmp_path, progress=lambda *words: told.append(words))
    assert resumed.n_kept == len(ages) - 2
    assert contents(tmp_path) == whole
    n = len(pictures)
    assert told == [("crop (2 of 5)", n - 1, n), ("crop (2 of 5)", n, n)]
    for path, age in ages.items():
        assert (path.stat().st_mtime_ns == age) == (path not in pictures[:2])


def test_sets_may_be_added_later(rendered, tmp_path):
    export_sets(sets_of(rendered, STEPS[:2]), tmp_path)
    export_sets(sets_of(rendered, (CLEAN, Step("fog", 2.0))), tmp_path)
    assert [one.step.slug for one in open_sets(tmp_path)] == ["clean", "crop", "fog-2"]


def test_other_settings_and_other_pictures_are_refused(rendered, tmp_path):
    export_sets(sets_of(rendered, STEPS[:2]), tmp_path)
    before = contents(tmp_path)
    gt = replace(rendered.dataset.gt, box=frozen(rendered.dataset.gt.box + 1, np.float64))
    moved = replace(rendered, dataset=replace(rendered.dataset, gt=gt))
    for other in (sets_of(rendered, seed=1), sets_of(moved)):
        with pytest.raises(InputError, match=r"sets\.json: sets of other pictures or settings"):
            export_sets(other, tmp_path)
    (tmp_path / "sets.json").unlink()
    with pytest.raises(InputError, match="clean: made from another seed or setting"):
        export_sets(sets_of(rendered, seed=1), tmp_path)
    assert contents(tmp_path) | {"sets.json": before["sets.json"]} == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "clean").mkdir()
    (tmp_path / "mine" / "clean" / "photo.png").touch()
    with pytest.raises(InputError, match="what it was made from is not known"):
        export_sets(sets_of(rendered), tmp_path / "mine")


def test_pictures_that_cannot_be_made_are_told_and_their_objects_count_as_missed(tmp_path):
    """As where pictures are drawn on the way: a picture that fails is one without detections."""
    rendered = rendered_set(tmp_path / "set")
    rendered.files.paths[0].write_bytes(rendered.files.paths[0].read_bytes()[:500])
    sets = sets_of(rendered)
    result = export_sets(sets, tmp_path / "out")
    gt = rendered.dataset.gt
    n_crops = int((~gt.crowd & (gt.image_row == 0)).sum())
    by_step = [len(one.failed) for one in result.sets]
    # A picture that is nobody's scene is missed by its own objects alone.
    assert by_step[:3] == [1, n_crops, 1]
    assert result.failed[0].file == "clean/000001.png"
    assert "damaged" in result.failed[0].reason
    assert export_sets(sets, tmp_path / "out").failed == result.failed
    opened = open_sets(tmp_path / "out")
    assert opened[0].export.failed == result.failed
    assert not (tmp_path / "out" / "clean" / "images" / "000001.png").exists()
    clean = opened[0].dataset
    for one, source in zip(opened, sets, strict=True):
        known = one.object_row >= 0
        rows = one.object_row[known]
        np.testing.assert_array_equal(one.dataset.gt.class_row[known], clean.gt.class_row[rows])
        np.testing.assert_array_equal(
            one.source_row[one.dataset.gt.image_row[known]], clean.gt.image_row[rows]
        )
        assert len(one) == len(source)
        np.testing.assert_array_equal(one.dataset.gt.box, source.dataset.gt.box)


def test_without_one_good_picture_there_is_no_export(tmp_path):
    rendered = rendered_set(tmp_path / "set", (1, 2))
    for path in rendered.files.paths:
        path.write_bytes(b"")
    with pytest.raises(NothingDetectedError, match=r"000001\.png: the file is empty"):
        export_sets(sets_of(rendered), tmp_path / "out")


def test_names_never_lead_out_of_the_folder(rendered):
    for names in (
        ("../1.png", "2.png", "3.png"),
        ("/1.png", "2.png", "3.png"),
        ("", "2.png", "3.png"),
        ("1.png", "1.jpg", "3.png"),
    ):
        files = replace(rendered.files, names=names)
        one = changed_set(rendered.dataset, files, CLEAN, TransformSettings())
        assert exported_names(one) == ("000001.png", "000002.png", "000003.png")
    files = replace(rendered.files, names=("a/1.jpg", "b/1.jpg", "a/x.y.bmp"))
    one = changed_set(rendered.dataset, files, CLEAN, TransformSettings())
    assert exported_names(one) == ("a/1.png", "b/1.png", "a/x.y.png")
