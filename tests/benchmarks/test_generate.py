"""The benchmark files are what they claim: COCO-like, seeded, and good for the real evaluator."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("polars")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from generate import written
from worlds import CATEGORY_IDS, Plan, make_images

TINY = Plan(n_images=60, n_boxes=440, n_crowds=5, n_dets_per_image=20, seed=3)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return written(TINY, "rounded", tmp_path_factory.mktemp("rounded"))


@pytest.fixture(scope="module")
def truth(files):
    return json.loads(files[0].read_text())


@pytest.fixture(scope="module")
def detections(files):
    return json.loads(files[1].read_text())


def test_counts_are_those_of_the_plan(truth, detections):
    assert len(truth["images"]) == 60
    assert len(truth["annotations"]) == 440
    assert sum(record["iscrowd"] for record in truth["annotations"]) == 5
    assert len(detections) == 60 * 20


def test_category_ids_keep_the_gaps_of_coco(truth):
    assert len(CATEGORY_IDS) == 80
    assert [category["id"] for category in truth["categories"]] == CATEGORY_IDS.tolist()
    assert not {12, 26, 29, 30, 45, 66, 68, 69, 71, 83} & set(CATEGORY_IDS.tolist())


def test_references_resolve_and_ids_are_unique(truth, detections):
    images = {image["id"] for image in truth["images"]}
    classes = {category["id"] for category in truth["categories"]}
    assert len(images) == 60
    assert len({record["id"] for record in truth["annotations"]}) == 440
    for record in [*truth["annotations"], *detections]:
        assert record["image_id"] in images
        assert record["category_id"] in classes


def test_boxes_lie_inside_their_images(truth, detections):
    sizes = {image["id"]: (image["width"], image["height"]) for image in truth["images"]}
    for record in [*truth["annotations"], *detections]:
        x, y, w, h = record["bbox"]
        width, height = sizes[record["image_id"]]
        assert w > 0
        assert h > 0
        assert 0 <= x <= x + w <= width + 0.02
        assert 0 <= y <= y + h <= height + 0.02


def test_polygons_fill_their_boxes_and_run_lengths_their_images(truth):
    sizes = {image["id"]: [image["height"], image["width"]] for image in truth["images"]}
    for record in truth["annotations"]:
        x, y, w, h = record["bbox"]
        shape = record["segmentation"]
        if record["iscrowd"]:
            assert shape["size"] == sizes[record["image_id"]]
            assert sum(shape["counts"]) == np.prod(shape["size"])
            assert sum(shape["counts"][1::2]) == record["area"]
        else:
            points = np.concatenate([np.reshape(ring, (-1, 2)) for ring in shape])
            extent = np.concatenate((points.min(axis=0), points.max(axis=0)))
            np.testing.assert_allclose(extent, [x, y, x + w, y + h], atol=0.011)
            assert 0 < record["area"] < w * h * 1.01


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(files, tmp_path):
    again = written(TINY, "rounded", tmp_path)
    other = written(replace(TINY, seed=4), "rounded", tmp_path)
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in files]
    assert other[0].name != again[0].name
    assert other[1].read_bytes() != again[1].read_bytes()


def test_full_digits_are_the_same_detections_before_rounding(files, detections, tmp_path):
    exact = json.loads(written(TINY, "full", tmp_path)[1].read_text())
    assert np.mean([len(repr(record["score"])) for record in exact]) > 15
    for rounded, full in zip(detections, exact, strict=True):
        assert rounded["image_id"] == full["image_id"]
        assert rounded["bbox"] == pytest.approx(full["bbox"], abs=0.00501)
        assert rounded["score"] == pytest.approx(full["score"], abs=0.000501)


def test_a_larger_scale_begins_with_the_smaller_and_repeats_no_image(truth, tmp_path):
    doubled = json.loads(written(replace(TINY, n_chunks=2), "rounded", tmp_path)[0].read_text())
    assert doubled["images"][:60] == truth["images"]
    assert doubled["annotations"][:440] == truth["annotations"]
    assert len({image["id"] for image in doubled["images"]}) == 120
    assert len({record["id"] for record in doubled["annotations"]}) == 880


def test_files_that_exist_are_not_written_again(files):
    before = [path.stat().st_mtime_ns for path in files]
    written(TINY, "rounded", files[0].parent)
    assert [path.stat().st_mtime_ns for path in files] == before


def test_image_ids_of_chunks_do_not_overlap():
    first, second = (make_images(replace(TINY, n_chunks=2), chunk).image_id for chunk in (0, 1))
    assert first.max() < second.min()


def test_the_detector_is_plausible(tmp_path):
    coco = pytest.importorskip("pycocotools.coco")
    evaluation = pytest.importorskip("pycocotools.cocoeval")
    plan = Plan(n_images=150, n_boxes=1100, n_crowds=10, n_dets_per_image=60)
    truth, dets = written(plan, "rounded", tmp_path)
    with contextlib.redirect_stdout(io.StringIO()):
        gt = coco.COCO(str(truth))
        run = evaluation.COCOeval(gt, gt.loadRes(str(dets)), "bbox")
        run.evaluate()
        run.accumulate()
        run.summarize()
    assert 0.2 < run.stats[0] < 0.6
    assert run.stats[0] < run.stats[1]
