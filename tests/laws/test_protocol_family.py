"""One walk over all protocols and all further readings: a new one without expectations fails."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass

import numpy as np
import pytest

from boxlens.data import Detections
from boxlens.errors import ParameterError
from boxlens.metrics import EXTRAS, PROTOCOLS, choose, evaluate_tables
from boxlens.metrics.results import Extras
from cases import random_scene
from oracles.convert import scene_to_tables

COCO_NAMES = ["AP", "AP50", "AP75", "APs", "APm", "APl"]
COCO_RECALLS = ["AR1", "AR10", "AR100", "ARs", "ARm", "ARl"]


@dataclass(frozen=True)
class Expected:
    """What a protocol reports, in this order, and which choices it takes."""

    numbers: list[str]
    class_numbers: list[str]
    has_tie_band: bool = False
    has_areas: bool = False
    has_group_weight: bool = False
    drops_unverified: bool = False


RANKED = Expected(["mAP"], ["AP"])
EXPECTED = {
    "coco": Expected(
        [*COCO_NAMES, *COCO_RECALLS], [*COCO_NAMES, "AR100"], has_tie_band=True, has_areas=True
    ),
    "voc07": RANKED,
    "voc12": RANKED,
    "lvis": Expected(
        [*COCO_NAMES, "APr", "APc", "APf", "AR300", "ARs", "ARm", "ARl"],
        [*COCO_NAMES, "AR300"],
        has_tie_band=True,
        has_areas=True,
        drops_unverified=True,
    ),
    "openimages": dataclasses.replace(RANKED, has_group_weight=True, drops_unverified=True),
}
# The keys of each reading's JSON.
READINGS = {
    "curves": {"iou", "recall", "classes"},
    "confidence": {"iou", "overall", "mean_of_class_F1", "classes"},
    "confusion": {"iou", "min_score", "names", "matrix"},
    "olrp": {"iou", "oLRP", "oLRP_loc", "oLRP_fp", "oLRP_fn", "classes"},
    "images": {"iou", "min_score", "image_id", "tp", "fp", "fn"},
}
protocols = pytest.mark.parametrize("protocol", PROTOCOLS)


def evaluated(scene, protocol, **choice):
    dataset, detections = scene_to_tables(scene)
    return evaluate_tables(dataset, [detections], choose(protocol, **choice))


def test_every_protocol_and_every_reading_has_its_expectations():
    assert set(EXPECTED) == set(PROTOCOLS)
    assert set(READINGS) == set(EXTRAS) == set(Extras.__slots__)


@protocols
def test_numbers_have_their_names_and_lie_between_zero_and_one(protocol):
    expected = EXPECTED[protocol]
    for seed in range(30):
        [result] = evaluated(random_scene(seed), protocol).detectors
        assert list(result.metrics) == expected.numbers
        assert (result.tie_band is not None) == expected.has_tie_band
        for row in result.classes:
            assert list(row.metrics) == expected.class_numbers
        values = [*result.metrics.values(), *(result.tie_band or ())]
        values += [value for row in result.classes for value in row.metrics.values()]
        assert all(math.isnan(value) or 0 <= value <= 1 for value in values)


@protocols
def test_results_say_what_was_counted(protocol):
    scene = random_scene(5)
    result = evaluated(scene, protocol)
    expected = EXPECTED[protocol]
    assert result.protocol == protocol
    assert (result.n_images, result.n_objects) == (len(scene.images), len(scene.objects))
    assert result.detectors[0].n_detections == len(scene.detections)
    assert ("area_ranges" in result.parameters) == expected.has_areas
    assert ("group_of_weight" in result.parameters) == expected.has_group_weight
    assert [row.name for row in result.detectors[0].classes] == [
        f"class {cls}" for cls in scene.classes
    ]
    assert sum(row.n_detections for row in result.detectors[0].classes) == len(scene.detections)


@protocols
def test_what_a_protocol_drops_is_told_in_a_notice(protocol):
    codes = {
        notice.code
        for seed in range(10)
        for notice in evaluated(random_scene(seed), protocol).detectors[0].notices
    }
    assert ("unverified_class" in codes) == EXPECTED[protocol].drops_unverified
    assert "class_without_objects" in codes


@protocols
def test_choices_a_protocol_does_not_know_are_refused(protocol):
    expected = EXPECTED[protocol]
    ranges = {"all": (0.0, 1e10), "tiny": (0.0, 64.0)}
    if expected.has_areas:
        [result] = evaluated(random_scene(1), protocol, area_ranges=ranges).detectors
        assert {"APtiny", "ARtiny"} <= set(result.metrics)
        return
    with pytest.raises(ParameterError, match="no area ranges"):
        choose(protocol, area_ranges=ranges)
    with pytest.raises(ParameterError, match="no max_dets"):
        choose(protocol, max_dets=[10])


@protocols
@pytest.mark.parametrize("extra", EXTRAS)
def test_every_reading_of_every_protocol_is_finite_json(protocol, extra):
    for seed in range(6):
        result = evaluated(random_scene(seed), protocol, also=[extra])
        text = json.dumps(result.to_json(), allow_nan=False)
        [detector] = json.loads(text)["results"]["detectors"]
        assert set(detector[extra]) == READINGS[extra]
        assert not (set(EXTRAS) - {extra}) & set(detector)
        if extra == "confusion":
            names = [row["class"] for row in detector["classes"]]
            assert detector[extra]["names"] == [*names, "background"]


@protocols
def test_olrp_lies_between_zero_and_one(protocol):
    for seed in range(60):
        scene = random_scene(seed, group_of=0.3)
        reading = evaluated(scene, protocol, also=["olrp"]).detectors[0].extras.olrp
        parts = [
            value for _, row in reading.classes for key, value in row.items() if key != "threshold"
        ]
        assert all(math.isnan(value) or -1e-12 <= value <= 1 + 1e-12 for value in parts)


@protocols
@pytest.mark.parametrize("extra", EXTRAS)
def test_every_reading_bears_an_iou_threshold_of_one(protocol, extra):
    result = evaluated(random_scene(2), protocol, also=[extra], at_iou=1.0)
    [detector] = json.loads(json.dumps(result.to_json(), allow_nan=False))["results"]["detectors"]
    assert detector[extra]["iou"] == 1


@protocols
def test_an_empty_world_and_an_empty_detector_have_every_reading(protocol):
    dataset, detections = scene_to_tables(random_scene(4))
    nothing = Detections.of(
        "nothing", len(dataset.images), image_row=[], class_row=[], box=[], score=[]
    )
    choice = choose(protocol, also=EXTRAS)
    [result] = evaluate_tables(dataset, [nothing], choice).detectors
    values = np.array(list(result.metrics.values()))
    assert (np.isnan(values) | (values == 0)).all()
    bare = dataset.where(np.zeros(len(dataset.gt), dtype=bool))
    [result] = evaluate_tables(bare, [detections], choice).detectors
    assert all(math.isnan(value) for value in result.metrics.values())


@protocols
def test_undefined_numbers_are_null_in_json(protocol):
    dataset, detections = scene_to_tables(random_scene(4))
    bare = dataset.where(np.zeros(len(dataset.gt), dtype=bool))
    result = evaluate_tables(bare, [detections], choose(protocol, also=EXTRAS))
    [detector] = json.loads(json.dumps(result.to_json(), allow_nan=False))["results"]["detectors"]
    assert set(detector["metrics"].values()) == {None}


def test_several_detectors_keep_their_order_and_names_of_their_own():
    dataset, detections = scene_to_tables(random_scene(4))
    result = evaluate_tables(dataset, [detections, detections], choose("coco"))
    assert [row.name for row in result.detectors] == ["scene", "scene (2)"]
    first, second = result.detectors
    np.testing.assert_array_equal(list(first.metrics.values()), list(second.metrics.values()))
