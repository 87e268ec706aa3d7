"""Scores of single images: the golden case, both mappings, empty images, the slow oracle."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxlens.studies.comparison.cases.fda import fda
from boxlens.studies.comparison.cases.image_scores import MEASURES, image_scores
from cases import random_scene
from oracles import fda as oracle
from oracles.convert import scene_to_tables
from oracles.model import Detection, Object, Scene
from oracles.one_image import at, gt, tables
from studies.comparison.real_detectors import coco_detectors

SQUARE = (0.0, 0.0, 10.0, 10.0)


def one_value(objects, found, **choice):
    """The FDA of one image; detections are (box, class)."""
    return fda(*tables(objects, found), **{"min_score": 0.0, **choice})[0]


def test_golden_case():
    # METHODS 8.2: two objects, three detections, IoU .8 and .6: 1.4 / 2.5.
    objects = [gt(SQUARE), gt((100.0, 0.0, 10.0, 10.0))]
    found = [((0.0, 0.0, 10.0, 8.0), 0), ((100.0, 0.0, 6.0, 10.0), 0), ((50.0, 0.0, 5.0, 5.0), 0)]
    assert one_value(objects, found) == pytest.approx(0.56, abs=1e-15)
    assert one_value(objects, found, mapping="literal") == pytest.approx(0.56, abs=1e-15)


def test_two_perfect_duplicates_exceed_one_only_by_the_literal_mapping():
    found = [(SQUARE, 0), (SQUARE, 0)]
    assert one_value([gt(SQUARE)], found) == pytest.approx(1 / 1.5)
    assert one_value([gt(SQUARE)], found, mapping="literal") == pytest.approx(2 / 1.5)


def test_literal_takes_the_largest_common_area_one_to_one_the_largest_iou():
    # The detection lies wholly in the large box; 8 x 8 of its 10 x 10 are the small one.
    objects = [gt((0.0, 0.0, 100.0, 100.0)), gt((1.0, 1.0, 8.0, 8.0))]
    found = [((0.0, 0.0, 10.0, 10.0), 0)]
    assert one_value(objects, found) == pytest.approx(0.64 / 1.5)
    assert one_value(objects, found, mapping="literal") == pytest.approx(0.01 / 1.5)


def test_of_equal_common_areas_the_literal_mapping_takes_the_larger_iou():
    objects = [gt((0.0, 0.0, 20.0, 20.0)), gt((0.0, 0.0, 10.0, 20.0))]
    found = [((0.0, 0.0, 10.0, 10.0), 0)]
    assert one_value(objects, found, mapping="literal") == pytest.approx(0.5 / 1.5)
    assert one_value(objects[::-1], found, mapping="literal") == pytest.approx(0.5 / 1.5)


def test_classes_are_mapped_apart_unless_asked():
    assert one_value([gt(SQUARE, 0)], [(SQUARE, 1)]) == 0
    assert one_value([gt(SQUARE, 0)], [(SQUARE, 1)], class_agnostic=True) == 1
    literal = {"mapping": "literal", "class_agnostic": True}
    assert one_value([gt(SQUARE, 0)], [(SQUARE, 1)], **literal) == 1


@pytest.mark.parametrize("flag", ["crowd", "difficult", "group_of"])
def test_objects_that_do_not_count_are_neither_found_nor_missed(flag):
    ignored = gt(SQUARE, **{flag: True})
    for mapping in ("one_to_one", "literal"):
        assert one_value([ignored], [], mapping=mapping) == 1
        assert one_value([ignored], [(SQUARE, 0)], mapping=mapping) == 0
        assert one_value([ignored, gt(at(50))], [(at(50), 0)], mapping=mapping) == 1


def test_the_score_cut_keeps_what_lies_on_it():
    dataset, detections = tables([gt(SQUARE)], [(SQUARE, 0), (at(100), 0)])
    assert fda(dataset, detections, min_score=0.9)[0] == 1
    assert fda(dataset, detections, min_score=0.1)[0] == pytest.approx(1 / 1.5)
    assert fda(dataset, detections, min_score=0.95)[0] == 0


@pytest.mark.parametrize("class_agnostic", [False, True])
@pytest.mark.parametrize("mapping", ["one_to_one", "literal"])
def test_fda_equals_the_oracle(mapping, class_agnostic):
    for seed in range(120):
        scene = random_scene(seed, federated=False, tree=False)
        choice = {"class_agnostic": class_agnostic}
        slow = oracle.fda(scene, 0.25, literal=mapping == "literal", **choice)
        dataset, detections = scene_to_tables(scene)
        fast = fda(dataset, detections, min_score=0.25, mapping=mapping, threads=2, **choice)
        np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=0, err_msg=str(seed))
        if mapping == "one_to_one":
            assert np.nanmax(fast, initial=0) <= 1 + 1e-12


@pytest.mark.parametrize("measure", ["f1", "recall", "precision"])
def test_shares_of_matches_equal_the_oracle(measure):
    for seed in range(120):
        scene = random_scene(seed, federated=False, tree=False)
        slow = oracle.share_of_matches(scene, measure, 0.25, 0.5)
        fast = image_scores(*scene_to_tables(scene), measure=measure, min_score=0.25)
        np.testing.assert_array_equal(fast, slow, err_msg=str(seed))


def test_empty_cases_of_every_measure():
    """Nothing at all; objects only; detections only; both, and they agree."""
    objects = [Object(image, 0, SQUARE, 100.0) for image in (1, 3)]
    found = [Detection(image, 0, SQUARE, 0.5) for image in (2, 3)]
    scene = Scene((0, 1, 2, 3), (0,), tuple(objects), tuple(found))
    nan = math.nan
    expected = {
        "fda": [1, 0, 0, 1],
        "f1": [1, 0, 0, 1],
        "recall": [nan, 0, nan, 1],
        "precision": [nan, nan, 0, 1],
    }
    for measure in MEASURES:
        scores = image_scores(*scene_to_tables(scene), measure=measure, min_score=0.3)
        np.testing.assert_array_equal(scores, expected[measure], err_msg=measure)


def test_a_data_set_without_images_has_no_scores():
    dataset, detections = scene_to_tables(Scene((), (0,), (), ()))
    for measure in MEASURES:
        assert image_scores(dataset, detections, measure=measure, min_score=0.3).shape == (0,)


def test_real_detectors_class_by_class_and_agnostic():
    dataset, (detections, _), _, _ = coco_detectors()
    aware = fda(dataset, detections, min_score=0.3)
    agnostic = fda(dataset, detections, min_score=0.3, class_agnostic=True)
    # METHODS 5.1.
    assert round(float(aware.mean()), 3) == 0.496
    assert round(float(agnostic.mean()), 3) == 0.528
    assert (aware <= 1).all()
    assert np.array_equal(aware, fda(dataset, detections, min_score=0.3, threads=1))
    literal = fda(dataset, detections, min_score=0.3, mapping="literal", class_agnostic=True)
    assert literal.mean() > agnostic.mean()
    assert literal.max() > 1
