"""What is cut out of a picture lies in it, is never empty, and is there exactly if there is area."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.images.crops import PixelSpan, cut_inside, span_inside

# Sixteenths, so that sums of them are exact.
PLACES = st.integers(-800, 1_600).map(lambda n: n / 16)
SIDES = st.integers(0, 1_600).map(lambda n: n / 16)
BOXES = st.tuples(PLACES, PLACES, SIDES, SIDES)
SIZES = st.integers(1, 60)
ANY_BOXES = st.tuples(
    *[st.floats(-1e9, 1e9)] * 2, *[st.one_of(st.floats(0, 1e9), st.floats(0, 1e-300))] * 2
)
LAWS = settings(max_examples=300)


def numbered(width: int, height: int) -> np.ndarray:
    return np.arange(width * height * 3, dtype=np.uint64).reshape(height, width, 3) % 251


def sides_inside(box, width: int, height: int) -> tuple[float, float]:
    x, y, w, h = box
    return min(x + w, width) - max(x, 0), min(y + h, height) - max(y, 0)


@LAWS
@given(BOXES, SIZES, SIZES)
def test_there_is_a_crop_exactly_where_a_box_has_area_in_the_picture(box, width, height):
    has_area = min(sides_inside(box, width, height)) > 0
    assert (span_inside(np.array(box), width, height) is not None) == has_area


@LAWS
@given(ANY_BOXES, SIZES, SIZES)
def test_a_crop_lies_inside_and_is_never_empty(box, width, height):
    span = span_inside(np.array(box), width, height)
    if span is not None:
        assert 0 <= span.left < span.right <= width
        assert 0 <= span.top < span.bottom <= height
        crop = cut_inside(numbered(width, height), np.array(box))
        assert crop.shape == (span.bottom - span.top, span.right - span.left, 3)


@LAWS
@given(BOXES, SIZES, SIZES)
def test_sides_are_off_by_half_a_pixel_at_most_but_one_pixel_is_left(box, width, height):
    span = span_inside(np.array(box), width, height)
    if span is None:
        return
    x, y, w, h = box
    for first, last, begin, end, side in (
        (span.left, span.right, x, x + w, width),
        (span.top, span.bottom, y, y + h, height),
    ):
        low, high = max(begin, 0), min(end, side)
        if last - first == 1:
            assert first - 1 < low
            assert high < last + 1
        else:
            assert abs(first - low) <= 0.5
            assert abs(last - high) <= 0.5


def test_whole_boxes_are_cut_exactly_and_without_a_copy():
    pixels = numbered(8, 6)
    crop = cut_inside(pixels, np.array([2.0, 1.0, 3.0, 4.0]))
    np.testing.assert_array_equal(crop, pixels[1:5, 2:5])
    assert np.shares_memory(crop, pixels)
    assert cut_inside(pixels, np.array([-5.0, -5.0, 50.0, 50.0])).shape == pixels.shape


@pytest.mark.parametrize(
    ("box", "span"),
    [
        ([2.4, 0, 0.1, 4], PixelSpan(2, 0, 3, 4)),
        ([7.99, 0, 5, 4], PixelSpan(7, 0, 8, 4)),
        ([-3, 0, 3.01, 4], PixelSpan(0, 0, 1, 4)),
        ([1.5, 0, 1, 4], PixelSpan(2, 0, 3, 4)),
    ],
)
def test_a_sliver_keeps_the_pixel_it_lies_in(box, span):
    assert span_inside(np.array(box, dtype=float), 8, 6) == span


@pytest.mark.parametrize(
    "box",
    [
        [8, 0, 3, 3],
        [-3, 0, 3, 3],
        [0, 6, 3, 3],
        [1, 1, 0, 3],
        [math.nan, 0, 3, 3],
        [0, 0, math.inf, 3],
        [-math.inf, 0, math.inf, 3],
    ],
)
def test_what_lies_outside_or_has_no_area_has_no_crop(box):
    assert span_inside(np.array(box, dtype=float), 8, 6) is None
    assert cut_inside(numbered(8, 6), np.array(box, dtype=float)) is None
