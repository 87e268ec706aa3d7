"""What holds for every transform of the catalogue, at every level."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from boxlens.images.box_maps import composed, inverted, map_boxes, map_ellipses
from boxlens.images.crops import PixelSpan
from boxlens.images.perturbing.moving import cropped
from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.transform import (
    CORRUPTION_GROUPS,
    Change,
    Step,
    TransformSettings,
)
from boxlens.images.transforming.visible_objects import clipped
from painted_shots import BOXES, COLOURS, GROUND, painted, shot_of, speckled

CORRUPTIONS = [name for name, one in TRANSFORMS.items() if one.group in CORRUPTION_GROUPS]
REAL_BOXES = ((21.3, 30.7, 36.2, 44.9), (64.5, 40.25, 40.1, 32.6), (112.4, 26.8, 30.3, 62.5))
SCENE = speckled([(10, 10, 60, 50), (70, 20, 20, 90)], seed=5, width=100, height=120)
# Objects keep their colours to the bit.
COLOUR_FAST = (
    "clean",
    "white_background",
    "noise_background",
    "blurred_background",
    "one_object",
    "objects_only",
    "crop",
    "vertical_flip",
)


def steps(*, severities: tuple[float, ...]) -> list[Step]:
    """All levels that are run, and those that change nothing; of corruptions the ones given."""
    found = []
    for name, one in TRANSFORMS.items():
        levels = severities if name in CORRUPTIONS else sorted({*one.levels, *one.unchanged})
        found += [Step(name, level) for level in levels or (math.nan,)]
    return found


def made(step, exposure, scene=SCENE, **settings):
    """Layouts and pictures of one transform."""
    transform = TRANSFORMS[step.name]
    if transform.needs_scene:
        exposure = exposure.on(scene)
    change = Change(step.level, TransformSettings(**settings))
    layouts = transform.plan(exposure.shot, change)
    return [(one, transform.draw(exposure, one, change)) for one in layouts]


def planned(step, shot, **settings):
    transform = TRANSFORMS[step.name]
    if transform.needs_scene:
        shot = replace(shot, scene=SCENE.shot)
    return transform.plan(shot, Change(step.level, TransformSettings(**settings)))


def named(step: Step) -> str:
    return step.slug


@pytest.mark.parametrize("step", steps(severities=(0.0, 4.0)), ids=named)
@pytest.mark.parametrize("cut", ["box", "mask"])
def test_pictures_are_as_large_as_planned_and_nothing_given_is_written_on(step, cut):
    masks = np.zeros((2, 24, 32), dtype=np.bool_)
    masks[0, 3:12, 4:15] = masks[1, 8:20, 10:30] = True
    masks.flags.writeable = False
    boxes = [(4, 3, 11.5, 9), (10, 8, 20, 12.25)]
    exposure = speckled(boxes, width=32, height=24, mask_of=lambda row: masks[row])
    before, scene_before = exposure.pixels.copy(), SCENE.pixels.copy()
    pictures = made(step, exposure, cut=cut, ignore_neighbours=True)
    assert len(pictures) == (2 if TRANSFORMS[step.name].per_object else 1)
    for layout, pixels in pictures:
        assert pixels.shape == (layout.height_px, layout.width_px, 3)
        assert pixels.dtype == np.uint8
        assert pixels.flags.c_contiguous
    np.testing.assert_array_equal(exposure.pixels, before)
    np.testing.assert_array_equal(SCENE.pixels, scene_before)


@pytest.mark.parametrize("step", steps(severities=(3.0,)), ids=named)
@pytest.mark.parametrize("boxes", [BOXES, REAL_BOXES, ((0, 0, 160, 120), (150.5, 0, 9.5, 3))])
def test_boxes_lie_where_the_map_takes_them_and_inside(step, boxes):
    """Crops are the whole picture, which differs from the box by the rounding to pixels."""
    shot = shot_of(boxes)
    for layout in planned(step, shot, ignore_neighbours=True):
        picture = PixelSpan(0, 0, layout.width_px, layout.height_px)
        expected = clipped(map_ellipses(shot.box[layout.row], layout.matrix), picture)
        half_a_pixel = 0.5 * np.abs(layout.matrix[:, :2]).sum(axis=1).max()
        crop = step.name in {"crop", "crop_resized"}
        np.testing.assert_allclose(
            layout.box, expected, atol=1e-9 + 2 * half_a_pixel * crop, rtol=0
        )
        for found in (layout.box, layout.ignored_box, layout.scene_box):
            assert np.isfinite(found).all()
            np.testing.assert_allclose(found, clipped(found, picture), atol=1e-9)
        assert len(layout.row) == len(layout.box)
        assert len(layout.ignored_row) == len(layout.ignored_box)
        assert not set(layout.row.tolist()) & set(layout.ignored_row.tolist())


@pytest.mark.parametrize("step", steps(severities=(3.0,)), ids=named)
def test_maps_invert(step):
    shot = shot_of(REAL_BOXES)
    for layout in planned(step, shot):
        back = inverted(layout.matrix)
        np.testing.assert_allclose(composed(layout.matrix, back), np.eye(2, 3), atol=1e-9)
        again = map_boxes(map_boxes(shot.box, layout.matrix), back)
        centre, expected = (box[:, :2] + box[:, 2:] / 2 for box in (again, shot.box))
        np.testing.assert_allclose(centre, expected, atol=1e-9)
        if step.name != "graded_rotation":
            np.testing.assert_allclose(again, shot.box, atol=1e-9)


@pytest.mark.parametrize("step", steps(severities=(3.0,)), ids=named)
def test_the_same_seed_gives_the_same_bits(step):
    exposure = speckled([(3, 4, 20, 15)], width=40, height=30)
    first, second = made(step, exposure, seed=3), made(step, exposure, seed=3)
    for (layout, pixels), (same_layout, same_pixels) in zip(first, second, strict=True):
        np.testing.assert_array_equal(pixels, same_pixels)
        np.testing.assert_array_equal(layout.box, same_layout.box)


@pytest.mark.parametrize(
    "step",
    [
        Step("noise_background", math.nan),
        Step("graded_salt_pepper", 100.0),
        Step("gaussian_noise", 3.0),
    ],
    ids=named,
)
def test_another_seed_gives_other_noise(step):
    exposure = speckled([(3, 4, 20, 15)], width=40, height=30)
    ((_, first),), ((_, second),) = made(step, exposure, seed=3), made(step, exposure, seed=4)
    assert (first != second).any()


@pytest.mark.parametrize("step", steps(severities=(5.0,)), ids=named)
@pytest.mark.parametrize("size", [(1, 1), (3, 200), (200, 3)])
def test_tiny_pictures_are_no_trouble(step, size):
    width, height = size
    boxes = [(0, 0, width, height), (width / 2, height / 2, 0.4, 0.4), (-5, -5, 5.5, 5.5)]
    for layout, pixels in made(step, speckled(boxes, width=width, height=height)):
        assert pixels.shape == (layout.height_px, layout.width_px, 3)
        assert min(pixels.shape) >= 1
        assert np.isfinite(layout.box).all()


@pytest.mark.parametrize("step", steps(severities=(2.0,)), ids=named)
def test_pictures_without_objects_stay_in_sets_of_whole_pictures(step):
    pictures = made(step, speckled([], width=30, height=20))
    assert len(pictures) == (0 if TRANSFORMS[step.name].per_object else 1)
    for layout, pixels in pictures:
        assert layout.row.shape == (0,)
        assert layout.box.shape == (0, 4)
        assert pixels.shape == (layout.height_px, layout.width_px, 3)


@pytest.mark.parametrize(
    "step",
    [
        step
        for step in steps(severities=(0.0,))
        if step.level in TRANSFORMS[step.name].unchanged or step.name == "clean"
    ],
    ids=named,
)
def test_levels_that_change_nothing_change_nothing(step):
    exposure = speckled()
    ((layout, pixels),) = made(step, exposure)
    rotation = step.name == "graded_rotation"
    expected = cropped(exposure.pixels) if rotation else exposure.pixels
    np.testing.assert_array_equal(pixels, expected)
    if not rotation:
        np.testing.assert_array_equal(layout.box, exposure.shot.box)
    assert (layout.matrix[:, :2] == np.eye(2)).all()


@pytest.mark.parametrize(
    "step",
    [
        step
        for step in steps(severities=())
        if step.name not in CORRUPTIONS and not (step.name == "graded_jpeg" and step.level < 50)
    ],
    ids=named,
)
def test_a_painted_rectangle_is_found_where_its_box_says(step):
    exposure = painted()
    scene = painted([(10, 5, 70, 60)], [(60, 60, 60)], ground=(4, 4, 4), width=90, height=100)
    found = 0
    for layout, pixels in made(step, exposure, scene):
        moved = map_ellipses(exposure.shot.box[layout.row], layout.matrix)
        for row, box, unclipped in zip(layout.row.tolist(), layout.box, moved, strict=True):
            if np.allclose(box, unclipped, atol=1e-6):
                check_found(step, pixels, box, row)
                found += 1
    assert found >= (1 if step.name == "graded_rotation" else 3)


def check_found(step: Step, pixels: np.ndarray, box: np.ndarray, row: int) -> None:
    x, y, w, h = box
    seen = rectangle(step, pixels, row, (int(x + w / 2), int(y + h / 2)))
    rows, columns = np.nonzero(seen)
    left, top, right, bottom = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
    np.testing.assert_allclose(
        [columns.mean(), rows.mean()], [x + w / 2 - 0.5, y + h / 2 - 0.5], atol=1
    )
    if step.name == "graded_rotation":  # its box is between the enclosing one and the turned one
        return
    tolerance = 2 if step.name == "graded_blur" else 1.0001
    np.testing.assert_allclose([left, top, right, bottom], [x, y, x + w, y + h], atol=tolerance)


def rectangle(step: Step, pixels: np.ndarray, row: int, centre: tuple[int, int]) -> np.ndarray:
    """Pixels of the colour at the centre that hang together with it."""
    if step.name in COLOUR_FAST:
        alike = (pixels == COLOURS[row]).all(axis=2)
    else:
        values = pixels.astype(float)
        # How far the object's own channel stands out; that of the ground does not.
        excess = values[..., row] - np.delete(values, row, axis=2).max(axis=2)
        assert excess[centre[1], centre[0]] > 60
        alike = excess > 0.45 * excess[centre[1], centre[0]]
    mask = alike.astype(np.uint8)
    if step.name == "graded_salt_pepper":
        mask = cv2.medianBlur(mask, 5)
    _, parts = cv2.connectedComponents(mask)
    assert mask[centre[1], centre[0]]
    return parts == parts[centre[1], centre[0]]


def test_the_painted_ground_stands_out_in_no_channel():
    assert len(set(GROUND)) == 1
    assert [int(np.argmax(colour)) for colour in COLOURS] == [0, 1, 2]
