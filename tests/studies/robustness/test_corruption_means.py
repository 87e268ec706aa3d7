"""Means under corruption, by hand."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.transform import Step
from boxlens.studies.robustness.result import METRICS, DetectorRobustness, StepRobustness
from boxlens.studies.robustness.steps import (
    corruption_means,
    family_means,
    telling_means,
)

FIFTEEN = (
    *("gaussian_noise", "shot_noise", "impulse_noise"),
    *("defocus_blur", "glass_blur", "motion_blur", "zoom_blur"),
    *("snow", "frost", "fog", "brightness"),
    *("contrast", "elastic_transform", "pixelate", "jpeg_compression"),
)


def step(name, level, ap):
    """A step of which only AP is known."""
    return StepRobustness(
        step=Step(name, level),
        title=name,
        group=TRANSFORMS[name].group,
        label="",
        n_images=1,
        n_objects=1,
        n_detections=1,
        metrics=dict.fromkeys(METRICS, ap),
        reference=Step("clean", math.nan),
        relative={},
        error_gain={},
        error_growth={},
        errors_per_object={},
        by_class=(),
        density=np.zeros((1, 1)),
    )


CLEAN = step("clean", math.nan, 0.5)


def test_severities_come_before_corruptions():
    found = corruption_means(
        CLEAN,
        [
            step("gaussian_noise", 1, 0.4),
            step("gaussian_noise", 3, 0.2),
            step("gaussian_noise", 5, 0.0),
            step("shot_noise", 5, 0.1),
            step("fog", 2, 0.45),
        ],
    )
    assert [(one.group, one.n_corruptions, one.complete) for one in found] == [
        ("all", 3, False),
        ("noise", 2, False),
        ("weather", 1, False),
    ]
    assert found[0].ap == pytest.approx((0.2 + 0.1 + 0.45) / 3)
    assert found[0].relative == pytest.approx(0.5)
    assert found[1].ap == pytest.approx(0.15)
    assert found[1].relative == pytest.approx(0.3)
    assert found[2].ap == 0.45


def test_fifteen_corruptions_at_five_severities_are_the_whole_benchmark():
    every = [
        step(name, level, 0.01 * level)
        for name, level in product(FIFTEEN, (1.0, 2.0, 3.0, 4.0, 5.0))
    ]
    whole, *groups = corruption_means(CLEAN, every)
    assert (whole.group, whole.n_corruptions, whole.complete) == ("all", 15, True)
    assert whole.ap == pytest.approx(0.03)
    assert [(one.group, one.n_corruptions) for one in groups] == [
        ("noise", 3),
        ("blur", 4),
        ("weather", 4),
        ("digital", 4),
    ]
    assert all(one.complete for one in groups)
    whole, *groups = corruption_means(CLEAN, every[1:])
    assert not whole.complete
    assert [one.complete for one in groups] == [False, True, True, True]


def test_extra_corruptions_other_transforms_and_severity_0_do_not_count():
    noise = step("gaussian_noise", 2, 0.3)
    others = [
        step("speckle_noise", 2, 0.1),
        step("white_background", math.nan, 0.1),
        step("gaussian_noise", 0, 0.5),
    ]
    assert corruption_means(CLEAN, [noise, *others]) == corruption_means(CLEAN, [noise])
    assert corruption_means(CLEAN, others) == ()


def test_the_mean_of_a_corruption_is_over_severities_that_change_something():
    steps = [step("fog", 0, 0.5), step("fog", 1, 0.4), step("fog", 5, 0.1), step("snow", 0, 0.5)]
    steps += [step("spatter", 1, 0.2), step("crop", math.nan, 0.1)]
    assert family_means(steps) == {"fog": 0.25, "spatter": 0.2}
    (whole, _) = corruption_means(CLEAN, steps)
    assert whole.ap == 0.25


def test_groups_that_repeat_a_corruption_or_all_of_them_are_not_told():
    def told(*names):
        steps = tuple(step(name, 1, 0.2) for name in names)
        detector = DetectorRobustness("mine", CLEAN, steps, corruption_means(CLEAN, steps))
        return [one.group for one in telling_means(detector)]

    assert told("fog", "snow", "gaussian_noise") == ["all", "weather"]
    assert told("fog", "gaussian_noise") == ["all"]
    assert told("fog", "snow") == ["all"]
    assert told("crop") == []


def test_nothing_is_relative_to_nothing():
    found = corruption_means(step("clean", math.nan, 0.0), [step("fog", 1, 0.0)])
    assert math.isnan(found[0].relative)
    assert found[0].ap == 0
    found = corruption_means(CLEAN, [step("fog", 1, math.nan), step("fog", 2, 0.2)])
    assert math.isnan(found[0].ap)
    assert found[0].to_json()["AP"] is None
