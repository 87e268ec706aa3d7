"""The six perturbations: what changes, by how much, and where a drawn object lies afterwards."""

from __future__ import annotations

import colorsys
import math

import cv2
import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.images.box_maps import inverted
from boxlens.images.perturbing.families import FAMILIES, FAMILY_NAMES, LOSSLESS
from boxlens.images.perturbing.moving import kept_share, shared_crop
from boxlens.images.perturbing.perturb import perturb, reference

LEVELS = [(family, level) for family in FAMILY_NAMES for level in FAMILIES[family].levels]
OBJECT = (48.0, 38.0, 60.0, 50.0)
WIDTH, HEIGHT = 160, 120


def noise(width: int, height: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def drawn() -> np.ndarray:
    pixels = np.full((HEIGHT, WIDTH, 3), (30, 35, 50), dtype=np.uint8)
    x, y, w, h = (int(value) for value in OBJECT)
    pixels[y : y + h, x : x + w] = (230, 225, 215)
    return pixels


def test_the_published_levels_are_all_there():
    counts = {family: len(FAMILIES[family].levels) for family in FAMILY_NAMES}
    assert counts == {
        "scale": 17,
        "jpeg": 8,
        "rotation": 13,
        "brightness": 9,
        "blur": 9,
        "salt_pepper": 5,
    }
    for family in FAMILIES.values():
        assert list(family.levels) == sorted(set(family.levels))
        assert set(family.unchanged) | set(family.plotted) <= set(family.levels)
    assert FAMILIES["scale"].levels[0] == 0.5
    assert FAMILIES["scale"].levels[-1] == 2
    assert FAMILIES["blur"].plotted == (0, 1, 2, 3, 4, 8)


def test_levels_are_spelled_as_they_stand_at_an_axis():
    said = {
        family: [FAMILIES[family].label(level) for level in FAMILIES[family].levels]
        for family in FAMILY_NAMES
    }
    assert said["scale"][:2] == ["0.50 x", "0.57 x"]
    assert said["jpeg"][-2:] == ["100", "lossless"]
    assert said["rotation"][0] == "-20 deg"
    assert said["brightness"][0] == "50%"
    assert said["salt_pepper"][-1] == "1,000 px"
    assert [len(set(labels)) for labels in said.values()] == [len(x) for x in said.values()]
    assert [FAMILIES["salt_pepper"].position(n) for n in (0, 1, 100)] == [-1, 0, 2]


@pytest.mark.parametrize("family", FAMILY_NAMES)
@pytest.mark.parametrize("size", [(1, 1), (2, 2), (3, 200), (200, 3), (31, 22)])
def test_any_picture_can_be_perturbed_and_stays_itself(family, size):
    image = noise(*size)
    before = image.copy()
    image.flags.writeable = False
    original = reference(image, family)
    for level in FAMILIES[family].levels:
        found = perturb(image, family, level)
        assert found.pixels.dtype == np.uint8
        assert found.pixels.ndim == 3
        assert min(found.pixels.shape) >= 1
        assert found.matrix.shape == (2, 3)
        if not FAMILIES[family].changes(level):
            np.testing.assert_array_equal(found.pixels, original)
            np.testing.assert_array_equal(found.matrix, np.eye(2, 3))
    np.testing.assert_array_equal(image, before)


@pytest.mark.parametrize(("family", "level"), LEVELS)
def test_a_drawn_object_lies_where_the_map_says(family, level):
    original, found = reference(drawn(), family), perturb(drawn(), family, level)
    grey = found.pixels.mean(axis=2)
    mask = (grey > (grey.min() + grey.max()) / 2).astype(np.uint8)
    if family == "salt_pepper":
        mask = cv2.medianBlur(mask, 5)
    rows, columns = np.nonzero(mask)
    crop = shared_crop(WIDTH, HEIGHT) if family == "rotation" else (0, 0)
    x, y, w, h = OBJECT[0] - crop[0], OBJECT[1] - crop[1], *OBJECT[2:]
    assert original[int(y) + 1, int(x) + 1].mean() > 200
    corners = np.array([[x, y, 1], [x + w, y, 1], [x + w, y + h, 1], [x, y + h, 1]])
    expected = corners @ found.matrix.T
    centre = [columns.mean() + 0.5, rows.mean() + 0.5]
    np.testing.assert_allclose(centre, expected.mean(axis=0), atol=0.4)
    tolerance = 2 if family in {"blur", "jpeg"} else 1.1
    np.testing.assert_allclose([columns.min(), rows.min()], expected.min(axis=0), atol=tolerance)
    largest = [columns.max() + 1, rows.max() + 1]
    np.testing.assert_allclose(largest, expected.max(axis=0), atol=tolerance)


@pytest.mark.parametrize("aspect", [1.0, 4 / 3, 0.5, 7.0])
@pytest.mark.parametrize("angle", [0.5, 5, 20, -20])
def test_the_crop_ends_where_diagonals_meet_the_turned_border(aspect, angle):
    """Walks along both diagonals from the centre until the turned picture ends."""
    turn = math.radians(angle)
    shares = []
    for sign in (-1, 1):
        share = 0.0
        while True:
            x, y = share * aspect, sign * share
            back = (
                x * math.cos(turn) - y * math.sin(turn),
                x * math.sin(turn) + y * math.cos(turn),
            )
            if abs(back[0]) > aspect or abs(back[1]) > 1:
                break
            share += 1e-4
        shares.append(share)
    assert kept_share(aspect, angle) == pytest.approx(min(shares), abs=2e-4)


@pytest.mark.parametrize("size", [(640, 480), (481, 333), (100, 100), (77, 200)])
def test_the_crop_is_centred_inside_the_turned_picture_and_as_large_as_can_be(size):
    width, height = size
    x1, y1, x2, y2 = shared_crop(width, height)
    assert (x1 + x2, y1 + y2) == (width, height)
    assert (x2 - x1) / (y2 - y1) == pytest.approx(width / height, rel=0.03)
    image = noise(width, height)
    whole = np.array([[0, 0, 1], [x2 - x1, 0, 1], [x2 - x1, y2 - y1, 1], [0, y2 - y1, 1]])
    grown = whole + np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    for angle in (-20, 20):
        back = inverted(perturb(image, "rotation", angle).matrix)
        for corners, fits in ((whole, True), (grown, False)):
            there = corners @ back.T + [x1, y1]
            within = (there >= -1e-9).all() and (there <= [width + 1e-9, height + 1e-9]).all()
            assert within == fits


def test_a_rotation_is_counter_clockwise():
    image = np.zeros((100, 100, 3), dtype=np.uint8)
    image[47:53, 75:81] = 255  # right of the centre: it goes up
    rows, _ = np.nonzero(perturb(image, "rotation", 20).pixels.max(axis=2) > 128)
    assert rows.mean() < (reference(image, "rotation").shape[0]) / 2 - 5


@pytest.mark.parametrize(
    ("side", "factor", "expected"), [(100, 1.1, 110), (101, 0.5, 51), (1, 0.5, 1)]
)
def test_sides_are_rounded_up_and_never_vanish(side, factor, expected):
    found = perturb(noise(side, side), "scale", factor)
    assert found.pixels.shape[:2] == (expected, expected)
    assert found.matrix[0, 0] == expected / side


def test_scaling_down_smooths_first():
    board = np.indices((40, 60)).sum(axis=0) % 2 * 255
    image = np.repeat(board[..., None], 3, axis=2).astype(np.uint8)
    inner = perturb(image, "scale", 0.5).pixels[2:-2, 2:-2].astype(int)
    assert np.abs(inner - 127.5).max() < 3


def test_jpeg_comes_nearer_with_quality_and_is_lossless_only_without():
    # Grey: of colours JPEG keeps half the resolution at any quality.
    image = cv2.GaussianBlur(noise(64, 48), (0, 0), 1.5)[..., [0, 0, 0]]
    levels = FAMILIES["jpeg"].levels
    errors = [np.abs(perturb(image, "jpeg", q).pixels.astype(int) - image).mean() for q in levels]
    assert errors == sorted(errors, reverse=True)
    assert errors[levels.index(100.0)] > 0
    assert errors[levels.index(LOSSLESS)] == 0


@pytest.mark.parametrize("factor", [0.5, 0.99, 1.3, 0.0])
def test_brightness_scales_the_value_of_hsv_alone(factor):
    image = noise(16, 12)
    image[0, 0], image[0, 1] = 0, 255
    found = perturb(image, "brightness", factor).pixels.reshape(-1, 3)
    for before, after in zip(image.reshape(-1, 3).tolist(), found.tolist(), strict=True):
        hue, saturation, value = colorsys.rgb_to_hsv(*(channel / 255 for channel in before))
        expected = colorsys.hsv_to_rgb(hue, saturation, min(value * factor, 1))
        np.testing.assert_allclose(after, [255 * channel for channel in expected], atol=0.5001)


@pytest.mark.parametrize("sigma", [0.2, 1, 3])
def test_blur_is_a_gaussian_with_the_picture_mirrored_at_its_border(sigma):
    image = noise(30, 20)
    reach = math.ceil(20 * sigma) // 2
    kernel = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * sigma**2))
    kernel /= kernel.sum()
    smooth = np.pad(image.astype(float), ((reach, reach), (reach, reach), (0, 0)), mode="symmetric")
    for axis in (0, 1):
        smooth = np.apply_along_axis(np.convolve, axis, smooth, kernel, "valid")
    np.testing.assert_allclose(perturb(image, "blur", sigma).pixels, smooth, atol=0.51)


@pytest.mark.parametrize("n", [1, 10, 100, 1000])
def test_salt_and_pepper_changes_so_many_distinct_pixels(n):
    image = noise(50, 40)
    found = perturb(image, "salt_pepper", n).pixels
    changed = (found != image).any(axis=2)
    assert changed.sum() == n
    grey = np.rint(image[changed] @ [0.2989, 0.587, 0.114])
    np.testing.assert_array_equal(
        found[changed], np.where(grey < 128, 255, 0)[:, None].repeat(3, 1)
    )


def test_a_picture_of_fewer_pixels_is_changed_everywhere():
    image = noise(5, 4)
    assert (perturb(image, "salt_pepper", 1000).pixels != image).any(axis=2).all()


def test_the_sum_of_the_picture_tells_which_pixels_are_changed():
    image = np.full((30, 40, 3), 90, dtype=np.uint8)
    same_sum, other_sum = image.copy(), image.copy()
    same_sum[0, 0, 0], same_sum[29, 39, 2] = 91, 89
    other_sum[0, 0, 0] = 91

    def places(pixels: np.ndarray, seed: int = 0) -> list[int]:
        found = perturb(pixels, "salt_pepper", 10, seed=seed).pixels
        return np.flatnonzero((found != pixels).any(axis=2)).tolist()

    assert places(image) == places(image) == places(same_sum)
    assert places(image) != places(other_sum)
    assert places(image) != places(image, seed=1)


@pytest.mark.parametrize(
    ("family", "level"),
    [
        ("fog", 1),
        ("scale", 0),
        ("scale", math.nan),
        ("jpeg", 0),
        ("jpeg", 50.5),
        ("rotation", 21),
        ("brightness", -1),
        ("blur", 0.05),
        ("salt_pepper", 1.5),
    ],
)
def test_levels_that_cannot_be_meant_are_refused(family, level):
    with pytest.raises(ParameterError, match=family):
        perturb(noise(8, 8), family, level)
