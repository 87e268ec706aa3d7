"""Views of an object, and boxes of one exact IoU around it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.errors import ParameterError
from boxlens.studies.upper_bound.choice import CONTEXT_SCALES, UpperBoundChoice
from boxlens.studies.upper_bound.views import (
    OWN,
    Shown,
    View,
    context_views,
    kept_shares,
    sampled_boxes,
    views_of,
)

SIDE = st.floats(0.5, 2000)
PLACE = st.floats(-50, 2000)


def iou(first: np.ndarray, second: np.ndarray) -> float:
    low = np.maximum(first[:2], second[:2])
    high = np.minimum(first[:2] + first[2:], second[:2] + second[2:])
    shared = np.prod(np.maximum(high - low, 0))
    return float(shared / (first[2:].prod() + second[2:].prod() - shared))


@settings(max_examples=60)
@given(x=PLACE, y=PLACE, w=SIDE, h=SIDE, wished=st.floats(0.05, 0.95), n=st.integers(1, 5))
def test_every_sample_has_the_wished_iou(x, y, w, h, wished, n):
    # Far from the origin the corners of a small box have few digits left for its sides.
    box = np.array([x / 64, y / 64, w, h])
    samples = sampled_boxes(box[None], wished, n)[0]
    assert samples.shape == (4 * n, 4)
    assert [iou(box, one) for one in samples] == pytest.approx([wished] * (4 * n), abs=1e-12)


@settings(max_examples=60)
@given(x=PLACE, y=PLACE, w=st.floats(4, 2000), h=st.floats(4, 2000), wished=st.floats(0.05, 0.95))
def test_boxes_as_large_as_those_of_photographs_keep_it_anywhere(x, y, w, h, wished):
    box = np.array([x, y, w, h])
    samples = sampled_boxes(box[None], wished, 2)[0]
    assert [iou(box, one) for one in samples] == pytest.approx([wished] * 8, abs=1e-12)


def test_the_four_families_go_towards_the_four_corners():
    box = np.array([[10.0, 20.0, 30.0, 40.0]])
    shifts = np.sign(sampled_boxes(box, 0.5)[0, :, :2] - box[0, :2])
    assert sorted(map(tuple, shifts.tolist())) == [(-1, -1), (-1, 1), (1, -1), (1, 1)]


def test_alpha_lies_between_its_ends_and_its_product_with_beta_is_fixed():
    alpha, beta = kept_shares(0.75, 4)
    assert ((alpha > 6 / 7) & (alpha < 1) & (beta > 6 / 7) & (beta < 1)).all()
    assert alpha * beta == pytest.approx([6 / 7] * 4)


def test_an_iou_that_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="between 0 and 1"):
        UpperBoundChoice(sampled_iou=1.0)


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
