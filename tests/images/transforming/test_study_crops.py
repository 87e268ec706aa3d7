"""Objects cut out of their pictures."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxlens.images.crops import PixelSpan
from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.study_crops import resized_size
from boxlens.images.transforming.transform import Change, TransformSettings
from painted_shots import shot_of, speckled


def planned(name, shot, **settings):
    return TRANSFORMS[name].plan(shot, Change(math.nan, TransformSettings(**settings)))


def drawn(name, exposure, layout):
    return TRANSFORMS[name].draw(exposure, layout, Change(math.nan, TransformSettings()))


def test_a_crop_is_the_box_and_its_ground_truth_all_of_it():
    exposure = speckled([(5.4, 6.6, 20.2, 10.0)], width=60, height=40)
    (layout,) = planned("crop", exposure.shot)
    assert (layout.width_px, layout.height_px) == (21, 10)
    assert layout.box.tolist() == [[0, 0, 21, 10]]
    assert layout.matrix.tolist() == [[1, 0, -5], [0, 1, -7]]
    pixels = drawn("crop", exposure, layout)
    np.testing.assert_array_equal(pixels, exposure.pixels[7:17, 5:26])
    assert not np.may_share_memory(pixels, exposure.pixels)


def test_of_a_box_that_leaves_the_picture_the_part_inside_is_cropped():
    exposure = speckled([(-4, 30, 10, 30)], width=60, height=40)
    (layout,) = planned("crop", exposure.shot)
    assert layout.box.tolist() == [[0, 0, 6, 10]]
    np.testing.assert_array_equal(drawn("crop", exposure, layout), exposure.pixels[30:, :6])


@pytest.mark.parametrize("name", ["crop", "crop_resized"])
def test_crowds_and_objects_without_a_pixel_are_not_cropped(name):
    boxes = [(5, 5, 10, 10), (1, 1, 8, 8), (200, 5, 10, 10), (5, 5, 0, 10)]
    layouts = planned(name, shot_of(boxes, width=60, height=40, crowd=[0]))
    assert [layout.subject for layout in layouts] == [1]


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        ((30, 20), (450, 300)),
        ((20, 31), (300, 465)),
        ((600, 400), (450, 300)),
        ((300, 301), (300, 301)),
        ((1, 1), (300, 300)),
        ((7, 11), (300, 471)),
        ((2, 200), (300, 30_000)),
        # Longer strips keep their aspect, and are as long as is bearable.
        ((1, 400), (75, 30_000)),
        ((100_000, 1), (30_000, 1)),
    ],
)
def test_the_smaller_side_has_300_pixels_and_the_aspect_is_kept(sides, expected):
    assert resized_size(PixelSpan(5, 7, 5 + sides[0], 7 + sides[1])) == expected


def test_a_resized_crop_is_mapped_by_its_sizes():
    exposure = speckled([(10, 4, 7, 11)], width=60, height=40)
    (layout,) = planned("crop_resized", exposure.shot)
    assert (layout.width_px, layout.height_px) == (300, 471)
    corners = np.array([[10, 4, 1], [17, 15, 1]]) @ layout.matrix.T
    np.testing.assert_allclose(corners, [[0, 0], [300, 471]], atol=1e-9)
    assert layout.box.tolist() == [[0, 0, 300, 471]]


def test_a_crop_of_the_wished_size_keeps_its_pixels():
    exposure = speckled([(3, 2, 300, 310)], width=320, height=330)
    (layout,) = planned("crop_resized", exposure.shot)
    np.testing.assert_array_equal(
        drawn("crop_resized", exposure, layout), exposure.pixels[2:312, 3:303]
    )


def test_ignored_neighbours_are_cut_to_what_is_seen_of_them():
    boxes = [(10, 10, 20, 20), (25, 10, 20, 30), (14, 13, 4, 2), (26, 10, 20, 20)]
    first, *_ = planned("crop", shot_of(boxes, width=60, height=40), ignore_neighbours=True)
    assert first.ignored_row.tolist() == [1, 2, 3]
    assert first.ignored_box.tolist() == [[15, 0, 5, 20], [4, 3, 4, 2], [16, 0, 4, 20]]
    boxes[1] = (25, 5, 20, 30)
    boxes[0] = (10, 10, 24, 20)
    first, *_ = planned("crop", shot_of(boxes, width=60, height=40), ignore_neighbours=True)
    assert first.ignored_row.tolist() == [1, 2, 3]
    assert first.ignored_box.tolist() == [[15, 0, 9, 20], [4, 3, 4, 2], [16, 0, 8, 20]]
    resized, *_ = planned(
        "crop_resized", shot_of(boxes, width=60, height=40), ignore_neighbours=True
    )
    np.testing.assert_allclose(resized.ignored_box, 15 * first.ignored_box, atol=1e-9)
