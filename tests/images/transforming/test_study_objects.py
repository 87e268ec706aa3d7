"""Objects whose surroundings are gone, and objects cut out of their pictures."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxlens.images.crops import PixelSpan
from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.study_objects import resized_size
from boxlens.images.transforming.transform import Change, TransformSettings
from painted_shots import COLOURS, painted, shot_of, speckled

ALONE = ("white_background", "noise_background", "blurred_background", "one_object")
WHITE = 255


def made(name, exposure, **settings):
    transform = TRANSFORMS[name]
    change = Change(math.nan, TransformSettings(**settings))
    layouts = transform.plan(exposure.shot, change)
    return [(layout, transform.draw(exposure, layout, change)) for layout in layouts]


def planned(name, shot, **settings):
    return TRANSFORMS[name].plan(shot, Change(math.nan, TransformSettings(**settings)))


def drawn(name, exposure, layout):
    return TRANSFORMS[name].draw(exposure, layout, Change(math.nan, TransformSettings()))


@pytest.mark.parametrize("name", ALONE)
def test_the_box_keeps_its_pixels(name):
    exposure = speckled([(5, 6, 20, 10), (12, 9, 30, 20)], width=60, height=40)
    for layout, pixels in made(name, exposure):
        (x, y, w, h) = layout.box[0].astype(int)
        kept = exposure.pixels[y : y + h, x : x + w]
        np.testing.assert_array_equal(pixels[y : y + h, x : x + w], kept)


def test_all_around_the_box_is_white():
    exposure = speckled([(5, 6, 20, 10)], width=60, height=40)
    ((_, pixels),) = made("white_background", exposure)
    assert (pixels == WHITE).all(axis=2).sum() == 60 * 40 - 20 * 10


def test_noise_is_uniform_from_0_to_254():
    exposure = painted([(0, 0, 4, 4)], width=200, height=150)
    ((_, pixels),) = made("noise_background", exposure)
    around = pixels[4:].ravel()
    assert around.min() == 0
    assert around.max() == 254
    counts = np.bincount(around, minlength=255)
    expected = len(around) / 255
    # Chi-square of 254 degrees of freedom: its mean and eight of its deviations.
    assert ((counts - expected) ** 2 / expected).sum() < 254 + 8 * math.sqrt(2 * 254)


def test_every_object_and_every_picture_has_noise_of_its_own():
    boxes = [(2, 2, 5, 5), (2, 2, 5, 5)]
    drawn = [
        pixels
        for key in ("1", "2")
        for _, pixels in made("noise_background", speckled(boxes, width=30, height=20, key=key))
    ]
    assert len({pixels.tobytes() for pixels in drawn}) == 4


def test_the_blurred_background_is_smooth_and_as_bright_as_before():
    exposure = speckled([(0, 0, 2, 2)], width=160, height=120)
    ((_, pixels),) = made("blurred_background", exposure)
    around = pixels[4:].astype(int)
    assert np.abs(np.diff(around, axis=0)).max() <= 2
    assert around.mean() == pytest.approx(exposure.pixels.mean(), abs=2)


def test_the_blurred_background_is_a_gaussian_of_a_tenth_of_the_longer_side():
    """An edge in the middle turns into the integral of the Gaussian."""
    width, height = 400, 60
    edge = [(0, 0, 200, height)]
    exposure = painted([(0, 0, 1, 1)], width=width, height=height)
    pixels = painted(edge, [(200, 200, 200)], ground=(0, 0, 0), width=width, height=height).pixels
    ((_, drawn),) = made(
        "blurred_background", type(exposure)(exposure.shot, pixels, exposure.mask_of)
    )
    places = np.arange(120, 280) + 0.5
    expected = [200 * (1 - math.erf((x - 200) / (40 * math.sqrt(2)))) / 2 for x in places]
    np.testing.assert_allclose(drawn[30, 120:280, 0], expected, atol=4)


def test_other_objects_are_painted_over_and_the_scene_stays():
    exposure = painted(crowd=[2])
    (first, pixels), (_, _) = made("one_object", exposure)
    assert first.row.tolist() == [0]
    assert (pixels == COLOURS[0]).all(axis=2).sum() == 36 * 44
    assert (pixels == WHITE).all(axis=2).sum() == 40 * 32 + 30 * 62
    unchanged = (pixels == exposure.pixels).all(axis=2).sum()
    assert unchanged == 160 * 120 - 40 * 32 - 30 * 62


def test_objects_only_shows_all_objects_but_no_crowd():
    exposure = painted(crowd=[1])
    ((layout, pixels),) = made("objects_only", exposure)
    assert layout.row.tolist() == [0, 2]
    assert layout.subject == -1
    assert (pixels != WHITE).any(axis=2).sum() == 36 * 44 + 30 * 62


@pytest.mark.parametrize("name", ALONE)
def test_crowds_and_objects_without_a_pixel_have_no_picture(name):
    boxes = [(5, 5, 10, 10), (1, 1, 8, 8), (200, 5, 10, 10), (5, 5, 0, 10), (-4, 2, 9, 9)]
    layouts = planned(name, shot_of(boxes, width=60, height=40, crowd=[1]))
    assert [layout.subject for layout in layouts] == [0, 4]
    # Boxes that leave the picture stay real.
    assert layouts[1].box.tolist() == [[-4, 2, 9, 9]]


def test_boxes_are_rounded_for_drawing_and_stay_real_in_the_ground_truth():
    exposure = speckled([(5.4, 6.6, 20.2, 10.0)], width=60, height=40)
    ((layout, pixels),) = made("white_background", exposure)
    assert layout.box.tolist() == [[5.4, 6.6, 20.2, 10.0]]
    kept = (pixels != WHITE).any(axis=2)
    rows, columns = np.nonzero(kept)
    assert (columns.min(), rows.min(), columns.max(), rows.max()) == (5, 7, 25, 16)


@pytest.mark.parametrize("name", [*ALONE, "objects_only"])
def test_masks_are_kept_where_there_are_some(name):
    mask = np.zeros((40, 60), dtype=np.bool_)
    mask[8:14, 7:20] = True

    def mask_of(row):
        return {0: mask, 1: np.zeros_like(mask)}.get(row)

    boxes = [(5, 6, 20, 10), (30, 20, 10, 10), (45, 20, 10, 10)]
    exposure = speckled(boxes, width=60, height=40, mask_of=mask_of)
    first, second, *_ = made(name, exposure, cut="mask") * 2
    np.testing.assert_array_equal(first[1][mask], exposure.pixels[mask])
    if name == "white_background":
        assert (first[1] != WHITE).any(axis=2).sum() == mask.sum()
        # An empty mask is none: the box is kept.
        assert (second[1] != WHITE).any(axis=2).sum() == 100
    if name == "objects_only":
        assert (first[1] != WHITE).any(axis=2).sum() == mask.sum() + 200


def test_boxes_are_kept_where_masks_are_not_asked_for():
    mask = np.zeros((40, 60), dtype=np.bool_)
    mask[8:14, 7:20] = True
    exposure = speckled([(5, 6, 20, 10)], width=60, height=40, mask_of=lambda _row: mask)
    ((_, pixels),) = made("white_background", exposure, cut="box")
    assert (pixels != WHITE).any(axis=2).sum() == 20 * 10


def test_neighbours_of_which_anything_is_seen_are_ignored_if_asked():
    boxes = [(10, 10, 20, 20), (25, 10, 20, 20), (26, 10, 20, 20), (12, 12, 4, 4)]
    boxes += [(12, 12, 4, 4), (30, 10, 5, 5)]
    shot = shot_of(boxes, width=60, height=40, crowd=[4])
    first, *_ = planned("white_background", shot, ignore_neighbours=True)
    assert first.row.tolist() == [0]
    # A quarter of row 1, a fifth of row 2; row 4 is a crowd, row 5 only touches.
    assert first.ignored_row.tolist() == [1, 2, 3, 4]
    seen = [[25, 10, 5, 20], [26, 10, 4, 20], [12, 12, 4, 4], [12, 12, 4, 4]]
    assert first.ignored_box.tolist() == seen
    plain, *_ = planned("white_background", shot)
    assert plain.ignored_row.tolist() == []


def test_a_crop_is_the_box_and_its_ground_truth_all_of_it():
    exposure = speckled([(5.4, 6.6, 20.2, 10.0)], width=60, height=40)
    (layout,) = planned("crop", exposure.shot)
    assert (layout.width_px, layout.height_px) == (21, 10)
    assert layout.box.tolist() == [[0, 0, 21, 10]]
    assert layout.matrix.tolist() == [[1, 0, -5], [0, 1, -7]]
    pixels = drawn("crop", exposure, layout)
    np.testing.assert_array_equal(pixels, exposure.pixels[7:17, 5:26])
    assert not np.may_share_memory(pixels, exposure.pixels)


def test_of_a_box_that_leaves_the_picture_the_part_inside_is_cropped():
    exposure = speckled([(-4, 30, 10, 30)], width=60, height=40)
    (layout,) = planned("crop", exposure.shot)
    assert layout.box.tolist() == [[0, 0, 6, 10]]
    np.testing.assert_array_equal(drawn("crop", exposure, layout), exposure.pixels[30:, :6])


@pytest.mark.parametrize("name", ["crop", "crop_resized"])
def test_crowds_and_objects_without_a_pixel_are_not_cropped(name):
    boxes = [(5, 5, 10, 10), (1, 1, 8, 8), (200, 5, 10, 10), (5, 5, 0, 10)]
    layouts = planned(name, shot_of(boxes, width=60, height=40, crowd=[0]))
    assert [layout.subject for layout in layouts] == [1]


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        ((30, 20), (450, 300)),
        ((20, 31), (300, 465)),
        ((600, 400), (450, 300)),
        ((300, 301), (300, 301)),
        ((1, 1), (300, 300)),
        ((7, 11), (300, 471)),
        ((2, 200), (300, 30_000)),
        # Longer strips keep their aspect, and are as long as is bearable.
        ((1, 400), (75, 30_000)),
        ((100_000, 1), (30_000, 1)),
    ],
)
def test_the_smaller_side_has_300_pixels_and_the_aspect_is_kept(sides, expected):
    assert resized_size(PixelSpan(5, 7, 5 + sides[0], 7 + sides[1])) == expected


def test_a_resized_crop_is_mapped_by_its_sizes():
    exposure = speckled([(10, 4, 7, 11)], width=60, height=40)
    (layout,) = planned("crop_resized", exposure.shot)
    assert (layout.width_px, layout.height_px) == (300, 471)
    corners = np.array([[10, 4, 1], [17, 15, 1]]) @ layout.matrix.T
    np.testing.assert_allclose(corners, [[0, 0], [300, 471]], atol=1e-9)
    assert layout.box.tolist() == [[0, 0, 300, 471]]


def test_a_crop_of_the_wished_size_keeps_its_pixels():
    exposure = speckled([(3, 2, 300, 310)], width=320, height=330)
    (layout,) = planned("crop_resized", exposure.shot)
    np.testing.assert_array_equal(
        drawn("crop_resized", exposure, layout), exposure.pixels[2:312, 3:303]
    )


def test_ignored_neighbours_are_cut_to_what_is_seen_of_them():
    boxes = [(10, 10, 20, 20), (25, 10, 20, 30), (14, 13, 4, 2), (26, 10, 20, 20)]
    first, *_ = planned("crop", shot_of(boxes, width=60, height=40), ignore_neighbours=True)
    assert first.ignored_row.tolist() == [1, 2, 3]
    assert first.ignored_box.tolist() == [[15, 0, 5, 20], [4, 3, 4, 2], [16, 0, 4, 20]]
    boxes[1] = (25, 5, 20, 30)
    boxes[0] = (10, 10, 24, 20)
    first, *_ = planned("crop", shot_of(boxes, width=60, height=40), ignore_neighbours=True)
    assert first.ignored_row.tolist() == [1, 2, 3]
    assert first.ignored_box.tolist() == [[15, 0, 9, 20], [4, 3, 4, 2], [16, 0, 8, 20]]
    resized, *_ = planned(
        "crop_resized", shot_of(boxes, width=60, height=40), ignore_neighbours=True
    )
    np.testing.assert_allclose(resized.ignored_box, 15 * first.ignored_box, atol=1e-9)
