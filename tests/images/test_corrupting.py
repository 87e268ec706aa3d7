"""All corruption families: what they share, and that severities grade them."""

from __future__ import annotations

from collections import Counter

import cv2
import numpy as np
import pytest

from boxlens.errors import ParameterError
from boxlens.images import read_picture
from boxlens.images.corrupting.corruptions import CORRUPTIONS, GROUPS, SEVERITIES, corrupt
from shared_data import shared

NAMES = [
    "gaussian_noise",
    "shot_noise",
    "impulse_noise",
    "speckle_noise",
    "defocus_blur",
    "glass_blur",
    "motion_blur",
    "zoom_blur",
    "snow",
    "frost",
    "fog",
    "spatter",
    "brightness",
    "contrast",
    "elastic_transform",
    "pixelate",
    "jpeg_compression",
    "saturate",
]
# They draw no lots.
FIXED = {
    "defocus_blur",
    "zoom_blur",
    "brightness",
    "contrast",
    "pixelate",
    "jpeg_compression",
    "saturate",
}
# Severities that change the pictures below more and more. Steps left out contradict on many
# photographs; of motion_blur, pixelate and jpeg_compression a few photographs contradict as well.
GROWING = {name: [SEVERITIES] for name in NAMES} | {
    "zoom_blur": [(1, 2), (3, 4), (1, 5)],
    "snow": [(1, 2), (3, 4, 5)],
    "frost": [],
    "fog": [(1, 2)],
    "spatter": [(1, 2, 3), (4, 5)],
    "saturate": [(1, 2), (3, 4, 5)],
}
PHOTOGRAPHS = ("000000005001.jpg", "000000006894.jpg", "000000010764.jpg")


def noise(width: int, height: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def photograph(name: str) -> np.ndarray:
    pixels = read_picture(shared("images", name)).pixels
    return cv2.resize(pixels, (320, 240), interpolation=cv2.INTER_AREA)


def drawn() -> np.ndarray:
    """Disks of all sizes and colours; on noisy ground pixelate and JPEG do not grade strictly."""
    random = np.random.default_rng(3)
    pixels = np.full((240, 320, 3), (60, 90, 120), dtype=np.uint8)
    for radius in np.geomspace(60, 2, 300).astype(int).tolist():
        colour = random.integers(0, 256, 3).tolist()
        place = (int(random.integers(320)), int(random.integers(240)))
        cv2.circle(pixels, place, radius, colour, -1, cv2.LINE_AA)
    return pixels


def mean_changes(image: np.ndarray, name: str) -> list[float]:
    return [float(cv2.absdiff(corrupt(image, name, s), image).mean()) for s in SEVERITIES]


def test_the_published_families_are_all_there_in_order():
    assert list(CORRUPTIONS) == NAMES
    assert SEVERITIES == (1, 2, 3, 4, 5)
    assert [family.name for family in CORRUPTIONS.values()] == NAMES
    assert {family.group for family in CORRUPTIONS.values()} == set(GROUPS)
    groups = [GROUPS.index(family.group) for family in CORRUPTIONS.values()]
    assert groups == sorted(groups)
    main = Counter(family.group for family in CORRUPTIONS.values() if not family.extra)
    assert main == {"noise": 3, "blur": 4, "weather": 4, "digital": 4}
    extras = {name for name, family in CORRUPTIONS.items() if family.extra}
    assert extras == {"speckle_noise", "spatter", "saturate"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [(1, 1), (2, 2), (3, 200), (200, 3), (31, 22)])
def test_any_picture_can_be_corrupted_and_stays_itself(name, size):
    grey = noise(*size)[..., [0, 0, 0]]
    for image in (noise(*size), grey, np.zeros_like(grey), np.full_like(grey, 255)):
        before = image.copy()
        image.flags.writeable = False
        assert corrupt(image, name, 0) is image
        for severity in SEVERITIES:
            found = corrupt(image, name, severity)
            assert found.dtype == np.uint8
            assert found.shape == image.shape
            assert found.flags.c_contiguous
            assert found.flags.writeable
            assert not np.shares_memory(found, image)
        np.testing.assert_array_equal(image, before)


@pytest.mark.parametrize("name", NAMES)
def test_seed_and_key_tell_the_draw(name):
    image = cv2.GaussianBlur(noise(90, 70), (0, 0), 2)
    image = cv2.normalize(image, None, 0, 255, cv2.NORM_MINMAX)
    for severity in (2, 5):
        first = corrupt(image, name, severity, seed=3, key="a")
        corrupt(image, name, 1, seed=4, key="b")
        again = corrupt(image.copy(), name, severity, seed=3, key="a")
        np.testing.assert_array_equal(first, again)
        for other in ({"seed": 3, "key": "b"}, {"seed": 4, "key": "a"}):
            same = np.array_equal(first, corrupt(image, name, severity, **other))
            assert same == (name in FIXED)


@pytest.mark.parametrize("name", NAMES)
def test_a_view_is_corrupted_like_a_copy(name):
    image = noise(40, 30)
    view = image[::-1, ::-1]
    np.testing.assert_array_equal(corrupt(view, name, 3), corrupt(view.copy(), name, 3))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("picture", ["drawn", *PHOTOGRAPHS])
def test_a_higher_severity_changes_a_picture_more(name, picture):
    image = drawn() if picture == "drawn" else photograph(picture)
    changes = mean_changes(image, name)
    assert changes[0] > 0
    for severities in GROWING[name]:
        run = [changes[severity - 1] for severity in severities]
        assert run == sorted(set(run)), severities


@pytest.mark.parametrize(("name", "runs"), [("frost", [SEVERITIES]), ("fog", [(1, 2, 3), (4, 5)])])
@pytest.mark.parametrize("picture", PHOTOGRAPHS)
def test_less_of_the_picture_shows_through_frost_and_fog(name, runs, picture):
    image = photograph(picture)
    shown = [
        np.corrcoef(image.reshape(-1), corrupt(image, name, severity).reshape(-1))[0, 1]
        for severity in SEVERITIES
    ]
    for severities in runs:
        run = [shown[severity - 1] for severity in severities]
        assert run == sorted(set(run), reverse=True), severities


@pytest.mark.parametrize("severity", [-1, 6, 2.5, float("nan")])
def test_only_severities_from_0_to_5_are_legal(severity):
    with pytest.raises(ParameterError, match="severity of fog must be 0 to 5"):
        corrupt(noise(4, 4), "fog", severity)


def test_an_unknown_name_is_answered_with_all_names():
    with pytest.raises(ParameterError) as problem:
        corrupt(noise(4, 4), "rain", 0)
    assert all(name in str(problem.value) for name in [*NAMES, "rain"])


def test_a_negative_seed_is_refused():
    with pytest.raises(ParameterError, match="seed"):
        corrupt(noise(4, 4), "fog", 1, seed=-1)
