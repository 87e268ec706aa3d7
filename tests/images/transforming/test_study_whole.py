"""Whole pictures, blurred, upside down and corrupted."""

from __future__ import annotations

import math

import numpy as np

from boxlens.images.corrupting.corruptions import corrupt
from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.transform import Change, TransformSettings
from painted_shots import shot_of, speckled

CHANGE = Change(math.nan, TransformSettings())


def test_the_blur_is_the_study_s():
    """11 x 11, sigma 4, mirrored at the border: up to a grey level of OpenCV's 8 bits."""
    exposure = speckled([], width=40, height=30)
    kernel = np.exp(-(np.arange(-5, 6) ** 2) / (2 * 4**2))
    smooth = np.pad(exposure.pixels.astype(float), ((5, 5), (5, 5), (0, 0)), mode="reflect")
    for axis in (0, 1):
        smooth = np.apply_along_axis(np.convolve, axis, smooth, kernel / kernel.sum(), mode="valid")
    blur = TRANSFORMS["gaussian_blur"]
    (layout,) = blur.plan(exposure.shot, CHANGE)
    np.testing.assert_allclose(blur.draw(exposure, layout, CHANGE), smooth, atol=1.2)


def test_flipping_turns_pixels_and_boxes_and_twice_is_the_identity():
    flip = TRANSFORMS["vertical_flip"]
    boxes = np.random.default_rng(0).uniform(0, 50, (200, 4))
    exposure = speckled(boxes, height=121, crowd=[5])
    (once,) = flip.plan(exposure.shot, CHANGE)
    x, y, w, h = exposure.shot.box.T
    np.testing.assert_array_equal(once.box, np.stack([x, 121 - y - h, w, h], axis=1))
    assert once.matrix.tolist() == [[1, 0, 0], [0, -1, 121]]
    assert once.row.tolist() == list(range(200))
    (twice,) = flip.plan(shot_of(once.box, height=121), CHANGE)
    np.testing.assert_allclose(twice.box, exposure.shot.box, atol=1e-9)
    pixels = flip.draw(exposure, once, CHANGE)
    np.testing.assert_array_equal(pixels, np.flipud(exposure.pixels))
    again = flip.draw(type(exposure)(exposure.shot, pixels, exposure.mask_of), once, CHANGE)
    np.testing.assert_array_equal(again, exposure.pixels)


def test_flipping_boxes_of_binary_fractions_twice_loses_no_bit():
    flip = TRANSFORMS["vertical_flip"]
    boxes = np.random.default_rng(1).integers(0, 400, (100, 4)) / 8
    (once,) = flip.plan(shot_of(boxes), CHANGE)
    (twice,) = flip.plan(shot_of(once.box), CHANGE)
    np.testing.assert_array_equal(twice.box, boxes)


def test_boxes_that_leave_the_picture_stay_as_they_are():
    boxes = [(-10.5, 100, 30, 60), (200, 5, 10, 10)]
    for name in ("clean", "gaussian_blur", "graded_jpeg", "fog"):
        (layout,) = TRANSFORMS[name].plan(shot_of(boxes), Change(1.0, TransformSettings()))
        assert layout.box.tolist() == [list(box) for box in boxes]


def test_corruptions_draw_lots_by_seed_and_picture():
    for name, severity in (("gaussian_noise", 2), ("frost", 4)):
        exposure = speckled([], width=40, height=30, key="31")
        change = Change(float(severity), TransformSettings(seed=8))
        (layout,) = TRANSFORMS[name].plan(exposure.shot, change)
        pixels = TRANSFORMS[name].draw(exposure, layout, change)
        expected = corrupt(exposure.pixels, name, severity, seed=8, key="31")
        np.testing.assert_array_equal(pixels, expected)
