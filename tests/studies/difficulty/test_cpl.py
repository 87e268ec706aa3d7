"""Chance performance of localization: golden cases, laws, and a slow count (METHODS 3.5, 8.3)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from boxlens.formats import read_dataset
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.counted_objects import counted_objects
from boxlens.studies.difficulty.cpl import chance_localization
from cases import random_scene
from oracles.convert import SIDE_PX, scene_to_tables
from oracles.model import iou
from planted_worlds import world_of
from shared_data import shared

USUAL = DifficultyChoice()


def found_in(dataset, threshold=0.5, choice=USUAL, **options):
    return chance_localization(counted_objects(dataset, choice), threshold, **options)


def cpl(dataset, threshold=0.5):
    return found_in(dataset, threshold).cpl.tolist()


def slow_cpl(boxes, threshold=0.5):
    """METHODS 3.5, every ordered pair."""
    n = len(boxes)
    if n < 2:
        return math.nan
    hits = [
        iou(boxes[i], boxes[j]) >= threshold - 1e-12 for i in range(n) for j in range(n) if i != j
    ]
    return sum(hits) / (n * (n - 1))


def test_two_identical_boxes_and_a_disjoint_one_have_a_third():
    boxes = [[0, 0, 40, 30], [0, 0, 40, 30], [200, 200, 40, 30]]
    assert cpl(world_of(boxes))[0] == 1 / 3
    assert cpl(world_of(boxes, n_images=3, image_row=[0, 1, 2]))[0] == 1 / 3


def test_boxes_are_compared_as_fractions_of_their_own_images():
    dataset = world_of([[10, 10, 40, 30], [20, 5, 80, 15]], n_images=2, image_row=[0, 1])
    assert cpl(dataset)[0] == 0
    images = replace(
        dataset.images, width_px=np.array([100.0, 200.0]), height_px=np.array([100.0, 50.0])
    )
    assert cpl(replace(dataset, images=images))[0] == 1


def test_an_overlap_exactly_at_the_threshold_counts():
    half = world_of([[0, 0, 64, 64], [0, 0, 32, 64]], size=(512.0, 512.0))
    assert cpl(half)[0] == 1
    assert cpl(half, 0.5 + 1e-9)[0] == 0


def test_identical_boxes_reach_an_overlap_of_one():
    dataset = world_of([[1 / 3, 0.1, 1 / 7, 0.7]] * 5, size=(3.0, 7.0))
    assert cpl(dataset, 1.0)[0] == 1


def test_boxes_without_area_overlap_nothing():
    assert cpl(world_of([[5, 5, 0, 10]] * 3))[0] == 0


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.75, 1.0])
def test_it_equals_a_slow_loop(seed, threshold):
    scene = random_scene(seed, n_objects=12, flood=0)
    found = cpl(scene_to_tables(scene)[0], threshold)
    for row, cls in enumerate(scene.classes):
        boxes = [
            tuple(value / SIDE_PX for value in obj.box)
            for obj in scene.objects
            if obj.cls == cls and not (obj.crowd or obj.difficult or obj.group_of)
        ]
        assert found[row] == pytest.approx(slow_cpl(boxes, threshold), rel=1e-15, nan_ok=True)


def test_fewer_than_two_objects_have_none_and_that_is_said():
    found = found_in(world_of([[0, 0, 9, 9]] * 4, classes=[0, 1, 1, 2]))
    assert repr(found.cpl.tolist()) == repr([math.nan, 1.0] + [math.nan] * 4)
    (notice,) = found.notices
    assert (notice.code, notice.count) == ("class_with_one_object", 2)
    assert notice.message == "CPL of 2 classes with fewer than two objects is undefined"


def test_objects_of_images_without_a_size_are_left_out():
    dataset = world_of(
        [[0, 0, 9, 9]] * 5, classes=[0, 0, 0, 1, 1], n_images=2, image_row=[0, 0, 1, 0, 1]
    )
    images = replace(dataset.images, height_px=np.array([300.0, math.nan]))
    found = found_in(replace(dataset, images=images))
    assert found.cpl[0] == 1
    assert math.isnan(found.cpl[1])
    assert found.n_objects.tolist()[:2] == [2, 1]
    assert "fewer than two objects in images of known size" in found.notices[0].message


def test_relative_boxes_are_taken_as_they_are():
    dataset = world_of([[0.1, 0.1, 0.5, 0.5]] * 2, size=(math.nan, math.nan))
    assert cpl(replace(dataset, relative=True))[0] == 1


def test_nothing_is_found_in_nothing():
    assert cpl(world_of([], names="")) == []
    assert np.isnan(cpl(world_of([], n_images=0))).all()


def array_cpl(box, threshold):
    """The same by whole rows of NumPy."""
    left, top, right, bottom = box[:, 0], box[:, 1], box[:, 0] + box[:, 2], box[:, 1] + box[:, 3]
    area = box[:, 2] * box[:, 3]
    hits = 0
    for i in range(len(box)):
        width = np.minimum(right, right[i]) - np.maximum(left, left[i])
        height = np.minimum(bottom, bottom[i]) - np.maximum(top, top[i])
        common = np.maximum(width, 0) * np.maximum(height, 0)
        hits += int((common / (area + area[i] - common) >= threshold).sum()) - 1
    return hits / (len(box) * (len(box) - 1))


@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_coco_equals_a_slow_count_of_every_pair(threshold):
    dataset = read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    found = cpl(dataset, threshold)
    images, gt = dataset.images, dataset.gt
    size = np.stack([images.width_px, images.height_px] * 2, axis=1)
    relative = gt.box / size[gt.image_row]
    for name in ("bed", "train", "dining table", "bottle", "sports ball", "car", "bear", "cat"):
        row = dataset.classes.row_of_name()[name]
        assert found[row] == array_cpl(relative[(gt.class_row == row) & ~gt.crowd], threshold)


def test_half_a_box_overlaps_by_a_half_whatever_the_size_of_the_image():
    """As fractions of the image both boxes are rounded; a half stays a half."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        x, y, w, h = rng.integers(1, 200, 4).tolist()
        size = tuple(rng.integers(400, 2000, 2).astype(float))
        assert cpl(world_of([[x, y, w, h], [x, y, w / 2, h]], size=size))[0] == 1.0
