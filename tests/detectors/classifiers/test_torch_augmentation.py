"""Augmented crops: decided by seed, epoch and row alone, and within the bounds that are stated."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from boxlens.detectors.classifiers.torch.augmentation import augmented, colour_matrix
from boxlens.detectors.classifiers.torch.crop_cache import cut_crops
from boxlens.detectors.classifiers.torch.training_data import TrainingData
from detectors.classifiers.torch_toys import QUICK, toy_crops

PLAIN = {"brightness": 1.0, "contrast": 1.0, "saturation": 1.0, "hue": 0.0, "mean_grey": 90.0}


def picture() -> np.ndarray:
    return np.random.RandomState(0).randint(0, 256, (24, 24, 3)).astype(np.uint8)


def test_seed_epoch_and_row_decide_and_nothing_else():
    square = picture()
    before = square.copy()
    first = augmented(square, seed=1, epoch=2, row=3)
    np.random.seed(0)
    assert (augmented(square, seed=1, epoch=2, row=3) == first).all()
    for other in ((2, 2, 3), (1, 3, 3), (1, 2, 4)):
        again = augmented(square, **dict(zip(("seed", "epoch", "row"), other, strict=True)))
        assert (again != first).any()
    assert (square == before).all()
    assert first.dtype == np.uint8
    assert first.shape == square.shape


@pytest.mark.parametrize("workers", [1, 3])
def test_the_number_of_workers_does_not_matter(tmp_path, workers):
    crops = toy_crops(4)
    data = TrainingData.of(cut_crops(crops, 16, tmp_path), crops.dataset, QUICK)
    with ThreadPoolExecutor(workers) as pool:
        shown = data.squares(data.train, 2, pool)
    for row, square in zip(data.train.tolist(), shown, strict=True):
        object_row = int(data.cache.object_row[row])
        expected = augmented(data.cache.squares[row], seed=0, epoch=2, row=object_row)
        assert (square == expected).all()


def test_without_augmentation_crops_stay_as_they_are(tmp_path):
    crops = toy_crops(3)
    choice = replace(QUICK, augment=False)
    data = TrainingData.of(cut_crops(crops, 16, tmp_path), crops.dataset, choice)
    with ThreadPoolExecutor(1) as pool:
        shown = np.stack(data.squares(data.train, 1, pool))
    assert (shown == data.cache.squares[data.train]).all()


def test_half_of_the_crops_are_flipped():
    square = np.zeros((16, 16, 3), dtype=np.uint8)
    square[:, 8:] = 200
    flipped = [
        augmented(square, seed=0, epoch=1, row=row)[:, :4].mean() > 100 for row in range(600)
    ]
    assert 0.44 < np.mean(flipped) < 0.56


def test_rotation_stays_within_ten_degrees_and_mirrors_the_border():
    square = np.full((65, 65, 3), 100, dtype=np.uint8)
    square[32] = 200
    angles = []
    for row in range(60):
        shown = augmented(square, seed=0, epoch=1, row=row)
        # Grey stays grey, and no corner is filled with black.
        assert shown.min() >= 100 * 0.8 * 0.9 - 2
        line = shown[:, [4, 60], 1].astype(int).argmax(axis=0)
        angles.append(np.degrees(np.arctan2(line[1] - line[0], 56)))
    assert 7 < np.max(angles) < 11
    assert -11 < np.min(angles) < -7


def test_a_jitter_of_nothing_changes_nothing():
    assert colour_matrix(**PLAIN) == pytest.approx(np.eye(3, 4), abs=1e-12)


@pytest.mark.parametrize("change", [{"saturation": 0.8}, {"saturation": 1.2}, {"hue": 0.02}])
def test_saturation_and_hue_leave_greys_alone(change):
    grey = np.array([70.0, 70.0, 70.0, 1.0])
    assert colour_matrix(**{**PLAIN, **change}) @ grey == pytest.approx(grey[:3])


def test_brightness_is_a_factor_and_contrast_turns_about_the_mean():
    colour = np.array([20.0, 100.0, 200.0, 1.0])
    brighter = colour_matrix(**{**PLAIN, "brightness": 1.2}) @ colour
    assert brighter == pytest.approx(1.2 * colour[:3])
    flatter = colour_matrix(**{**PLAIN, "contrast": 0.8}) @ colour
    assert flatter == pytest.approx(90 + 0.8 * (colour[:3] - 90))


def test_a_third_of_a_turn_of_hue_changes_red_into_green():
    red = np.array([255.0, 0.0, 0.0, 1.0])
    turned = colour_matrix(**{**PLAIN, "hue": 1 / 3}) @ red
    assert turned == pytest.approx([0, 255, 0], abs=1e-9)
