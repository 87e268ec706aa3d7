"""Detectors that are trained find what they were trained on, and always the same."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.detectors import Detector
from boxlens.detectors.region_training import train_regions
from boxlens.detectors.window_training import train_windows
from small_world import assert_same_tables
from toy_pictures import ap50, shuffled_toy_set, toy_set

TRAIN = {"window": train_windows, "region": train_regions}


def learnt(detector):
    """All that it has learnt."""
    return detector.templates if hasattr(detector, "templates") else detector.model


@pytest.fixture(scope="module", params=TRAIN)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def trained(kind):
    return TRAIN[kind](*toy_set(24, seed=1), seed=4)


def test_it_finds_in_new_pictures_what_it_was_trained_on(trained):
    assert isinstance(trained, Detector)
    assert ap50(trained) > 0.9


def test_shuffled_labels_teach_it_nothing_of_the_kind(kind):
    assert ap50(TRAIN[kind](*shuffled_toy_set(), seed=4)) < 0.75


def test_the_number_of_workers_and_the_run_do_not_matter(kind, trained):
    again = TRAIN[kind](*toy_set(24, seed=1), seed=4, workers=2)
    assert_same_tables(learnt(trained), learnt(again))
    assert getattr(trained, "finest", None) == getattr(again, "finest", None)


def test_batches_do_not_matter(trained):
    pictures, _ = toy_set(5, seed=6)
    together = trained.detect(pictures)
    for row, pixels in enumerate(pictures):
        alone = trained.detect([pixels])
        here = together.image_row == row
        np.testing.assert_array_equal(together.box[here], alone.box)
        np.testing.assert_array_equal(together.score[here], alone.score)
        np.testing.assert_array_equal(together.class_row[here], alone.class_row)
    assert trained.detect([]).n_images == 0


@pytest.mark.parametrize(("height", "width"), [(1, 1), (5, 300), (20, 20), (400, 17), (900, 9)])
def test_tiny_and_plain_pictures_do_not_matter(trained, height: int, width: int):
    random = np.random.RandomState(0)
    pixels = random.randint(0, 256, (height, width, 3), dtype=np.uint8)
    found = trained.detect([pixels, np.zeros_like(pixels)])
    assert found.n_images == 2
    assert (found.box[:, 2:] <= [width, height]).all()
