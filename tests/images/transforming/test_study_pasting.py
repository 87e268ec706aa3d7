"""Objects on a scene that is not theirs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.study_pasting import covering_map
from boxlens.images.transforming.transform import Change, TransformSettings
from painted_shots import painted, shot_of, speckled

INCONGRUENT = TRANSFORMS["incongruent"]
CHANGE = Change(math.nan, TransformSettings())


def planned(shot, scene):
    (layout,) = INCONGRUENT.plan(replace(shot, scene=scene), CHANGE)
    return layout


def drawn(exposure, scene):
    layout = planned(exposure.shot, scene.shot)
    return INCONGRUENT.draw(exposure.on(scene), layout, CHANGE)


@pytest.mark.parametrize("size", [(80, 60), (320, 100), (33, 200), (160, 120), (161, 120)])
def test_the_scene_covers_the_picture_and_keeps_its_middle(size):
    matrix = covering_map(160, 120, shot_of([], *size))
    corners = np.array([[0, 0, 1], [*size, 1]]) @ matrix.T
    assert (corners[0] <= 1e-9).all()
    assert (corners[1] >= np.array([160, 120]) - 1e-9).all()
    assert np.isclose(corners, [[0, 0], [160, 120]]).all(axis=0).any()
    np.testing.assert_allclose(corners.mean(axis=0), [80, 60], atol=1e-9)
    assert matrix[0, 0] == matrix[1, 1]


@pytest.mark.parametrize("size", [(80, 60), (320, 100), (60, 200), (160, 120)])
def test_objects_of_the_scene_are_where_their_boxes_say(size):
    width, height = size
    box = (width // 2 - 12, height // 2 - 10, 24, 20)
    scene = painted([box], [(250, 250, 250)], ground=(0, 0, 0), width=width, height=height)
    shot = painted([])
    layout = planned(shot.shot, scene.shot)
    rows, columns = np.nonzero(drawn(shot, scene)[..., 0] > 125)
    x, y, w, h = layout.scene_box[0]
    found = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    np.testing.assert_allclose(found, [x, y, x + w, y + h], atol=1)


def test_objects_keep_their_pixels_within_a_rim_and_the_scene_is_seen_elsewhere():
    exposure, scene = speckled([(40, 30, 50, 60)]), speckled([], seed=9)
    pixels = drawn(exposure, scene)
    np.testing.assert_array_equal(pixels[33:87, 43:87], exposure.pixels[33:87, 43:87])
    outside = np.ones(pixels.shape[:2], dtype=np.bool_)
    outside[30:90, 40:90] = False
    np.testing.assert_array_equal(pixels[outside], scene.pixels[outside])


def test_the_rim_passes_from_the_scene_to_the_object():
    exposure = painted([(40, 30, 50, 60)], [(200, 200, 200)])
    scene = painted([], ground=(0, 0, 0))
    pixels = drawn(exposure, scene)
    assert pixels[60, 38:45, 0].tolist() == [0, 0, 50, 100, 150, 200, 200]
    assert pixels[28:35, 60, 0].tolist() == [0, 0, 50, 100, 150, 200, 200]


def test_small_boxes_have_a_narrower_rim_and_the_border_of_the_picture_none():
    boxes = [(0, 30, 50, 60), (70, 40, 5, 5), (90, 40, 16, 20)]
    exposure = painted(boxes, [(200, 200, 200)] * 3)
    pixels = drawn(exposure, painted([], ground=(0, 0, 0)))[..., 0]
    assert (pixels[60, :46] == 200).all()
    assert (pixels[40:45, 70:75] == 200).all()
    assert pixels[50, 89:94].tolist() == [0, 67, 133, 200, 200]


def test_masks_are_blended_over_about_two_pixels():
    mask = np.zeros((120, 160), dtype=np.bool_)
    mask[40:80, 50:90] = True
    exposure = painted(
        [(45, 35, 50, 50), (120, 10, 1, 1)],
        [(200, 200, 200)],
        mask_of=lambda row: mask if row == 0 else None,
    )
    pixels = drawn(exposure, painted([], ground=(0, 0, 0)))[..., 0].astype(int)
    assert (pixels[42:78, 52:88] == 200).all()
    assert (pixels[~mask][pixels[~mask] > 0]).size
    across = pixels[60, 46:54]
    assert (np.diff(across) >= 0).all()
    assert across[:2].tolist() == [0, 0]
    # Half of the object is seen at the border of the mask.
    assert across[3] + across[4] == pytest.approx(200, abs=60)
    assert across[3] < 100 < across[4]


def test_a_mask_is_not_softened_at_the_border_of_the_picture():
    mask = np.zeros((120, 160), dtype=np.bool_)
    mask[40:, :90] = True
    exposure = painted([(0, 40, 90, 80)], [(200, 200, 200)], mask_of=lambda _row: mask)
    pixels = drawn(exposure, painted([], ground=(0, 0, 0)))[..., 0]
    assert (pixels[42:, :88] == 200).all()


def test_crowds_are_not_pasted_and_objects_outside_neither():
    shot = shot_of([(10, 10, 30, 30), (50, 50, 20, 20), (300, 10, 20, 20)], crowd=[1])
    assert planned(shot, shot_of([])).row.tolist() == [0]


def test_scene_objects_that_are_seen_are_named_and_covered_ones_are_not():
    shot = shot_of([(10, 10, 30, 30), (40, 10, 30, 30)])
    scene = shot_of(
        [
            (12, 12, 20, 20),  # beneath the first
            (30, 15, 20, 20),  # beneath both together
            (30, 15, 20, 30),  # seen below
            (100, 60, 20, 20),  # crowds can be seen, too
            (150, 110, 40, 40),  # leaves the picture
            (300, 10, 10, 10),  # is not in it
        ],
        crowd=[3],
    )
    layout = planned(shot, scene)
    assert layout.scene_row.tolist() == [2, 3, 4]
    assert layout.scene_box.tolist() == [[30, 15, 20, 30], [100, 60, 20, 20], [150, 110, 10, 10]]


def test_covered_are_exactly_those_of_which_no_pixel_is_seen():
    random = np.random.default_rng(2)
    for _ in range(40):
        corner, sides = random.integers(0, 90, (12, 2)), random.integers(1, 70, (12, 2))
        boxes = np.concatenate([corner, sides], axis=1)
        free = np.ones((120, 160), dtype=np.bool_)
        for x, y, w, h in boxes[:6]:
            free[y : y + h, x : x + w] = False
        expected = [
            row for row, (x, y, w, h) in enumerate(boxes[6:]) if free[y : y + h, x : x + w].any()
        ]
        assert planned(shot_of(boxes[:6]), shot_of(boxes[6:])).scene_row.tolist() == expected


def test_objects_cut_off_with_the_scene_are_gone():
    # Twice as wide as needed: a quarter goes on either side.
    scene = shot_of([(0, 0, 70, 100), (60, 0, 60, 120)], width=320, height=120)
    layout = planned(shot_of([]), scene)
    assert layout.scene_row.tolist() == [1]
    assert layout.scene_box.tolist() == [[0, 0, 40, 120]]


def test_without_a_scene_there_is_nothing_to_paste_on():
    with pytest.raises(ParameterError, match="needs a scene"):
        INCONGRUENT.plan(shot_of([]), CHANGE)
