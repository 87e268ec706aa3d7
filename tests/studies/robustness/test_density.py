"""Maps of where boxes are, against a count of every box over every cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boxlens.studies.robustness.density import N_CELLS, box_density, without_place
from planted_worlds import world_of


def slow_density(boxes, sizes):
    """Which boxes cover the centre of each cell, one by one."""
    cells = np.zeros((N_CELLS, N_CELLS))
    for (x, y, w, h), (width, height) in zip(boxes, sizes, strict=True):
        for row in range(N_CELLS):
            for column in range(N_CELLS):
                across, down = (column + 0.5) / N_CELLS, (row + 0.5) / N_CELLS
                inside = x / width <= across < (x + w) / width
                cells[row, column] += inside and y / height <= down < (y + h) / height
    return cells


def density(dataset):
    return box_density(dataset, dataset.gt.image_row, dataset.gt.box)


@pytest.mark.parametrize("size", [(640.0, 480.0), (31.0, 64.0)])
def test_cells_are_counted_one_by_one(size):
    rng = np.random.default_rng(int(size[0]))
    # Whole and half cells too, so that edges lie on centres; some boxes leave the picture.
    boxes = rng.integers(-8, 70, (30, 4)) * np.tile(size, 2) / 64
    boxes = np.concatenate([boxes, rng.random((10, 4)) * np.tile(size, 2)])
    boxes[:, 2:] = np.abs(boxes[:, 2:])
    dataset = world_of(boxes, size=size)
    np.testing.assert_array_equal(density(dataset), slow_density(boxes, [size] * len(boxes)))


def test_every_picture_is_scaled_by_its_own_size():
    dataset = world_of([[0, 0, 40, 30], [0, 0, 40, 30]], n_images=2, image_row=[0, 1])
    images = replace(
        dataset.images, width_px=np.array([40.0, 80.0]), height_px=np.array([30.0, 30.0])
    )
    cells = density(replace(dataset, images=images))
    assert (cells[:, :16] == 2).all()
    assert (cells[:, 16:] == 1).all()


def test_boxes_without_extent_cover_nothing_and_whole_pictures_everything():
    dataset = world_of([[10, 10, 0, 50], [10, 10, 50, 0], [-5, -5, 500, 500]])
    assert (density(dataset) == 1).all()


def test_boxes_in_pictures_of_unknown_size_are_left_out():
    dataset = world_of([[0, 0, 400, 300]] * 3, n_images=3, image_row=[0, 1, 2])
    images = replace(dataset.images, width_px=np.array([400.0, np.nan, 0.0]))
    dataset = replace(dataset, images=images)
    assert (density(dataset) == 1).all()
    assert without_place(dataset).tolist() == [False, True, True]


def test_fractions_of_pictures_need_no_sizes():
    dataset = replace(world_of([[0, 0, 0.5, 1]], size=(np.nan, np.nan)), relative=True)
    assert density(dataset).sum() == N_CELLS**2 / 2
    assert not without_place(dataset).any()
