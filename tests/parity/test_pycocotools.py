"""Bit for bit what pycocotools says: precision, recall and score arrays, and the twelve numbers."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.matching import COCO
from boxlens.metrics import GridChoice, choose, count_grid, evaluate_tables
from cases import random_scene
from oracles.convert import scene_to_tables
from shared_data import shared

FULL = GridChoice(with_scores=True, all_max_dets=True)


def pycocotools_on(world, results):
    from pycocotools.coco import COCO as Table
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        truth = Table()
        truth.dataset = world
        truth.createIndex()
        found = Table()
        if results:
            found = truth.loadRes(results)
        else:  # loadRes cannot take an empty list
            found.dataset = {**world, "annotations": []}
            found.createIndex()
        evaluator = COCOeval(truth, found, "bbox")
        evaluator.evaluate()
        evaluator.accumulate()
        evaluator.summarize()
    return evaluator


def assert_same_bits(ours, theirs):
    """Undefined is NaN here and -1 there; everything else agrees to the last bit."""
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape
    assert np.array_equal(ours, np.where(theirs == -1, np.nan, theirs), equal_nan=True)


def assert_same_arrays(dataset, detections, evaluator):
    grid = count_grid(dataset, detections, COCO, FULL)
    assert_same_bits(grid.precision, evaluator.eval["precision"])
    assert_same_bits(grid.recall, evaluator.eval["recall"])
    assert_same_bits(grid.score, evaluator.eval["scores"])


def assert_same_numbers(result, evaluator):
    [detector] = result.detectors
    names = ["AP", "AP50", "AP75", "APs", "APm", "APl"]
    names += ["AR1", "AR10", "AR100", "ARs", "ARm", "ARl"]
    assert list(detector.metrics) == names
    assert_same_bits(np.array(list(detector.metrics.values())), evaluator.stats)


def loaded(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as file:
        return json.load(file)


# --- real data


@pytest.fixture(scope="module", params=["yolox_nano", "fastestdet"])
def val2017(request):
    truth = shared("coco_val2017", "instances_boxes.json.gz")
    found = shared("coco_val2017", f"{request.param}.json.gz")
    return truth, found, pycocotools_on(loaded(truth), loaded(found))


@pytest.mark.slow
def test_coco_val2017_arrays_are_bit_equal(val2017):
    truth, found, evaluator = val2017
    dataset = boxlens.read_dataset(truth)
    assert_same_arrays(dataset, boxlens.read_detections(found, dataset), evaluator)


@pytest.mark.slow
def test_coco_val2017_numbers_are_bit_equal_through_the_front_door(val2017):
    truth, found, evaluator = val2017
    result = boxlens.evaluate(truth, found)
    assert_same_numbers(result, evaluator)
    # The numbers of every class too, as the mean of its own part of the precision array.
    precision = evaluator.eval["precision"]
    for k, row in enumerate(result.detectors[0].classes):
        assert row.metrics["AP"] == np.mean(precision[:, :, k, 0, 2])
        assert row.metrics["AP50"] == np.mean(precision[0, :, k, 0, 2])


@pytest.fixture(scope="module", params=["yolox_nano", "fastestdet"])
def official_form(request, tmp_path_factory):
    """80 images with mask areas and crowds; the detections of these images only."""
    truth = shared("coco_val2017_80", "instances.json")
    world = loaded(truth)
    known = {image["id"] for image in world["images"]}
    results = loaded(shared("coco_val2017", f"{request.param}.json.gz"))
    results = [row for row in results if row["image_id"] in known]
    found = tmp_path_factory.mktemp("coco") / "found.json"
    found.write_text(json.dumps(results))
    return truth, found, pycocotools_on(world, results)


@pytest.fixture(scope="module")
def cocoapi_100():
    truth, found = shared("cocoapi_100", "gt.json"), shared("cocoapi_100", "fakebbox.json")
    return truth, found, pycocotools_on(loaded(truth), loaded(found))


def test_images_in_the_official_form_are_bit_equal(official_form):
    assert_same_files(*official_form)


def test_the_hundred_images_of_cocoapi_are_bit_equal(cocoapi_100):
    assert_same_files(*cocoapi_100)


def assert_same_files(truth, found, evaluator):
    dataset = boxlens.read_dataset(truth)
    assert_same_arrays(dataset, boxlens.read_detections(found, dataset), evaluator)
    assert_same_numbers(boxlens.evaluate(truth, found), evaluator)


def test_cocoapi_100_prints_the_numbers_its_authors_expect(cocoapi_100):
    truth, found, _ = cocoapi_100
    expected = shared("cocoapi_100", "expected.txt").read_text().split("type=bbox")[1]
    lines = [line for line in expected.split("type=")[0].splitlines() if " = " in line]
    metrics = boxlens.evaluate(truth, found).detectors[0].metrics
    assert [f"{value:.3f}" for value in metrics.values()] == [
        line.rsplit(" = ", 1)[1].strip() for line in lines
    ]


# --- fuzzed scenes


def dictionaries(scene, ids=None):
    images = [{"id": image, "width": 512, "height": 512} for image in scene.images]
    categories = [{"id": cls, "name": f"class {cls}"} for cls in scene.classes]
    annotations = [
        {
            "id": i + 1 if ids is None else ids[i],
            "image_id": obj.image,
            "category_id": obj.cls,
            "bbox": list(obj.box),
            "area": obj.area,
            "iscrowd": int(obj.crowd),
        }
        for i, obj in enumerate(scene.objects)
    ]
    results = [
        {"image_id": d.image, "category_id": d.cls, "bbox": list(d.box), "score": d.score}
        for d in scene.detections
    ]
    return {"images": images, "categories": categories, "annotations": annotations}, results


def fuzzed(seed):
    """Only crowds, as in COCO files; every other scene off the grid, where overlaps are rounded."""
    scene = random_scene(seed, difficult=0, group_of=0, crowd=0.2)
    if seed % 2:
        return scene

    def moved(item):
        x, y, w, h = item.box
        return replace(item, box=(1.1 * x + 0.3, 1.1 * y + 0.7, 1.1 * w, 1.1 * h))

    return replace(
        scene,
        objects=tuple(moved(obj) for obj in scene.objects),
        detections=tuple(moved(det) for det in scene.detections),
    )


@pytest.mark.parametrize("first_seed", [0, 40, *range(1000, 1320, 40)])
def test_fuzzed_scenes_are_bit_equal(first_seed):
    for seed in range(first_seed, first_seed + 40):
        scene = fuzzed(seed)
        evaluator = pycocotools_on(*dictionaries(scene))
        dataset, detections = scene_to_tables(scene)
        assert_same_arrays(dataset, detections, evaluator)
        assert_same_numbers(evaluate_tables(dataset, [detections], choose("coco")), evaluator)


@pytest.mark.parametrize("kind", ["from zero", "all alike", "in pairs"])
def test_ids_from_zero_and_repeated_ids_give_what_pycocotools_gives_for_proper_ones(kind, tmp_path):
    n_differ = 0
    for seed in range(2000, 2030):
        scene = fuzzed(seed)
        n = len(scene.objects)
        ids = {"from zero": range(n), "all alike": [7] * n, "in pairs": [i // 2 for i in range(n)]}
        world, results = dictionaries(scene, list(ids[kind]))
        truth, found = tmp_path / "truth.json", tmp_path / "found.json"
        truth.write_text(json.dumps(world))
        found.write_text(json.dumps(results))
        evaluator = pycocotools_on(*dictionaries(scene))
        assert_same_numbers(boxlens.evaluate(truth, found), evaluator)
        confused = pycocotools_on(world, results)
        n_differ += not np.array_equal(confused.stats, evaluator.stats)
    # With such ids pycocotools itself reads hits as misses, or one object for another.
    assert n_differ >= 5


def test_pycocotools_takes_a_hit_on_the_object_of_id_zero_for_a_miss():
    scene = random_scene(1)
    box = (0.0, 0.0, 10.0, 10.0)
    image, cls = scene.images[0], scene.classes[0]
    objects = (replace(scene.objects[0], image=image, cls=cls, box=box, area=100.0, crowd=False),)
    detections = (replace(scene.detections[0], image=image, cls=cls, box=box),)
    scene = replace(scene, objects=objects, detections=detections)
    assert pycocotools_on(*dictionaries(scene, [1])).stats[0] == pytest.approx(1)
    assert pycocotools_on(*dictionaries(scene, [0])).stats[0] == 0
