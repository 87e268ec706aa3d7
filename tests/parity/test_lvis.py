"""Bit for bit what the lvis package says: precision and recall arrays, and the thirteen numbers."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.metrics import (
    GridChoice,
    choose,
    count_grid,
    evaluate_tables,
    prepare,
    prepare_dataset,
)
from cases import random_scene
from oracles.convert import scene_to_tables
from shared_data import shared

pytest.importorskip("lvis")


@pytest.fixture(scope="module", autouse=True)
def old_numpy_names():
    # lvis 0.5.3 still asks for a name that NumPy has dropped.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "float", float, raising=False)
        yield


def lvis_on(truth_path, results, max_dets=300):
    from lvis import LVIS, LVISEval, LVISResults

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = LVIS(str(truth_path))
        evaluator = LVISEval(truth, LVISResults(truth, results, max_dets=max_dets), "bbox")
        evaluator.params.max_dets = max_dets
        evaluator.run()
    return evaluator


def assert_same_bits(ours, theirs):
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape
    assert np.array_equal(ours, np.where(theirs == -1, np.nan, theirs), equal_nan=True)


def assert_same_arrays(dataset, detections, evaluator, max_dets=300):
    prepared = prepare(prepare_dataset(dataset, "lvis"), detections, "lvis")
    grid = count_grid(
        prepared.dataset,
        prepared.detections,
        prepared.rule,
        GridChoice(max_dets=(max_dets,)),
        det_dropped=prepared.det_dropped,
        det_unmatched_ignored=prepared.det_unmatched_ignored,
    )
    assert_same_bits(grid.precision[..., 0], evaluator.eval["precision"])
    assert_same_bits(grid.recall[..., 0], evaluator.eval["recall"])


def assert_same_numbers(result, evaluator, max_dets=300):
    [detector] = result.detectors
    theirs = {
        name.replace(f"AR@{max_dets}", f"AR{max_dets}").replace(f"@{max_dets}", ""): value
        for name, value in evaluator.results.items()
    }
    assert list(detector.metrics) == list(theirs)
    assert_same_bits(np.array(list(detector.metrics.values())), list(theirs.values()))


@pytest.fixture(scope="module")
def lvis_100():
    truth, found = shared("lvis_100", "gt.json"), shared("lvis_100", "yolox_nano.json")
    return truth, found, lvis_on(truth, json.loads(found.read_text()))


def test_lvis_100_arrays_are_bit_equal(lvis_100):
    truth, found, evaluator = lvis_100
    dataset = boxlens.read_dataset(truth)
    assert_same_arrays(dataset, boxlens.read_detections(found, dataset), evaluator)


def test_lvis_100_numbers_are_bit_equal_through_the_front_door(lvis_100):
    truth, found, evaluator = lvis_100
    assert_same_numbers(boxlens.evaluate(truth, found, protocol="lvis"), evaluator)


def test_lvis_100_gives_the_numbers_known_of_it(lvis_100):
    truth, found, _ = lvis_100
    metrics = boxlens.evaluate(truth, found, protocol="lvis").detectors[0].metrics
    known = {"AP": 0.115, "AP50": 0.173, "APf": 0.137, "APr": 0.0, "APc": 0.0}
    assert {name: round(metrics[name], 3) for name in known} == known


@pytest.mark.parametrize("max_dets", [300, 7])
def test_fuzzed_scenes_are_bit_equal(max_dets, tmp_path):
    for seed in (*range(100, 120), *range(3000, 3040)):
        # LVIS files say nothing of crowds, difficult objects and groups.
        scene = random_scene(seed, crowd=0, difficult=0, group_of=0)
        if not scene.detections:  # the package cannot read an empty list
            continue
        path = tmp_path / f"{seed}.json"
        world, results = dictionaries(scene)
        path.write_text(json.dumps(world))
        evaluator = lvis_on(path, results, max_dets)
        dataset, detections = scene_to_tables(replace(scene, parents=None))
        assert_same_arrays(dataset, detections, evaluator, max_dets)
        chosen = choose("lvis", max_dets=[max_dets])
        assert_same_numbers(evaluate_tables(dataset, [detections], chosen), evaluator, max_dets)


def dictionaries(scene):
    images = [
        {
            "id": image,
            "width": 512,
            "height": 512,
            "neg_category_ids": sorted(scene.negative[image]),
            "not_exhaustive_category_ids": sorted(scene.not_exhaustive[image]),
        }
        for image in scene.images
    ]
    categories = [
        {"id": cls, "name": f"class {cls}", "frequency": scene.frequency[cls]}
        for cls in scene.classes
    ]
    annotations = [
        {
            "id": i + 1,
            "image_id": obj.image,
            "category_id": obj.cls,
            "bbox": list(obj.box),
            "area": obj.area,
        }
        for i, obj in enumerate(scene.objects)
    ]
    results = [
        {"image_id": d.image, "category_id": d.cls, "bbox": list(d.box), "score": d.score}
        for d in scene.detections
    ]
    return {"images": images, "categories": categories, "annotations": annotations}, results
