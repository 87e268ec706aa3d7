"""Steps: what they are compared with, and the mean under corruption."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest

import boxlens
from boxlens.images.transforming.catalogue import TRANSFORMS, steps_of
from boxlens.images.transforming.transform import Step
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.studies.robustness.analysis import changed_sets
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.robustness.elsewhere import imported_robustness
from boxlens.studies.robustness.exporting import export_sets
from boxlens.studies.robustness.measuring import measure
from boxlens.studies.robustness.result import DetectorRobustness
from boxlens.studies.robustness.steps import (
    changing,
    corruption_means,
    mean_over,
    telling_means,
    with_references,
)
from rendered_set import rendered_set
from studies.robustness.measured_sets import FLIP, measured, scene_of_images, thinned, whole
from studies.robustness.measured_sets import step_of as step
from studies.sensitivity.worlds import detections_on

CROP, TURNED = Step("graded_rotation", 0.0), Step("graded_rotation", 10.0)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    return rendered_set(tmp_path_factory.mktemp("rendered") / "set", (2, 3))


def perfect(one, *, but_first=0):
    """Every object of a set, the first ones left out."""
    rows = range(but_first, len(one.dataset.gt))
    return detections_on(one.dataset, rows, np.ones(len(rows)), "mine")


def slugs(steps):
    return [step.slug for step in steps]


def test_only_rotations_have_a_reference_of_their_own():
    told = {name: one.reference_level for name, one in TRANSFORMS.items()}
    assert {name for name, level in told.items() if level is not None} == {"graded_rotation"}
    assert slugs(with_references([FLIP, TURNED, Step("fog", 1.0)])) == [
        *("vertical_flip", "graded_rotation-0", "graded_rotation-10", "fog-1")
    ]
    assert with_references([TURNED, FLIP, CROP]) == (TURNED, FLIP, CROP)
    assert with_references([CROP]) == (CROP,)


def test_a_detector_that_is_perfect_on_the_crop_at_all_angles_loses_nothing(rendered):
    choice = RobustnessChoice(steps_of(["graded_rotation:-20:10", "vertical_flip"]))
    sets = changed_sets(rendered.dataset, rendered.files, choice).sets
    assert slugs(one.step for one in sets[1:3]) == ["graded_rotation-0", "graded_rotation--20"]
    n_missed = len(rendered.dataset.gt) // 2
    found = [perfect(sets[0], but_first=n_missed), *map(perfect, sets[1:])]
    (detector,) = measured(sets, *found).detectors
    clean, (crop, *turned, flipped) = detector.clean, detector.steps
    for one in turned:
        assert one.metrics["AP"] == pytest.approx(1)
        assert one.relative["AP"] == pytest.approx(1)
        assert one.reference == CROP
        assert detector.reference_of(one) is crop
        assert one.to_json()["reference"] == "graded_rotation-0"
    assert 0 < clean.metrics["AP"] < 1
    for one in (crop, flipped):
        assert one.relative["AP"] == pytest.approx(1 / clean.metrics["AP"])
        assert one.to_json()["reference"] == "clean"


def test_drops_of_rotations_are_paired_with_the_crop():
    dataset, detections = scene_of_images(12)
    found = [thinned(detections, seed) for seed in range(3)]
    sure = {"intervals": ResamplingChoice(n_replicates=100)}
    sets = [whole(dataset), whole(dataset, TURNED), whole(dataset, CROP)]
    turned, crop = measured(sets, *found, **sure).detectors[0].steps
    ap = [boxlens.evaluate(dataset, one).detectors[0].metrics["AP"] for one in found]
    assert turned.drop.interval.value == pytest.approx(ap[2] - ap[1], abs=1e-12)
    assert crop.drop.interval.value == pytest.approx(ap[0] - ap[2], abs=1e-12)
    # As if the crop were all that there is.
    alone = measured([whole(dataset), whole(dataset, FLIP)], found[2], found[1], **sure)
    (expected,) = alone.detectors[0].steps
    assert turned.drop.interval == expected.drop.interval
    assert turned.drop.p == expected.drop.p


def test_without_the_crop_rotations_are_compared_with_no_change_and_that_is_told():
    dataset, detections = scene_of_images(12)
    result = measured([whole(dataset), whole(dataset, TURNED)], detections, detections)
    (step,) = result.detectors[0].steps
    assert (step.reference.name, step.relative["AP"]) == ("clean", 1)
    (notice,) = [one for one in result.notices if one.code == "no_reference"]
    assert notice.count == 1
    assert "graded_rotation-0" in notice.message


def test_of_exported_sets_the_reference_is_taken_along_where_it_is_there(rendered, tmp_path):
    choice = RobustnessChoice((TURNED,))
    sets = changed_sets(rendered.dataset, rendered.files, choice).sets
    for place, exported in (("both", sets), ("turned", (sets[0], sets[2]))):
        export_sets(exported, tmp_path / place)
    (tmp_path / "mine").mkdir()
    for one in sets:
        (tmp_path / "mine" / f"{one.step.slug}.json").write_text(json.dumps([]))
    known = imported_robustness(tmp_path / "both", tmp_path / "mine", choice)
    assert slugs(known.choice.steps) == ["graded_rotation-0", "graded_rotation-10"]
    assert known.detectors[0].steps[1].reference == CROP
    unknown = imported_robustness(tmp_path / "turned", tmp_path / "mine", choice)
    assert slugs(unknown.choice.steps) == ["graded_rotation-10"]
    assert "no_reference" in {one.code for one in unknown.notices}


def test_steps_may_come_in_any_order():
    dataset, detections = scene_of_images(12)
    sets = [whole(dataset), whole(dataset, TURNED), whole(dataset, CROP)]
    choice = RobustnessChoice((TURNED, CROP))
    found = [detections, thinned(detections, 1), thinned(detections, 2)]
    steps = measure(sets, {"mine": found}, choice).detectors[0].steps
    assert steps[0].relative["AP"] == steps[0].metrics["AP"] / steps[1].metrics["AP"]


FIFTEEN = (
    *("gaussian_noise", "shot_noise", "impulse_noise"),
    *("defocus_blur", "glass_blur", "motion_blur", "zoom_blur"),
    *("snow", "frost", "fog", "brightness"),
    *("contrast", "elastic_transform", "pixelate", "jpeg_compression"),
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
    for name, mean in (("fog", 0.25), ("spatter", 0.2)):
        severities = changing(one for one in steps if one.step.name == name)
        assert mean_over(severities, lambda one: one.metrics["AP"]) == mean
    (whole, _) = corruption_means(CLEAN, steps)
    assert whole.ap == 0.25


def test_groups_that_repeat_a_corruption_or_all_of_them_are_not_told():
    def told(*names):
        steps = tuple(step(name, 1, 0.2) for name in names)
        detector = DetectorRobustness("mine", CLEAN, corruption_means(CLEAN, steps), steps)
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
