"""Objects that count, how many an image has, how close they stand, how large they are (METHODS 3.4)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.errors import ParameterError
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.counted_objects import counted_objects
from boxlens.studies.difficulty.instances import measure_instances
from cases import random_scene
from oracles.convert import SIDE_PX, scene_to_tables
from planted_worlds import world_of

USUAL = DifficultyChoice()


def measured(dataset, choice=USUAL):
    return measure_instances(dataset, counted_objects(dataset, choice), choice)


def slow_measures(scene, cls, *, difficult=False, gap=0.0):
    """Objects, images with one, their quotient, neighbours and scale, one after the other."""
    objects = [
        obj
        for obj in scene.objects
        if obj.cls == cls and not (obj.crowd or obj.group_of or (obj.difficult and not difficult))
    ]
    if not objects:
        return 0, 0, math.nan, math.nan, math.nan
    n_images = len({obj.image for obj in objects})
    neighbours = 0
    for i, (x, y, w, h) in enumerate(obj.box for obj in objects):
        for j, (x2, y2, w2, h2) in enumerate(obj.box for obj in objects):
            apart = max(x - (x2 + w2), x2 - (x + w), y - (y2 + h2), y2 - (y + h)) > gap
            neighbours += i != j and objects[i].image == objects[j].image and not apart
    scale = sum(obj.box[2] * obj.box[3] / SIDE_PX**2 for obj in objects) / len(objects)
    n = len(objects)
    return n, n_images, n / n_images, neighbours / n, scale


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("options", [{}, {"difficult": True, "gap_px": 8.0}])
def test_all_equal_a_slow_loop(seed, options):
    scene = random_scene(seed, n_images=4, n_objects=9, flood=0)
    dataset, _ = scene_to_tables(scene)
    found = measured(dataset, DifficultyChoice(**options))
    for row, cls in enumerate(scene.classes):
        expected = slow_measures(
            scene,
            cls,
            difficult=options.get("difficult", False),
            gap=options.get("gap_px", 0.0),
        )
        actual = (
            found.n_objects[row],
            found.n_images[row],
            found.instances_per_image[row],
            found.neighbours[row],
            found.scale[row],
        )
        assert actual == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_instances_are_a_mean_over_images_that_have_one():
    boxes = [[60 * place, 0, 40, 40] for place in range(4)]
    found = measured(world_of(boxes, n_images=5, image_row=[0, 0, 0, 3]))
    assert found.n_images[0] == 2
    assert found.instances_per_image[0] == 2
    assert found.n_images[1] == 0
    assert math.isnan(found.instances_per_image[1])


def test_boxes_that_share_an_edge_or_a_corner_are_neighbours():
    boxes = [[0, 0, 10, 10], [10, 0, 10, 10], [20, 10, 10, 10], [31, 10, 10, 10]]
    assert measured(world_of(boxes)).neighbours[0] == (1 + 2 + 1 + 0) / 4


def test_a_gap_makes_neighbours_of_boxes_that_do_not_touch():
    boxes = [[0, 0, 10, 10], [13, 14, 10, 10]]
    for gap, expected in ((0.0, 0.0), (3.0, 0.0), (4.0, 1.0)):
        dataset = world_of(boxes)
        assert measured(dataset, DifficultyChoice(gap_px=gap)).neighbours[0] == expected


def test_neighbours_are_of_one_class_and_one_image():
    same = [[0, 0, 10, 10]] * 3
    found = measured(world_of(same, classes=[0, 1, 0], n_images=2, image_row=[0, 0, 1]))
    assert found.neighbours[:2].tolist() == [0, 0]


def test_crowds_and_groups_never_count_and_difficult_objects_where_asked_for():
    dataset = world_of(
        [[0, 0, 10, 10]] * 4,
        crowd=[True, False, False, False],
        group_of=[False, True, False, False],
        difficult=[True, True, True, False],
    )
    for difficult, n in ((False, 1), (True, 2)):
        objects = counted_objects(dataset, DifficultyChoice(difficult=difficult))
        assert (len(objects), objects.n_left_out) == (n, 4 - n)


def test_scale_is_the_share_of_each_object_s_own_image():
    dataset = world_of([[0, 0, 40, 30], [0, 0, 40, 30]], n_images=2, image_row=[0, 1])
    images = replace(
        dataset.images, width_px=np.array([400.0, 80.0]), height_px=np.array([300.0, 30.0])
    )
    assert measured(replace(dataset, images=images)).scale[0] == (0.01 + 0.5) / 2


@pytest.mark.parametrize("unknown", [math.nan, 0.0, math.inf])
def test_scale_leaves_out_objects_of_images_without_a_size_and_says_so(unknown):
    boxes = [[0, 0, 100, 75], [0, 0, 80, 30], [0, 0, 8, 3]]
    dataset = world_of(boxes, n_images=2, image_row=[0, 1, 1], classes=[0, 0, 1])
    images = replace(dataset.images, width_px=np.array([400.0, unknown]))
    dataset = replace(dataset, images=images)
    objects = counted_objects(dataset, USUAL)
    found = measure_instances(dataset, objects, USUAL)
    assert found.scale[0] == 1 / 16
    assert math.isnan(found.scale[1])
    assert found.n_objects.tolist()[:2] == [2, 1]
    (notice,) = objects.notices()
    assert (notice.code, notice.count) == ("image_without_size", 2)
    assert "2 objects of 1 images" in notice.message


def test_relative_boxes_need_no_sizes():
    dataset = world_of([[0.1, 0.1, 0.5, 0.5], [0.2, 0.1, 0.5, 0.25]], size=(math.nan, math.nan))
    dataset = replace(dataset, relative=True)
    objects = counted_objects(dataset, USUAL)
    assert objects.notices() == ()
    found = measure_instances(dataset, objects, USUAL)
    assert found.scale[0] == (0.25 + 0.125) / 2
    assert found.neighbours[0] == 1


def test_a_gap_in_pixels_is_refused_where_pixels_are_not_known():
    dataset = replace(world_of([[0.1, 0.1, 0.5, 0.5]]), relative=True)
    with pytest.raises(ParameterError, match=r"pixels are not known.*--gap"):
        measured(dataset, DifficultyChoice(gap_px=3))


def test_a_data_set_without_objects_or_classes_has_no_measures():
    assert np.isnan(measured(world_of([])).scale).all()
    assert len(measured(world_of([], names="")).scale) == 0
    assert np.isnan(measured(world_of([], n_images=0)).neighbours).all()


def test_boxes_that_touch_but_for_rounding_are_neighbours():
    """10.1 + 20.2 is not quite 30.3."""
    dataset = world_of([[10.1, 0, 20.2, 10], [30.3, 0, 20, 10]])
    result = boxlens.difficulty(dataset)
    assert result.datasets[0].classes[0].neighbours == 1
