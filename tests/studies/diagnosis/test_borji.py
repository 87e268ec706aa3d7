"""Borji's sequence: starts at AP50, never falls, ends at 1, and finds what was planted."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import boxlens
from boxlens.data import Detections
from boxlens.metrics import choose, evaluate_tables
from boxlens.studies.diagnosis.borji import REPAIRS, borji
from boxlens.studies.diagnosis.evidence import gather
from boxlens.studies.diagnosis.orders import repair_gains, subsets
from cases import random_scene
from oracles import borji as oracle
from oracles.convert import scene_to_tables
from planted_worlds import world_of
from shared_data import shared

SEEDS = range(60)


def repaired(dataset, detections, **choice):
    return borji(gather(dataset, detections, **choice))


def ap50_of(dataset, detections):
    return evaluate_tables(dataset, [detections], choose("coco")).detectors[0].metrics["AP50"]


def assert_sequence(result, ap50):
    """From AP50 up to exactly 1, or undefined throughout."""
    np.testing.assert_array_equal(result.ap[0], ap50)
    if math.isnan(ap50):
        assert np.isnan(result.ap).all()
    else:
        assert all(before <= after for before, after in pairwise(result.ap))
        assert result.ap[-1] == 1.0
    with_objects = result.class_ap[~np.isnan(result.class_ap[:, 0])]
    assert (np.diff(with_objects, axis=1) >= 0).all()
    assert (with_objects[:, -1] == 1).all()


def found(*boxes, scores, classes=None):
    return Detections.of(
        "found",
        1,
        image_row=[0] * len(boxes),
        class_row=classes or [0] * len(boxes),
        box=boxes,
        score=scores,
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_sequence_equals_the_slow_oracle(seed):
    dataset, detections = scene_to_tables(random_scene(seed, n_classes=3))
    result = repaired(dataset, detections)
    expected = oracle.sequence(dataset, detections)
    np.testing.assert_allclose(result.ap, expected["ap"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.class_ap, expected["class_ap"], rtol=0, atol=1e-12)
    assert result.det_step.tolist() == expected["det_step"]
    assert result.gt_step.tolist() == expected["gt_step"]


@pytest.mark.parametrize("limits", [(0.75, 0.25), (0.3, 0.1), (1.0, 0.5)])
@pytest.mark.parametrize("seed", range(8))
def test_other_limits_equal_the_slow_oracle(seed, limits):
    foreground, background = limits
    dataset, detections = scene_to_tables(random_scene(seed))
    result = repaired(dataset, detections, foreground_iou=foreground, background_iou=background)
    expected = oracle.sequence(dataset, detections, foreground, background)
    np.testing.assert_allclose(result.ap, expected["ap"], rtol=0, atol=1e-12)
    assert result.det_step.tolist() == expected["det_step"]


@pytest.mark.parametrize("seed", SEEDS)
def test_it_starts_at_ap50_never_falls_and_ends_at_one(seed):
    dataset, detections = scene_to_tables(
        random_scene(seed, crowd=0.0, difficult=0.0, group_of=0.0)
    )
    assert_sequence(repaired(dataset, detections), ap50_of(dataset, detections))


@pytest.mark.parametrize("seed", [*SEEDS, 427, 447, 630])
def test_where_detections_are_excused_only_moving_them_can_lower_ap(seed):
    dataset, detections = scene_to_tables(random_scene(seed, crowd=0.3, difficult=0.25, flood=0))
    result = repaired(dataset, detections)
    np.testing.assert_array_equal(result.ap[0], ap50_of(dataset, detections))
    defined = result.class_ap[~np.isnan(result.class_ap[:, 0])]
    rise = np.diff(defined, axis=1)
    assert (rise[:, [0, 2, 3]] >= 0).all()
    assert (rise[:, 1] + rise[:, 2] >= 0).all()
    assert (defined[:, -1] == 1).all()


# From a plain reading of METHODS 4.5 whose repaired detections pycocotools scored.
ON_VAL2017 = {
    "yolox_nano": ((0.411349, 0.490978, 0.586107, 0.701980, 1.0), 8337),
    "fastestdet": ((0.253093, 0.323867, 0.468873, 0.572649, 1.0), 13314),
}


@pytest.mark.parametrize("detector", ON_VAL2017)
def test_on_real_data_it_starts_at_ap50_never_falls_and_ends_at_one(detector):
    dataset = boxlens.read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    detections = boxlens.read_detections(shared("coco_val2017", f"{detector}.json.gz"), dataset)
    result = repaired(dataset, detections)
    assert_sequence(result, ap50_of(dataset, detections))
    ap, n_missed = ON_VAL2017[detector]
    assert result.ap == pytest.approx(ap, abs=5e-7)
    assert np.sum(result.gt_step == 4) == n_missed


def test_a_moved_box_takes_its_object_from_a_lower_score():
    dataset = world_of([[0, 0, 30, 30]])
    detections = found([0, 0, 10, 30], [0, 0, 30, 30], scores=[0.9, 0.8])
    result = repaired(dataset, detections)
    assert result.det_step.tolist() == [2, 3]
    assert result.ap[:3] == pytest.approx((0.5, 0.5, 1.0))


def test_an_overlap_of_exactly_the_background_is_deleted():
    dataset = world_of([[0, 0, 10, 10]])
    detections = found([0, 0, 1, 10], scores=[0.9])
    assert repaired(dataset, detections).det_step.tolist() == [1]


def test_a_detection_in_a_crowd_is_moved_onto_an_object_that_nothing_else_finds():
    dataset = world_of([[0, 0, 30, 30], [0, 0, 200, 200]], crowd=[False, True])
    result = repaired(dataset, found([0, 0, 10, 30], scores=[0.9]))
    assert result.det_step.tolist() == [-1]
    assert result.gt_step.tolist() == [0, -1]
    assert result.ap == pytest.approx((0.0, 0.0, 1.0, 1.0, 1.0))


def test_an_excused_box_that_is_moved_can_make_a_duplicate_of_the_hit_below_it():
    """AP falls until step 3 deletes the duplicate; the crowd does not excuse the object's box."""
    dataset = world_of(
        [[0, 0, 30, 30], [100, 0, 30, 30], [0, 0, 10, 30]], crowd=[False, False, True]
    )
    boxes = [[0, 0, 10, 30], [0, 0, 30, 30], [100, 0, 30, 30]]
    result = repaired(dataset, found(*boxes, scores=[0.9, 0.8, 0.7]))
    assert result.det_step.tolist() == [-1, 3, 0]
    assert result.ap == pytest.approx((1.0, 1.0, (51 + 50 * 2 / 3) / 101, 1.0, 1.0))


def test_deleting_an_excused_box_leaves_its_difficult_object_to_the_next():
    dataset = world_of(
        [[0, 0, 30, 30], [200, 0, 30, 30], [0, 15, 30, 30]], difficult=[False, False, True]
    )
    # On the difficult object: one that touches no other, then one that also touches the first.
    boxes = [[0, 28, 30, 17], [0, 16, 30, 30], [200, 0, 30, 30]]
    result = repaired(dataset, found(*boxes, scores=[0.9, 0.8, 0.7]))
    assert result.ap[:2] == pytest.approx((0.5 * 51 / 101, 51 / 101))


def test_detections_beyond_the_limit_take_no_part():
    dataset = world_of([[0, 0, 30, 30]])
    detections = found(*[[100, 100, 10, 10]] * 100, [0, 0, 30, 30], scores=[*[0.9] * 100, 0.1])
    result = repaired(dataset, detections)
    assert result.det_step.tolist() == [1] * 100 + [-1]
    assert result.ap == (0.0, 0.0, 0.0, 0.0, 1.0)


def test_an_object_without_area_is_added_like_any_other():
    result = repaired(world_of([[5, 5, 0, 0]]), found([5, 5, 0, 0], scores=[0.5]))
    assert result.ap == (0.0, 0.0, 0.0, 0.0, 1.0)
    assert result.gt_step.tolist() == [4]


@pytest.mark.parametrize("seed", range(40))
def test_every_subset_of_the_steps_equals_a_plain_recount(seed):
    dataset, detections = scene_to_tables(
        random_scene(seed, n_images=4, crowd=0.2, difficult=0.3, flood=0)
    )
    result = borji(gather(dataset, detections))
    expected = repair_gains(
        REPAIRS,
        np.array(
            [
                oracle.repaired(
                    dataset,
                    detections,
                    [name for name, chosen in zip(REPAIRS, row, strict=True) if chosen],
                )
                for row in subsets(len(REPAIRS))
            ]
        ),
    )
    for mine, plain in zip(result.orders, expected, strict=True):
        for key in ("first", "last", "lowest", "highest", "mean"):
            assert getattr(mine, key) == pytest.approx(
                getattr(plain, key), abs=1e-12, nan_ok=True
            ), (mine.name, key)
