"""Graded perturbations as transforms: maps without pixels, and which objects a rotation leaves."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.images.box_maps import composed, inverted
from boxlens.images.perturbing.families import FAMILIES
from boxlens.images.perturbing.moving import shared_crop
from boxlens.images.perturbing.perturb import perturb
from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.transform import Change, TransformSettings
from painted_shots import shot_of, speckled


def planned(name, shot, level):
    (layout,) = TRANSFORMS[f"graded_{name}"].plan(shot, Change(level, TransformSettings()))
    return layout


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [(31, 22), (20, 45), (2, 2)])
def test_the_planned_map_is_that_of_the_pixels(family, size):
    """Perturbations map from the picture that they are compared with: of rotations, the crop."""
    exposure = speckled([], width=size[0], height=size[1])
    crop = shared_crop(*size)
    corner = (crop.left, crop.top) if family == "rotation" else (0, 0)
    from_whole = np.array([[1.0, 0.0, -corner[0]], [0.0, 1.0, -corner[1]]])
    for level in FAMILIES[family].levels:
        layout = planned(family, exposure.shot, level)
        done = perturb(exposure.pixels, family, level)
        assert done.pixels.shape == (layout.height_px, layout.width_px, 3)
        expected = composed(from_whole, done.matrix)
        np.testing.assert_allclose(layout.matrix, expected, atol=1e-12)
        if family != "rotation":
            np.testing.assert_array_equal(layout.matrix, expected)


def test_levels_that_change_nothing_are_not_run_but_for_the_crop_of_rotations():
    for family in FAMILIES.values():
        levels = TRANSFORMS[f"graded_{family.name}"].levels
        rotation = family.name == "rotation"
        assert levels == tuple(x for x in family.levels if rotation or family.changes(x))
    assert 0 in TRANSFORMS["graded_rotation"].levels


def test_a_rotation_keeps_asks_not_or_forgets_by_what_is_inside():
    width, height = 160, 120
    crop = shared_crop(width, height)
    boxes = [
        (crop.left + 5, crop.top + 5, 20, 20),  # inside
        (crop.left - 10, crop.top + 5, 20, 20),  # half of it
        (crop.left - 11, crop.top + 5, 20, 20),  # less
        (crop.left - 20, crop.top + 5, 20, 20),  # touches the border
        (crop.right - 5, crop.bottom - 5, 20, 20),  # a corner of a crowd
        (crop.left + 5, crop.top + 5, 0, 20),  # without area
    ]
    layout = planned("rotation", shot_of(boxes, crowd=[4]), 0.0)
    assert layout.row.tolist() == [0, 1]
    assert layout.box.tolist() == [[5, 5, 20, 20], [0, 5, 10, 20]]
    assert layout.ignored_row.tolist() == [2, 4]
    right, bottom = layout.width_px, layout.height_px
    assert layout.ignored_box.tolist() == [[0, 5, 9, 20], [right - 5, bottom - 5, 5, 5]]


@pytest.mark.parametrize("angle", [-20.0, -5.0, 10.0, 20.0])
def test_turned_objects_survive_by_the_share_of_their_mapped_box(angle):
    random = np.random.default_rng(int(angle) + 50)
    boxes = np.concatenate([random.uniform(-20, 150, (300, 2)), random.uniform(1, 40, (300, 2))], 1)
    layout = planned("rotation", shot_of(boxes), angle)
    # By counting: a grid of points in the box around the turned ellipse, by centre and sides.
    centre = (boxes[:, :2] + boxes[:, 2:] / 2) @ layout.matrix[:, :2].T + layout.matrix[:, 2]
    half = np.linalg.norm(layout.matrix[None, :, :2] * boxes[:, None, 2:], axis=2) / 2
    grid = (np.arange(64) + 0.5) / 32 - 1
    xs, ys = (centre[:, None, :] + half[:, None, :] * grid[None, :, None]).transpose(2, 0, 1)
    inside = ((xs > 0) & (xs < layout.width_px)).mean(axis=1)
    inside *= ((ys > 0) & (ys < layout.height_px)).mean(axis=1)
    clear = np.abs(inside - 0.5) > 0.04
    expected = np.flatnonzero((inside > 0.5) & clear)
    assert [row for row in layout.row.tolist() if clear[row]] == expected.tolist()
    assert not set(layout.ignored_row.tolist()) & set(layout.row.tolist())
    seen = {*layout.ignored_row.tolist(), *layout.row.tolist()}
    assert set(np.flatnonzero(inside > 0).tolist()) <= seen
    assert set(np.flatnonzero(inside > 0.03).tolist()) <= seen


def test_a_turned_map_goes_back_to_the_whole_picture():
    layout = planned("rotation", shot_of([]), 12.5)
    middle = np.array([layout.width_px / 2, layout.height_px / 2, 1])
    np.testing.assert_allclose(inverted(layout.matrix) @ middle, [80, 60], atol=1e-9)
