from __future__ import annotations

import numpy as np
import pytest

from boxlens.studies.upper_bound.choice import CONTEXT_SCALES, UpperBoundChoice
from boxlens.studies.upper_bound.views import OWN, Shown, View, context_views, views_of

PIXELS = np.random.default_rng(0).integers(1, 255, (60, 80, 3)).astype(np.uint8)
BOX = np.array([20.0, 10.0, 30.0, 20.0])
CHOICE = UpperBoundChoice(context_scales=CONTEXT_SCALES)


def shown(box=BOX):
    return Shown.of(PIXELS, np.asarray(box, dtype=float), CHOICE)


def test_the_box_comes_first_then_four_samples_then_the_context():
    views = views_of(CHOICE)
    assert views[0] == OWN
    assert [view.kind for view in views[1:5]] == ["sample"] * 4
    assert len(views) == 1 + 4 + 10 + 5 + 2


def test_at_its_own_size_the_object_is_its_box():
    assert np.array_equal(shown().crop(View("object", 1.0)), PIXELS[10:30, 20:50])
    assert np.array_equal(shown().crop(OWN), PIXELS[10:30, 20:50])


def test_scales_go_about_the_centre_and_stop_at_the_border():
    assert np.array_equal(shown().crop(View("object", 0.2)), PIXELS[18:22, 32:38])
    assert np.array_equal(shown().crop(View("object_and_context", 2.0)), PIXELS[0:40, 5:65])


def test_context_alone_has_the_box_zeroed_and_nothing_else():
    crop = shown().crop(View("context", 2.0))
    expected = PIXELS[0:40, 5:65].copy()
    expected[10:30, 15:45] = 0
    assert np.array_equal(crop, expected)
    whole = PIXELS.copy()
    whole[10:30, 20:50] = 0
    assert np.array_equal(shown().crop(View("image_context", float("nan"))), whole)
    assert PIXELS.min() > 0


def test_a_box_up_to_its_own_size_has_no_context_alone():
    assert all(view.scale > 1 for view in context_views((0.5, 1.0, 1.5)) if view.kind == "context")


@pytest.mark.parametrize("box", [[20, 10, 0, 20], [200, 10, 30, 20], [-40, 10, 30, 20]])
def test_a_box_without_a_pixel_has_no_crop_of_any_kind(box):
    assert all(shown(box).crop(view) is None for view in views_of(CHOICE))


def test_of_a_box_that_leaves_the_picture_what_is_inside_is_shown():
    assert shown([-10, -10, 30, 30]).crop(OWN).shape == (20, 20, 3)
