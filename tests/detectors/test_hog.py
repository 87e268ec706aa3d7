"""Cells of oriented gradients: where they lie, what they say, and that they are whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.detectors.hog import (
    CELL_PX,
    LARGEST_VALUE,
    N_CHANNELS,
    N_DIRECTIONS,
    cut,
    hog_cells,
    resized,
)


def noise(height: int, width: int) -> np.ndarray:
    return np.random.RandomState(0).randint(0, 256, (height, width, 3), dtype=np.uint8)


@pytest.mark.parametrize(("height", "width"), [(64, 80), (67, 71), (8, 8), (7, 90), (1, 1)])
def test_there_is_a_cell_for_every_eight_pixels(height: int, width: int):
    cells = hog_cells(noise(height, width))
    assert cells.shape == (height // CELL_PX, width // CELL_PX, N_CHANNELS)


def test_values_are_whole_and_within_limits():
    cells = hog_cells(noise(120, 160))
    np.testing.assert_array_equal(cells, np.rint(cells))
    assert cells.min() >= 0
    assert 0 < cells.max() <= LARGEST_VALUE


def test_one_colour_has_no_gradients():
    assert not hog_cells(np.full((40, 40, 3), 130, dtype=np.uint8)).any()


def test_gradients_lie_in_the_cell_that_has_them():
    pixels = np.zeros((64, 80, 3), dtype=np.uint8)
    pixels[20, 44] = 255
    strength = hog_cells(pixels)[..., :N_DIRECTIONS].sum(axis=2)
    assert np.unravel_index(strength.argmax(), strength.shape) == (20 // 8, 44 // 8)
    assert not strength[5:].any()
    assert not strength[:, :4].any()


def test_directions_turn_with_the_picture():
    stripes = np.zeros((48, 48, 3), dtype=np.uint8)
    stripes[:, ::6] = stripes[:, 1::6] = 200
    upright = hog_cells(stripes)[2, 2, :N_DIRECTIONS]
    lying = hog_cells(np.ascontiguousarray(stripes.swapaxes(0, 1)))[2, 2, :N_DIRECTIONS]
    assert upright.argmax() != lying.argmax()


def test_dark_on_bright_is_told_from_bright_on_dark():
    edge = np.zeros((48, 48, 3), dtype=np.uint8)
    edge[:, 20:] = 200
    one = hog_cells(edge)[2, 2, :N_DIRECTIONS]
    other = hog_cells(255 - edge)[2, 2, :N_DIRECTIONS]
    np.testing.assert_array_equal(np.roll(one, N_DIRECTIONS // 2), other)
    assert not (one * other).any()


def test_contrast_alone_hardly_matters():
    pixels = noise(64, 64) // 4 * 2
    assert np.abs(hog_cells(pixels) - hog_cells(pixels // 2)).max() <= 2


def test_a_cut_inside_is_the_picture_itself():
    pixels = noise(30, 40)
    np.testing.assert_array_equal(cut(pixels, np.array([5.0, 6, 10, 12])), pixels[6:18, 5:15])


def test_a_cut_beyond_the_edge_repeats_it():
    pixels = noise(30, 40)
    beyond = cut(pixels, np.array([-5.0, -4, 10, 12]))
    assert beyond.shape == (12, 10, 3)
    np.testing.assert_array_equal(beyond[4:, 5:], pixels[:8, :5])
    assert (beyond[:4, :5] == pixels[0, 0]).all()
    np.testing.assert_array_equal(cut(pixels, np.array([100.0, 3, 2, 2])), pixels[3:5, [39, 39]])


def test_a_cut_has_a_pixel_at_least():
    pixels = noise(30, 40)
    assert cut(pixels, np.array([3.2, 3.2, 0.1, 0.1])).shape == (1, 1, 3)
    assert resized(pixels[:1, :1], 16, 8).shape == (8, 16, 3)
