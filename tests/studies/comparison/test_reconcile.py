"""From one protocol's number to another's: both ends are exact, and every step does what it says."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise, permutations

import pytest

import boxlens
from boxlens.errors import ParameterError
from boxlens.studies.comparison.conventions.ap import ConventionAp
from boxlens.studies.comparison.conventions.steps import reconcile
from boxlens.studies.comparison.conventions.values import (
    PROTOCOLS,
    STEPS,
    Protocol,
)
from boxlens.studies.diagnosis.evidence import gather
from boxlens.studies.diagnosis.tide import tide
from cases import random_scene
from oracles import ultralytics_ap
from oracles.convert import scene_to_tables
from shared_data import shared

EVALUATED = {
    "coco": ("coco", "AP"),
    "coco50": ("coco", "AP50"),
    "voc07": ("voc07", "mAP"),
    "voc12": ("voc12", "mAP"),
    "lvis": ("lvis", "AP"),
    "openimages": ("openimages", "mAP"),
}


def same(value):
    return pytest.approx(value, abs=1e-12, nan_ok=True)


def numbers_of_evaluate(dataset, detections):
    return {
        name: boxlens.evaluate(dataset, detections, protocol=protocol).detectors[0].metrics[metric]
        for name, (protocol, metric) in EVALUATED.items()
    }


def numbers_of_conventions(dataset, detections, names=tuple(EVALUATED)):
    ap = ConventionAp(dataset, detections)
    return {name: ap.of(PROTOCOLS[name].conventions) for name in names}


@pytest.mark.parametrize("seed", range(80))
def test_every_protocol_equals_evaluate(seed):
    dataset, detections = scene_to_tables(random_scene(seed))
    expected = numbers_of_evaluate(dataset, detections)
    assert numbers_of_conventions(dataset, detections) == same(expected)


@pytest.mark.parametrize("seed", range(60))
def test_ultralytics_equals_its_oracle(seed):
    # Every eighth scene floods an image with more than 300 detections.
    scene = random_scene(seed, flood=310 if seed % 8 == 0 else 0)
    ten = ultralytics_ap.TEN_THRESHOLDS
    expected = {
        "ultralytics": ultralytics_ap.mean_ap(scene, ten),
        "ultralytics50": ultralytics_ap.mean_ap(scene, [0.5]),
        "ultralytics83": ultralytics_ap.mean_ap(scene, ten, to_one=True),
    }
    assert numbers_of_conventions(*scene_to_tables(scene), tuple(expected)) == same(expected)


@pytest.mark.parametrize("seed", range(40))
def test_tide_equals_its_diagnosis(seed):
    # METHODS 0.2: a share of exactly .5 in a region excuses under COCO, but not under TIDE.
    dataset, detections = scene_to_tables(random_scene(seed, crowd=0, group_of=0))
    expected = tide(gather(dataset, detections)).ap
    assert numbers_of_conventions(dataset, detections, ("tide",))["tide"] == same(expected)


@pytest.mark.parametrize("seed", range(24))
def test_worst_and_best_ties_are_the_band_of_evaluate(seed):
    dataset, detections = scene_to_tables(random_scene(seed, n_scores=2))
    band = reconcile(dataset, detections, start="coco", end="voc07").band
    expected = boxlens.evaluate(dataset, detections).detectors[0].tie_band
    assert (band.worst_ties, band.best_ties) == same(expected)


@pytest.mark.parametrize("seed", [3, 8])
def test_steps_lead_from_one_number_to_the_other(seed):
    dataset, detections = scene_to_tables(random_scene(seed))
    names = ("coco", "voc07", "lvis", "openimages", "tide", "ultralytics83")
    numbers = numbers_of_conventions(dataset, detections, names)
    for start, end in permutations(names, 2):
        result = reconcile(dataset, detections, start=start, end=end)
        steps = result.steps
        assert (result.start.value, result.end.value) == same((numbers[start], numbers[end]))
        assert (steps[0].before, steps[-1].after) == (result.start.value, result.end.value)
        assert all(before.after == after.before for before, after in pairwise(steps))
        assert sum(step.change for step in steps) == same(result.difference)
        assert steps[0].first_alone == same(steps[0].change)
        assert steps[-1].last_alone == same(steps[-1].change)
        order = [STEPS.index(step.convention) for step in steps]
        assert order == sorted(set(order))


@pytest.mark.parametrize("seed", [1, 5, 8])
def test_the_way_back_undoes_the_way(seed):
    dataset, detections = scene_to_tables(random_scene(seed))
    there = reconcile(dataset, detections, start="coco", end="openimages")
    back = reconcile(dataset, detections, start="openimages", end="coco")
    assert back.difference == -there.difference
    for one, other in zip(there.steps, back.steps, strict=True):
        assert (one.from_text, one.to_text) == (other.to_text, other.from_text)
        assert (one.first_alone, one.last_alone) == same((-other.last_alone, -other.first_alone))


@pytest.mark.slow
@pytest.mark.parametrize("detector", ["yolox_nano", "fastestdet"])
def test_real_detectors_have_the_numbers_of_evaluate(detector):
    dataset = boxlens.read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    detections = boxlens.read_detections(shared("coco_val2017", f"{detector}.json.gz"), dataset)
    expected = numbers_of_evaluate(dataset, detections)
    assert numbers_of_conventions(dataset, detections) == same(expected)
    result = reconcile(dataset, detections, start="coco50", end="voc07")
    assert sum(step.change for step in result.steps) == same(expected["voc07"] - expected["coco50"])
    assert "reading of the curve" in result.summary


def test_real_lvis_has_the_number_of_evaluate():
    dataset = boxlens.read_dataset(shared("lvis_100", "gt.json"))
    detections = boxlens.read_detections(shared("lvis_100", "yolox_nano.json"), dataset)
    expected = numbers_of_evaluate(dataset, detections)
    assert numbers_of_conventions(dataset, detections) == same(expected)
    assert expected["lvis"] == pytest.approx(0.115, abs=5e-4)


def test_without_an_end_the_way_leads_to_the_farthest_protocol_that_fits():
    dataset, detections = scene_to_tables(random_scene(5, federated=False, tree=False))
    result = reconcile(dataset, detections)
    assert [row.protocol.name for row in result.protocols] == list(PROTOCOLS)
    lacking = {row.protocol.name: row.remark for row in result.protocols if row.remark}
    assert lacking == {
        "lvis": "no lists of absent classes",
        "openimages": "no image-level labels, no class tree",
    }
    gaps = [abs(row.value - result.start.value) for row in result.protocols if not row.remark]
    assert abs(result.difference) == max(gaps)
    assert not any(notice.code == "protocol_does_not_fit" for notice in result.notices)


def test_open_images_without_its_labels_is_explained():
    dataset, detections = scene_to_tables(random_scene(5, federated=False, tree=False))
    result = reconcile(dataset, detections, start="coco", end="openimages")
    assert {notice.code for notice in result.notices} >= {"protocol_does_not_fit"}
    [tree] = [step for step in result.steps if step.convention == "hierarchy"]
    assert not tree.moves


def test_conventions_of_ones_own_can_be_an_end():
    dataset, detections = scene_to_tables(random_scene(8))
    cut = replace(PROTOCOLS["coco"].conventions, score_cut=0.3)
    own = Protocol("mine", "my AP", cut)
    result = boxlens.reconcile(dataset, detections, end=own)
    assert [step.convention for step in result.steps] == ["score_cut"]
    confident = detections.where(detections.score > 0.3)
    expected = boxlens.evaluate(dataset, confident).detectors[0].metrics["AP"]
    assert result.end.value == same(expected)


def test_no_detections_give_zeros_and_no_objects_nothing():
    dataset, detections = scene_to_tables(random_scene(8))
    none = detections.where(detections.score > 2)
    result = reconcile(dataset, none)
    assert {row.value for row in result.protocols} == {0.0}
    assert "no convention makes a difference" in result.summary
    empty = reconcile(dataset.where(dataset.gt.area_px < 0), detections)
    assert all(math.isnan(row.value) for row in empty.protocols)
    assert "undefined" in empty.summary
    document = json.loads(json.dumps(empty.to_json(), allow_nan=False))
    assert document["results"]["difference"] is None


def test_relative_boxes_have_the_same_numbers():
    dataset, detections = scene_to_tables(random_scene(8))
    small = replace(dataset.gt, box=dataset.gt.box / 512, area_px=dataset.gt.area_px / 512**2)
    relative = replace(dataset, gt=small, relative=True)
    found = replace(detections, box=detections.box / 512)
    names = tuple(PROTOCOLS)
    expected = numbers_of_conventions(dataset, detections, names)
    assert numbers_of_conventions(relative, found, names) == same(expected)


def test_unknown_and_equal_ends_are_refused():
    dataset, detections = scene_to_tables(random_scene(8))
    with pytest.raises(ParameterError, match=r"no protocol is called 'voc': .*voc07, voc12"):
        reconcile(dataset, detections, start="voc")
    with pytest.raises(ParameterError, match="nothing to explain"):
        reconcile(dataset, detections, start="coco", end="coco")
    eaten = Protocol("mine", "my AP", replace(PROTOCOLS["coco"].conventions, crowds="eaten"))
    with pytest.raises(ParameterError, match="crowds is one of region, ignored, counted"):
        reconcile(dataset, detections, start="coco", end=eaten)


def test_the_document_has_the_documented_names():
    dataset, detections = scene_to_tables(random_scene(8))
    document = reconcile(dataset, detections, start="coco", end="ultralytics").to_json()
    assert document["schema"] == "boxlens/reconcile/1"
    results = document["results"]
    assert set(results["steps"][0]) == {
        *("convention", "title", "from", "to", "before", "after", "change"),
        *("first_alone", "last_alone", "sentence"),
    }
    assert [row["protocol"] for row in results["protocols"]] == ["coco", "ultralytics"]
    assert [row["score_cut"] for row in results["band"]["score_cuts"]] == [0.001, 0.01, 0.05, 0.25]
