"""Blur, weather and digital families against slow formulas, and what each must do to a picture."""

from __future__ import annotations

import colorsys
import zlib
from io import BytesIO

import cv2
import numpy as np
import pytest
from PIL import Image

from boxlens.images.corrupting.blurs import (
    DEFOCUS_DISKS,
    MOTION_STREAKS,
    PANES,
    ZOOMS,
    _walks,
    disk,
    streak,
)
from boxlens.images.corrupting.colours import BRIGHTNESS_ADDED, CONTRAST_LEFT, SATURATIONS
from boxlens.images.corrupting.corruptions import SEVERITIES, corrupt
from boxlens.images.corrupting.digital import (
    ELASTIC_GAINS,
    JPEG_QUALITIES,
    PIXELATE_SCALES,
    _field,
    largest_shift_px,
)
from boxlens.images.corrupting.weather import FOGS, FROSTS, MUD, SNOWS, SPATTERS, plasma

ALL = pytest.mark.parametrize("severity", SEVERITIES)


def noise(width: int, height: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def smooth_noise(width: int, height: int) -> np.ndarray:
    soft = cv2.GaussianBlur(noise(width, height), (0, 0), 3)
    return cv2.normalize(soft, None, 0, 255, cv2.NORM_MINMAX)


def black(width: int = 120, height: int = 90) -> np.ndarray:
    return np.zeros((height, width, 3), dtype=np.uint8)


def centre_of_light(pixels: np.ndarray) -> np.ndarray:
    rows, columns = np.indices(pixels.shape[:2])
    light = pixels.astype(float).mean(axis=2)
    return np.array([(columns * light).sum(), (rows * light).sum()]) / light.sum()


def through_hsv(image: np.ndarray, change) -> np.ndarray:
    pixels = [
        colorsys.hsv_to_rgb(*change(*colorsys.rgb_to_hsv(*pixel)))
        for pixel in (image.reshape(-1, 3) / 255).tolist()
    ]
    return 255 * np.array(pixels).reshape(image.shape)


def with_greys() -> np.ndarray:
    image = noise(24, 16)
    image[0] = np.linspace(0, 255, 24).astype(np.uint8)[:, None]
    image[1] //= 60
    return image


@ALL
def test_brightness_adds_to_the_value_of_hsv_alone(severity):
    added = BRIGHTNESS_ADDED[severity - 1]
    expected = through_hsv(with_greys(), lambda h, s, v: (h, s, min(v + added, 1)))
    np.testing.assert_allclose(corrupt(with_greys(), "brightness", severity), expected, atol=0.501)


@ALL
def test_saturate_changes_the_saturation_of_hsv_alone(severity):
    factor, added = SATURATIONS[severity - 1]
    expected = through_hsv(with_greys(), lambda h, s, v: (h, min(s * factor + added, 1), v))
    np.testing.assert_allclose(corrupt(with_greys(), "saturate", severity), expected, atol=0.501)


@ALL
def test_contrast_draws_each_channel_to_its_mean(severity):
    image = smooth_noise(40, 30)
    means = image.mean(axis=(0, 1), keepdims=True)
    expected = (image - means) * CONTRAST_LEFT[severity - 1] + means
    np.testing.assert_allclose(corrupt(image, "contrast", severity), expected, atol=0.501)


@ALL
def test_jpeg_is_that_of_pillow(severity):
    image, file = smooth_noise(61, 43), BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=JPEG_QUALITIES[severity - 1])
    with Image.open(file) as again:
        np.testing.assert_array_equal(corrupt(image, "jpeg_compression", severity), again)


@ALL
@pytest.mark.parametrize("size", [(80, 60), (61, 43)])
def test_pixelate_shows_means_of_boxes(severity, size):
    image = noise(*size)
    small = tuple(int(side * PIXELATE_SCALES[severity - 1]) for side in size)
    means = Image.fromarray(image).resize(small, Image.Resampling.BOX)
    expected = np.asarray(means.resize(size, Image.Resampling.NEAREST)).astype(int)
    found = corrupt(image, "pixelate", severity)
    # Pillow's box has whole pixels only; where boxes do not end between pixels ours weighs shares.
    if all(side % shrunk == 0 for side, shrunk in zip(size, small, strict=True)):
        np.testing.assert_allclose(found, expected, atol=1)
    assert len(np.unique(found.reshape(-1, 3), axis=0)) <= small[0] * small[1]
    edges = (found[:, 1:] != found[:, :-1]).any(axis=(0, 2))
    np.testing.assert_array_equal(edges, (expected[:, 1:] != expected[:, :-1]).any(axis=(0, 2)))


@ALL
def test_defocus_spreads_a_point_over_a_disk(severity):
    radius, _ = DEFOCUS_DISKS[severity - 1]
    kernel = disk(*DEFOCUS_DISKS[severity - 1])
    assert kernel.sum() == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(kernel, kernel[::-1, ::-1].T, atol=1e-9)
    rows, columns = np.indices(kernel.shape) - len(kernel) // 2
    away = np.hypot(rows, columns)
    flat = kernel[away <= radius - 2]
    assert np.ptp(flat) < 1e-4 * flat.max()
    assert 1 / flat.max() == pytest.approx(np.pi * radius**2, rel=0.1)
    assert kernel[away > radius + 2].max(initial=0) < 1e-6
    image = noise(60, 50)
    found = corrupt(image, "defocus_blur", severity)
    row, column, reach = 25, 30, len(kernel) // 2
    around = image[row - reach : row + reach + 1, column - reach : column + reach + 1]
    expected = (around * kernel[..., None]).sum(axis=(0, 1))
    np.testing.assert_allclose(found[row, column], expected, atol=0.51)


@ALL
@pytest.mark.parametrize("angle", [-45, -10, 0, 33, -90, -130])
def test_a_streak_is_half_a_gaussian_about_its_centre_of_mass(severity, angle):
    radius, sigma = MOTION_STREAKS[severity - 1]
    kernel, (row, column) = streak(radius, sigma, angle)
    assert kernel.sum() == pytest.approx(1, abs=1e-6)
    rows, columns = np.indices(kernel.shape)
    assert abs((kernel * rows).sum() - row) <= 0.5 + 1e-5
    assert abs((kernel * columns).sum() - column) <= 0.5 + 1e-5
    steps = np.arange(2 * radius + 1)
    weights = np.exp(-(steps**2) / (2 * sigma**2))
    weights /= weights.sum()
    turn = np.radians(angle)
    along = columns * np.cos(turn) - rows * np.sin(turn)
    across = columns * np.sin(turn) + rows * np.cos(turn)
    spread = np.sqrt(np.cov(steps, aweights=weights, ddof=0))
    assert np.sqrt(np.cov(along.ravel(), aweights=kernel.ravel(), ddof=0)) == pytest.approx(
        spread, abs=0.2
    )
    assert np.sqrt(np.cov(across.ravel(), aweights=kernel.ravel(), ddof=0)) < 0.5
    if angle == 0:
        np.testing.assert_allclose(kernel[0], weights, rtol=1e-5)


@ALL
def test_zoom_blur_is_the_mean_of_zooms(severity):
    image = smooth_noise(60, 44)
    step, n = ZOOMS[severity - 1]
    layers = [image.astype(float)]
    for zoom in 1 + step * np.arange(n):
        width, height = (int(np.ceil(side / zoom)) for side in (60, 44))
        left, top = (60 - width) // 2, (44 - height) // 2
        inner = Image.fromarray(image[top : top + height, left : left + width])
        layers.append(np.asarray(inner.resize((60, 44), Image.Resampling.BILINEAR), dtype=float))
    assert 1 + step * (n - 1) == pytest.approx((1.11, 1.15, 1.2, 1.24, 1.3)[severity - 1])
    found = corrupt(image, "zoom_blur", severity)
    np.testing.assert_allclose(found, np.mean(layers, axis=0), atol=1.3)


@ALL
def test_glass_shows_pixels_from_near_places(severity):
    sigma, step, rounds = PANES[severity - 1]
    law = _walks(step, rounds)
    assert law.mean() == pytest.approx(0, abs=1e-3)
    assert law.var() == pytest.approx(rounds * step * (step + 1) / 3, rel=1e-3)
    assert abs(law).max() == step * rounds
    image = black()
    image[40:50, 55:65] = 255
    found = corrupt(image, "glass_blur", severity)
    reach = step * rounds + 2 * round(4 * sigma)
    rows, columns = np.nonzero(found.any(axis=2))
    assert rows.min() >= 40 - reach
    assert rows.max() <= 49 + reach
    assert columns.min() >= 55 - reach
    assert columns.max() <= 64 + reach
    assert found.mean() == pytest.approx(image.mean(), rel=0.25)


@ALL
@pytest.mark.parametrize(
    "name", ["defocus_blur", "glass_blur", "motion_blur", "zoom_blur", "pixelate"]
)
def test_an_object_in_the_middle_stays_where_it_is(name, severity):
    image = black()
    image[30:60, 40:80] = 255
    for key in ("a", "b", "c"):
        moved = centre_of_light(corrupt(image, name, severity, key=key)) - [59.5, 44.5]
        assert abs(moved).max() <= 0.75


@ALL
def test_elastic_moves_pixels_by_little(severity):
    """Each channel holds a coordinate, so that colours tell where pixels come from."""
    image = black(240, 180)
    image[..., 0] = np.arange(240)
    image[..., 1] = np.arange(180)[:, None]
    limit = largest_shift_px(240, 180, severity)
    found = corrupt(image, "elastic_transform", severity).astype(float)
    away = (found - image)[20:-20, 20:-20, :2]
    assert abs(away).max() <= limit + 1
    assert away.std() == pytest.approx(limit / 4, rel=0.15)
    assert limit / 4 == pytest.approx(0.0814 * ELASTIC_GAINS[severity - 1] * 0.75**0.5, rel=0.05)


@pytest.mark.parametrize("size", [(300, 300), (799, 799), (1300, 900), (1650, 1610)])
def test_a_coarser_elastic_field_has_the_same_law(size):
    spread = _field(*size, np.random.default_rng(0)).std()
    assert spread == pytest.approx(largest_shift_px(*size, 1) / 4 / ELASTIC_GAINS[0], rel=0.06)


@ALL
def test_fog_is_a_cloud_and_what_is_left_of_the_picture(severity):
    image = smooth_noise(90, 70) // 2
    thickness, decay = FOGS[severity - 1]
    random = np.random.default_rng([7, zlib.crc32(b"fog/a")])
    cloud = plasma(70, 90, decay, random)[..., None]
    lightest = image.max() / 255
    expected = 255 * (image / 255 + thickness * cloud) * lightest / (lightest + thickness)
    found = corrupt(image, "fog", severity, seed=7, key="a")
    np.testing.assert_allclose(found, expected, atol=0.51)
    assert found.max() <= image.max()


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (64, 64), (65, 130)])
def test_plasma_spans_0_to_1_and_is_rougher_with_less_decay(size):
    fields = [plasma(*size, decay, np.random.default_rng(2)) for decay in (3, 2, 1.4)]
    if size == (1, 1):
        assert [field.item() for field in fields] == [0.5] * 3
        return
    assert {(field.shape, field.min(), field.max()) for field in fields} == {(size, 0, 1)}
    roughness = [abs(np.diff(field, axis=1)).mean() for field in fields]
    assert roughness == sorted(roughness)


@ALL
def test_snow_lightens_everything(severity):
    image = smooth_noise(120, 90)
    assert (corrupt(image, "snow", severity) >= image).all()
    on_black = corrupt(black(), "snow", severity)
    assert np.ptp(on_black, axis=2).max() == 0
    veil = 127.5 * (1 - SNOWS[severity - 1].clear)
    assert on_black.min() == pytest.approx(veil, abs=25)
    assert on_black.max() > 150


@ALL
def test_frost_is_bluish_ice_over_part_of_the_picture(severity):
    left, added = FROSTS[severity - 1]
    ice = corrupt(black(320, 240), "frost", severity).astype(float)
    assert (ice[..., 2] >= ice[..., 0]).all()
    assert 0.25 < ice.mean() / (255 * added) < 0.6
    assert ice.std() / ice.mean() > 0.3
    grey = np.full((240, 320, 3), 60, dtype=np.uint8)
    expected = np.minimum(ice + 60 * left, 255)
    np.testing.assert_allclose(corrupt(grey, "frost", severity), expected, atol=1)


@ALL
def test_spatter_is_light_water_or_brown_mud_on_part_of_the_picture(severity):
    grey = np.full((240, 320, 3), 120, dtype=np.uint8)
    found = corrupt(grey, "spatter", severity)
    hit = (found != grey).any(axis=2)
    assert 0.005 < hit.mean() < 0.5
    if SPATTERS[severity - 1].muddy:
        assert (found <= grey).all()
        assert (abs(found[hit] - np.array(MUD, dtype=float)) <= 0.2 * 120 + 1).all()
    else:
        assert (found >= grey).all()
        assert (found[hit][:, 1] >= found[hit][:, 0]).all()
