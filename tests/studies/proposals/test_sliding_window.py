"""Sliding windows hold every rule of METHODS 7.3."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.studies.proposals.generators import sliding_window
from boxlens.studies.proposals.generators.sliding_window import (
    SIZES,
    SlidingWindow,
    sliding_windows,
)
from oracles import sliding_windows as oracle

IMAGES = [
    (640, 480),
    (500, 375),
    (375, 500),
    (600, 600),
    (513, 513),
    (64, 640),
    (100, 17),
    (33, 40),
]


def test_there_are_28_sizes_by_height_then_width_the_largest_first():
    assert list(SIZES) == oracle.SIZES
    assert len(SIZES) == 28


@pytest.mark.parametrize("image", IMAGES)
@pytest.mark.parametrize("limit", [29, 100, 1000, 10_000])
def test_windows_are_those_of_the_plain_loops(image, limit):
    found = sliding_windows(*image, limit)
    np.testing.assert_allclose(found, oracle.sliding_windows(*image, limit)[:limit], atol=1e-9)


def test_windows_of_random_images_are_those_of_the_plain_loops():
    chance = np.random.default_rng(0)
    for width, height, limit in zip(*chance.integers(30, (900, 900, 1500), (25, 3)).T, strict=True):
        found = sliding_windows(int(width), int(height), int(limit))
        expected = oracle.sliding_windows(int(width), int(height), int(limit))[: int(limit)]
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_only_sizes_strictly_smaller_than_the_image_are_kept():
    # Inclusive corners x to x + w: one pixel wider than the size they are named by.
    sizes = {(w - 1, h - 1) for w, h in sliding_windows(512, 128, 1000)[1:, 2:].tolist()}
    assert sizes == {(w, h) for w, h in SIZES if w < 512 and h < 128}


def test_the_whole_image_comes_first_where_a_size_does_not_fit():
    # Published as 0, 0, W, H with both ends inside and pixels counted from 1.
    np.testing.assert_array_equal(sliding_windows(512, 600, 1000)[0], [-1, -1, 513, 601])
    # All fit: the first window is one of the largest size.
    assert sliding_windows(700, 600, 1000)[0, 2:].tolist() == [513, 513]


def test_no_size_has_more_than_its_share_before_the_spare_is_given_out(monkeypatch):
    monkeypatch.setattr(sliding_window, "FIRST_DENSER", 100)
    boxes = sliding_windows(640, 480, 1000)
    sizes, counts = np.unique(boxes[1:, 2:], axis=0, return_counts=True)
    assert counts.max() <= 1000 // len(sizes)


def test_the_spare_goes_to_the_sixth_size_and_on_until_one_does_not_fit(monkeypatch):
    def counts() -> list[int]:
        boxes = sliding_windows(640, 480, 1000)[1:, 2:] - 1
        kept = [size for size in SIZES if size[0] < 640 and size[1] < 480]
        return [int((boxes == size).all(axis=1).sum()) for size in kept]

    dense = counts()
    monkeypatch.setattr(sliding_window, "FIRST_DENSER", 100)
    plain = counts()
    more = [after > before for after, before in zip(dense, plain, strict=True)]
    assert not any(more[:5])
    assert more[5]
    # One run of denser sizes, then none.
    assert more[5:] == sorted(more[5:], reverse=True)


def test_windows_stand_in_columns_equally_far_from_both_ends():
    boxes = sliding_windows(640, 480, 1000)
    size = boxes[(boxes[:, 2:] == 129).all(axis=1)]
    x, y = size[:, 0], size[:, 1]
    assert (np.diff(x) >= 0).all()
    for start, end in ((x, 640), (y, 480)):
        # The method counts starts from 1 to W - w: one pixel is left at the far end.
        assert start.min() == pytest.approx(end - (start.max() + 129))


@pytest.mark.parametrize("limit", [1, 5, 19])
def test_few_windows_are_the_first_of_one_a_size(limit):
    boxes = sliding_windows(640, 480, limit)
    assert len(boxes) == limit
    assert boxes[0].tolist() == [-1, -1, 641, 481]


@pytest.mark.parametrize("image", [(1, 1), (3, 5), (16, 16), (16, 600)])
def test_an_image_that_no_size_fits_is_one_window(image):
    width, height = image
    np.testing.assert_array_equal(
        sliding_windows(width, height, 1000), [[-1, -1, width + 1, height + 1]]
    )


def test_pixels_do_not_matter():
    black, white = np.zeros((90, 120, 3), np.uint8), np.full((90, 120, 3), 255, np.uint8)
    for one, other in zip(
        SlidingWindow().propose(black, 50), SlidingWindow().propose(white, 50), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_windows_of_other_sizes_follow_the_same_rules():
    sizes = ((64, 32), (16, 16))
    boxes, scores = SlidingWindow(sizes=sizes).propose_for(100, 80, 60, "any")
    assert {(w - 1, h - 1) for w, h in boxes[:, 2:].tolist()} == set(sizes)
    assert scores.tolist() == list(range(len(boxes), 0, -1))
    # One does not fit: the whole image comes first.
    boxes, _ = SlidingWindow(sizes=sizes).propose_for(60, 80, 60, "any")
    assert boxes[0].tolist() == [-1, -1, 61, 81]
    assert SlidingWindow(sizes=sizes).identity != SlidingWindow().identity


@pytest.mark.parametrize("image", [(640, 480), (300, 200)])
def test_a_size_is_made_denser_once_and_never_uses_up_the_spare(image):
    for limit in range(100, 1100, 100):
        grids = dict(oracle.strides(image, limit))
        counts = {size: oracle.count(image, size, stride) for size, stride in grids.items()}
        share = limit // len(grids)
        placed = (len(grids) < len(SIZES)) + sum(counts.values())
        # The test is strict: where windows were added, one place is left.
        denser = [size for size in grids if counts[size] > share]
        assert placed <= limit - bool(denser)
        assert len(sliding_windows(*image, limit)) == placed
