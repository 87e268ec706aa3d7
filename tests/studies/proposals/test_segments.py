"""Pieces of a picture, their boxes and their neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.studies.proposals.segments import (
    SUPERPIXEL_SPACES,
    in_colours,
    neighbours,
    segment,
    segment_boxes,
)

SIZES = [(1, 1), (1, 40), (40, 1), (3, 200), (12, 12)]


def blocks() -> np.ndarray:
    """Two blocks of plain colours on a plain ground; nothing touches the end of the picture."""
    image = np.full((80, 120, 3), (90, 140, 90), dtype=np.uint8)
    image[10:50, 20:60] = (220, 30, 30)
    image[30:70, 70:110] = (30, 30, 220)
    return image


def random_labels(seed: int, height: int = 9, width: int = 11) -> np.ndarray:
    labels = np.random.default_rng(seed).integers(0, 7, (height, width))
    return np.unique(labels, return_inverse=True)[1].reshape(labels.shape).astype(np.int32)


def test_plain_blocks_are_pieces_with_exact_boxes():
    # A blur would round the corners off.
    labels = segment(blocks(), sigma=0.1, k=100, min_size=20)
    assert sorted(segment_boxes(labels).tolist()) == [
        [0, 0, 120, 80],
        [20, 10, 40, 40],
        [70, 30, 40, 40],
    ]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("plain", [True, False])
def test_labels_count_from_0_without_gaps_in_any_picture(size, plain):
    image = np.random.default_rng(1).integers(0, 256, (*size, 3), dtype=np.uint8)
    if plain:
        image[:] = 128
    for space in ("rgb", *SUPERPIXEL_SPACES):
        colours = in_colours(image, space)
        assert colours.shape == image.shape
        assert colours.dtype == np.uint8
        labels = segment(colours, sigma=0.8, k=100, min_size=100)
        assert labels.shape == size
        assert np.unique(labels).tolist() == list(range(labels.max() + 1))


@pytest.mark.parametrize("seed", range(4))
def test_boxes_are_those_of_a_slow_loop(seed):
    labels = random_labels(seed)
    for label, box in enumerate(segment_boxes(labels).tolist()):
        rows, columns = np.nonzero(labels == label)
        left, top = columns.min(), rows.min()
        assert box == [left, top, columns.max() - left + 1, rows.max() - top + 1]


@pytest.mark.parametrize("seed", range(4))
def test_neighbours_and_their_borders_are_those_of_a_slow_loop(seed):
    labels = random_labels(seed)
    height, width = labels.shape
    expected: dict[tuple[int, int], int] = {}
    for row in range(height):
        for column in range(width):
            for down, right in ((0, 1), (1, 0)):
                if row + down < height and column + right < width:
                    one, other = labels[row, column], labels[row + down, column + right]
                    if one != other:
                        pair = (int(min(one, other)), int(max(one, other)))
                        expected[pair] = expected.get(pair, 0) + 1
    pairs, border = neighbours(labels)
    found = dict(zip(map(tuple, pairs.tolist()), border.tolist(), strict=True))
    assert found == expected


def test_one_piece_has_no_neighbours():
    pairs, border = neighbours(np.zeros((5, 4), dtype=np.int32))
    assert pairs.shape == (0, 2)
    assert border.shape == (0,)


def test_normalized_colours_do_not_see_shade_but_in_brightness():
    light, dark = np.full((2, 2, 3), (200, 100, 60), np.uint8), np.full((2, 2, 3), 0, np.uint8)
    dark[:] = (100, 50, 30)
    np.testing.assert_array_equal(in_colours(light, "rg")[..., :2], in_colours(dark, "rg")[..., :2])
    assert in_colours(light, "rg")[0, 0, 2] > in_colours(dark, "rg")[0, 0, 2]


def test_opponent_colours_use_the_whole_range():
    ends = np.array([[[255, 0, 0], [0, 255, 0], [255, 255, 0], [0, 0, 255]]], dtype=np.uint8)
    opponent = in_colours(ends, "opponent")[0]
    assert opponent[:2, 0].tolist() == [255, 0]
    assert opponent[2:, 1].tolist() == [255, 0]


def test_a_view_of_a_picture_has_the_colours_of_a_copy():
    mirrored = blocks()[:, ::-1]
    for space in SUPERPIXEL_SPACES:
        np.testing.assert_array_equal(
            in_colours(mirrored, space), in_colours(mirrored.copy(), space)
        )


@pytest.mark.parametrize("wrong", [{"sigma": -1.0}, {"k": float("nan")}, {"min_size": -1}])
def test_settings_that_cannot_be_meant_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        segment(blocks(), **({"sigma": 0.8, "k": 100.0, "min_size": 100} | wrong))
