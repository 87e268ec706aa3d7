"""Baselines take their parameters from the boxes of a training set."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Classes, Dataset, GroundTruth, Images
from boxlens.errors import InputError
from boxlens.studies.proposals.generators.training import (
    box_statistics,
    gaussian_of,
    sliding_window_of,
    uniform_of,
)

SIZES = ((400, 300), (300, 400))


def dataset(boxes: np.ndarray, sizes=SIZES, **columns) -> Dataset:
    """Boxes in turn in two images."""
    width, height = zip(*sizes, strict=True)
    images, _ = Images.of([1, 2], width, height, ["a.jpg", "b.jpg"])
    row = np.arange(len(boxes)) % 2
    gt = GroundTruth.of(2, image_row=row, class_row=np.zeros(len(boxes), int), box=boxes, **columns)
    return Dataset("d", images, Classes.of([1], ["thing"]), gt)


def many(n: int = 1000) -> np.ndarray:
    chance = np.random.default_rng(5)
    corner, side = chance.uniform(0, 200, (n, 2)), chance.uniform(8, 90, (n, 2))
    return np.hstack([corner, side])


def plain_shapes(data: Dataset) -> list[list[float]]:
    """As published: in pixels counted from 1, both ends included."""
    found = []
    for row, (x, y, w, h) in zip(data.gt.image_row.tolist(), data.gt.box.tolist(), strict=True):
        width, height = data.images.width_px[row], data.images.height_px[row]
        x1, y1, x2, y2 = x + 1, y + 1, x + w, y + h
        area = (x2 - x1 + 1) * (y2 - y1 + 1) / (width * height)
        aspect = (x2 - x1 + 1) / (y2 - y1 + 1)
        centre = [(x1 + x2) / 2 / width, (y1 + y2) / 2 / height]
        found.append([math.log2(aspect), math.sqrt(area), *centre])
    return found


def test_shapes_are_those_of_plain_loops():
    data = dataset(many())
    np.testing.assert_allclose(box_statistics(data).shape, plain_shapes(data), rtol=1e-12)


def test_uniform_covers_all_but_half_a_percent_at_each_end():
    data = dataset(many())
    aspect, size, x, y = (sorted(column) for column in zip(*plain_shapes(data), strict=True))
    made = uniform_of(data)
    # Of 1,000 values the 5th and the 995th.
    assert [made.x_low, made.x_high] == pytest.approx([x[4], x[994]])
    assert [made.y_low, made.y_high] == pytest.approx([y[4], y[994]])
    assert [made.area_low, made.area_high] == pytest.approx([size[4] ** 2, size[994] ** 2])
    assert [made.aspect_low, made.aspect_high] == pytest.approx([2 ** aspect[4], 2 ** aspect[994]])


def test_gaussian_has_mean_and_covariance_of_the_boxes():
    data = dataset(many())
    shapes = np.array(plain_shapes(data))
    made = gaussian_of(data)
    np.testing.assert_allclose(made.mean, shapes.mean(axis=0))
    np.testing.assert_allclose(made.covariance, np.cov(shapes, rowvar=False), rtol=1e-9)


def test_sliding_windows_take_the_powers_of_two_that_enough_boxes_have():
    sides = [(30, 60)] * 900 + [(250, 130)] * 80 + [(3, 5000)] * 3
    boxes = np.array([[0, 0, w, h] for w, h in sides], dtype=np.float64)
    assert sliding_window_of(dataset(boxes)).sizes == ((16, 512), (256, 128), (32, 64))
    assert sliding_window_of(dataset(boxes[:-1])).sizes == ((256, 128), (32, 64))


def test_difficult_boxes_count_and_crowds_groups_and_empty_boxes_do_not():
    boxes = many(10)
    boxes[3, 2] = 0
    flags = np.zeros((3, 10), dtype=bool)
    flags[0, 0] = flags[1, 1] = flags[2, 2] = True
    crowd, group_of, difficult = flags
    data = dataset(boxes, crowd=crowd, group_of=group_of, difficult=difficult)
    found = box_statistics(data)
    assert len(found.shape) == 7
    assert [(one.code, one.count) for one in found.notices] == [
        ("crowd_boxes", 2),
        ("empty_boxes", 1),
    ]


def test_fractions_of_images_with_known_sizes_are_boxes_like_others():
    data = dataset(many(40))
    size = data.images.known_sizes()[data.gt.image_row]
    gt = replace(data.gt, box=data.gt.box / np.tile(size, 2))
    relative = replace(data, gt=gt, relative=True)
    np.testing.assert_allclose(box_statistics(relative).shape, box_statistics(data).shape)


def test_boxes_of_images_without_a_size_are_refused_with_a_remedy():
    with pytest.raises(InputError, match=r"5 of 10 boxes .* unknown size.*Give"):
        uniform_of(dataset(many(10), sizes=((400, 300), (0, 0))))


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_boxes_are_refused(n):
    with pytest.raises(InputError, match="fewer than 2 boxes"):
        gaussian_of(dataset(many(n)))


def test_boxes_of_one_shape_make_generators_that_work():
    data = dataset(np.tile([[10.0, 10.0, 30.0, 30.0]], (8, 1)))
    for made in (uniform_of(data), gaussian_of(data), sliding_window_of(data)):
        boxes, _ = made.propose_for(100, 80, 10, "a")
        assert len(boxes)
