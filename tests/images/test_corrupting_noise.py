"""Noise families against the laws they are drawn from."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from boxlens.images.corrupting.corruptions import SEVERITIES, corrupt
from boxlens.images.corrupting.noise import (
    GAUSSIAN_DEVIATIONS,
    IMPULSE_SHARES,
    SHOT_PHOTONS,
    SPECKLE_DEVIATIONS,
)

N_DRAWN = 400_000


def plain(value: int) -> np.ndarray:
    return np.full((240, 320, 3), value, dtype=np.uint8)


def slowly(name: str, value: int, severity: int) -> np.ndarray:
    """The published formula on many draws of one value, rounded to 8 bits."""
    random, share = np.random.default_rng(1), value / 255
    match name:
        case "gaussian_noise":
            drawn = share + random.normal(0, GAUSSIAN_DEVIATIONS[severity - 1], N_DRAWN)
        case "speckle_noise":
            drawn = share + share * random.normal(0, SPECKLE_DEVIATIONS[severity - 1], N_DRAWN)
        case _:
            photons = SHOT_PHOTONS[severity - 1]
            drawn = random.poisson(share * photons, N_DRAWN) / photons
    return np.rint(255 * drawn.clip(0, 1))


@pytest.mark.parametrize("name", ["gaussian_noise", "shot_noise", "speckle_noise"])
@pytest.mark.parametrize("severity", [1, 3, 5])
@pytest.mark.parametrize("value", [10, 90, 240])
def test_channels_follow_the_published_law(name, severity, value):
    found = corrupt(plain(value), name, severity).reshape(-1).astype(float)
    expected = slowly(name, value, severity)
    # Five standard errors of the difference of two means, and of two variances of heavy laws.
    error = expected.std() * np.sqrt(1 / found.size + 1 / N_DRAWN)
    assert found.mean() == pytest.approx(expected.mean(), abs=5 * error)
    assert found.std() == pytest.approx(expected.std(), rel=0.02)
    levels = np.arange(0, 256, 5)
    below = [np.searchsorted(np.sort(values), levels) / values.size for values in (found, expected)]
    np.testing.assert_allclose(*below, atol=0.005)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_shot_noise_has_the_mean_and_variance_of_photons(severity):
    value = 30
    found = corrupt(plain(value), "shot_noise", severity).reshape(-1).astype(float)
    assert found.mean() == pytest.approx(value, rel=0.02)
    assert found.var() == pytest.approx(value * 255 / SHOT_PHOTONS[severity - 1], rel=0.02)


@pytest.mark.parametrize("severity", [1, 2])
def test_gaussian_noise_has_its_variance_and_speckle_noise_grows_with_the_value(severity):
    sigma = 255 * GAUSSIAN_DEVIATIONS[severity - 1]
    assert corrupt(plain(128), "gaussian_noise", severity).std() == pytest.approx(sigma, rel=0.01)
    for value in (40, 80, 120):
        spread = corrupt(plain(value), "speckle_noise", severity).std()
        assert spread == pytest.approx(value * SPECKLE_DEVIATIONS[severity - 1], rel=0.02)
    assert not corrupt(plain(0), "speckle_noise", severity).any()


@pytest.mark.parametrize("severity", SEVERITIES)
def test_impulse_noise_blackens_and_whitens_half_of_its_share_each(severity):
    found = corrupt(plain(100), "impulse_noise", severity)
    half = IMPULSE_SHARES[severity - 1] / 2
    assert set(np.unique(found)) == {0, 100, 255}
    for channel in range(3):
        for value in (0, 255):
            assert (found[..., channel] == value).mean() == pytest.approx(half, abs=0.004)


def test_impulses_of_a_severity_are_among_those_of_the_next():
    image = plain(100)
    noisy = [corrupt(image, "impulse_noise", severity) for severity in SEVERITIES]
    for fewer, more in pairwise(noisy):
        changed = fewer != image
        np.testing.assert_array_equal(fewer[changed], more[changed])


@pytest.mark.parametrize("name", ["gaussian_noise", "shot_noise", "speckle_noise"])
def test_severities_share_their_draw(name):
    """Of the Poisson law only roughly: its median steps."""
    one, five = (corrupt(plain(120), name, s).astype(int) - 120 for s in (1, 5))
    assert np.corrcoef(one.reshape(-1), five.reshape(-1))[0, 1] > 0.9


@pytest.mark.parametrize("name", ["gaussian_noise", "shot_noise", "impulse_noise", "speckle_noise"])
def test_channels_and_neighbours_are_drawn_apart(name):
    found = corrupt(plain(120), name, 2).astype(float) - 120
    red, green = found[..., 0], found[..., 1]
    pairs = ((red, green), (red[1:], red[:-1]), (red[:, 1:], red[:, :-1]))
    for a, b in pairs:
        assert abs(np.corrcoef(a.reshape(-1), b.reshape(-1))[0, 1]) < 0.02
