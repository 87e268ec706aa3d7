"""What is said about robustness: what hurts, whether it is chance, and which errors grow."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from boxlens.images.transforming.catalogue import CLEAN, TRANSFORMS
from boxlens.images.transforming.transform import Step
from boxlens.metrics.intervals import Interval, ResamplingChoice
from boxlens.metrics.results import Provenance
from boxlens.studies.diagnosis.tide import GAINS
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.robustness.result import (
    METRICS,
    DetectorRobustness,
    Drop,
    RobustnessResult,
    SetSummary,
)
from boxlens.studies.robustness.steps import corruption_means, ratio
from boxlens.studies.robustness.verdict import robustness_findings, robustness_sentences
from studies.robustness.measured_sets import step_of


def step(name, level, ap, clean, p=None, reference=None, before=(), **errors):
    """`errors` are, by kind, how many there are for each object and what their repair brings.

    `before` has those of what the step is compared with.

    `clean` is the AP of what the step is compared with, `reference` the level of that.
    """
    drop = None
    if p is not None:
        nan = math.nan
        drop = Drop(Interval(clean - ap, nan, nan, nan, nan, nan), p, p)
    gain, start = (
        dict.fromkeys(GAINS, 0.0) | {kind: pair[1] for kind, pair in dict(of).items()}
        for of in (errors, before)
    )
    return step_of(
        *(name, level, ap),
        reference=CLEAN if reference is None else Step(name, reference),
        relative=dict.fromkeys(METRICS, ratio(ap, clean)),
        error_gain=gain,
        error_growth={kind: gain[kind] - start[kind] for kind in GAINS},
        errors_per_object=dict.fromkeys(GAINS, 0.0)
        | {kind: pair[0] for kind, pair in errors.items()},
        drop=drop,
    )


def detector(name, clean, *steps, **errors):
    whole = step("clean", math.nan, clean, clean, **errors)
    changed = tuple(
        step(*one[:3], clean, *one[3:4], before=errors, **(one[4] if len(one) > 4 else {}))
        for one in steps
    )
    return DetectorRobustness(name, whole, corruption_means(whole, changed), changed)


def result_of(*detectors, sets=(), intervals=None):
    choice = RobustnessChoice(steps=(Step("fog", 1.0),), intervals=intervals)
    provenance = Provenance("1", None, ())
    return RobustnessResult(choice, "data", ("a",), sets, detectors, (), provenance)


def sentences(*detectors, sets=()):
    """The answer, then what was found about every question."""
    result = result_of(*detectors, sets=sets, intervals=ResamplingChoice())
    findings = robustness_findings(result)
    found = (line for name in ("corruptions", "errors", "study") for line in findings[name])
    return (*robustness_sentences(result), *found)


def test_that_drops_are_not_tested_is_told_where_there_are_any():
    tested = "Add --intervals to test which drops are beyond sampling error."
    mine = detector("mine", 0.3, ("fog", 1.0, 0.2))
    assert robustness_sentences(result_of(mine))[-1] == tested
    assert tested not in sentences(mine)
    assert tested not in robustness_sentences(result_of(detector("mine", 0.0, ("fog", 1.0, 0.0))))


def test_what_hurts_most_and_least_comes_first_then_the_errors_that_grow():
    said = sentences(
        detector(
            "mine",
            0.3,
            (
                *("gaussian_noise", 5.0, 0.06, None),
                {"miss": (0.72, 0.1), "bkg": (0.3, 0.055), "loc": (0.1, 0.9)},
            ),
            ("fog", 1.0, 0.27, None),
            miss=(0.31, 0.2),
            bkg=(0.1, 0.05),
            loc=(0.2, 0.1),
        )
    )
    assert said == (
        (
            "mine has an AP of 0.300 on the unchanged pictures; Gaussian noise 5 hurts most and "
            "leaves 0.060 (20%), fog 1 hurts least and leaves 0.270 (90%)."
        ),
        (
            "Over 2 corruptions (not the whole benchmark), the mean AP of mine (mPC) is 0.165, 55% "
            "of its AP on the unchanged pictures (rPC); noise leaves least (20%), weather most (90%)."
        ),
        # Poorly placed boxes became fewer; boxes on background grew by less.
        "Under Gaussian noise 5, misses of mine rise from 0.310 to 0.720 per object.",
    )


def test_drops_that_may_be_chance_are_told():
    said = sentences(
        detector("mine", 0.3, ("vertical_flip", math.nan, 0.1, 1e-9), ("fog", 1.0, 0.28, 0.4))
    )
    assert said[0] == (
        "mine has an AP of 0.300 on the unchanged pictures; vertical flip hurts most and leaves "
        "0.100 (33%), fog 1 hurts least and leaves 0.280 (93%, within sampling error)."
    )
    assert said[1] == (
        "mine: 1 of 2 drops is beyond sampling error (resampling pictures, adjusted for all "
        "changes)."
    )
    gained = sentences(
        detector("mine", 0.3, ("vertical_flip", math.nan, 0.1, 1e-9), ("fog", 1.0, 0.5, 1e-9))
    )
    assert "1 of 2 drops is beyond sampling error, and so is 1 gain (" in gained[1]


def test_surroundings_are_told_apart_from_what_hurts_most():
    blur = ("gaussian_blur", math.nan, 0.1)
    told = [
        sentences(detector("mine", 0.3, blur, ("white_background", math.nan, ap)))[-1]
        for ap in (0.2, 0.4, 0.3001)
    ]
    assert told == [
        "mine finds objects worse alone on white than in place (AP 0.200, not 0.300).",
        "mine finds objects better alone on white than in place (AP 0.400, not 0.300).",
        "mine finds objects alone on white as well as in place (AP 0.300).",
    ]
    assert len(sentences(detector("mine", 0.3, ("white_background", math.nan, 0.05), blur))) == 1


def test_objects_that_are_no_longer_there_are_told():
    level = Step("graded_rotation", 10.0)
    summary = SetSummary(level, 20, 139, 62, np.zeros((32, 32)))
    said = sentences(detector("mine", 0.3, ("graded_rotation", 10.0, 0.2)), sets=(summary,))
    assert said[0].endswith("leaves 0.200 (67%, without 62 of 201 objects).")


def test_what_hurts_is_told_by_what_is_left_of_the_fair_reference():
    mine = detector("mine", 0.3, ("fog", 1.0, 0.27, None, {"miss": (0.5, 0.1)}))
    crop = step("graded_rotation", 0.0, 0.2, 0.3, miss=(0.4, 0.1))
    turned = step("graded_rotation", 5.0, 0.19, 0.2, reference=0.0, miss=(0.45, 0.1))
    first, *_, last = sentences(replace(mine, steps=(*mine.steps, crop, turned)))
    assert first == (
        "mine has an AP of 0.300 on the unchanged pictures; fog 1 hurts most and leaves 0.270 "
        "(90%), graded rotation (5 deg) hurts least and leaves 0.190 (95% of its 0.200 at 0 deg, "
        "95% by AP50: boxes of rotated objects are estimates)."
    )
    alone = sentences(replace(mine, steps=(crop, turned)))
    assert alone[-1] == (
        "Under graded rotation (5 deg), misses of mine rise from 0.400 to 0.450 per object."
    )
    assert last.startswith("Under fog 1, misses of mine rise from 0.000 to 0.500")


def test_several_detectors_are_ranked_by_what_they_keep():
    said = sentences(
        detector("firm", 0.2, ("fog", 1.0, 0.18)), detector("weak", 0.4, ("fog", 1.0, 0.2))
    )
    assert said[0] == (
        "firm is the most robust of 2 detectors: it keeps 90% of its AP over 1 corruption; weak "
        "keeps 50%."
    )
    assert said[1] == (
        "firm has an AP of 0.200 on the unchanged pictures; fog 1 leaves 0.180 (90%)."
    )
    assert sentences(*(detector(name, 0.2, ("fog", 1.0, 0.1)) for name in "ab"))[0] == (
        "2 detectors are equally robust: each keeps 50% of its AP over 1 corruption."
    )


def test_pictures_of_objects_alone_make_no_detector_robust():
    crops, alone = ("crop", math.nan, 0.6), ("objects_only", math.nan, 0.6)
    flips = [("vertical_flip", math.nan, 0.1), ("gaussian_blur", math.nan, 0.2)]
    weak = detector("weak", 0.3, crops, alone, flips[0])
    said = sentences(weak, detector("firm", 0.4, *flips))
    assert said[0] == (
        "firm is the most robust of 2 detectors: it keeps 38% of its AP over 2 changes of whole "
        "pictures; weak keeps 33%."
    )
    assert said[1] == (
        "weak has an AP of 0.300 on the unchanged pictures; vertical flip hurts most and leaves "
        "0.100 (33%), crop raises it to 0.600 (200%)."
    )
    # Corruptions, where there are any, say it alone.
    fogs = [detector(name, 0.3, crops, flips[0], ("fog", 1.0, ap)) for name, ap in FOGGED]
    assert sentences(*fogs)[0].startswith(
        "b is the most robust of 2 detectors: it keeps 67% of its AP"
    )
    # Nothing fair is there to rank by.
    assert sentences(*(detector(name, 0.3, crops, alone) for name in "ab"))[0].startswith("a has")


FOGGED = (("a", 0.1), ("b", 0.2))


def test_a_step_that_costs_nothing_does_not_hurt():
    mine = detector("mine", 0.3, ("fog", 1.0, 0.2), ("fog", 2.0, 0.3))
    assert ", fog 2 does not hurt and leaves 0.300 (100%)." in sentences(mine)[0]
    crop = step("graded_rotation", 0.0, 0.2, 0.3)
    turned = step("graded_rotation", 5.0, 0.21, 0.2, reference=0.0)
    assert sentences(replace(mine, steps=(*mine.steps, crop, turned)))[0].endswith(
        "graded rotation (5 deg) does not hurt and leaves 0.210 (105% of its 0.200 at 0 deg, 105% "
        "by AP50: boxes of rotated objects are estimates)."
    )


def test_levels_that_change_nothing_do_not_hurt_least():
    unchanged = TRANSFORMS["graded_jpeg"].unchanged[0]
    said = sentences(
        detector("mine", 0.3, ("graded_jpeg", 10.0, 0.1), ("graded_jpeg", unchanged, 0.3))
    )
    (only,) = said
    assert only == (
        "mine has an AP of 0.300 on the unchanged pictures; graded JPEG compression (10) leaves "
        "0.100 (33%)."
    )


def test_nothing_is_said_where_nothing_can_be():
    assert sentences(detector("mine", 0.0, ("fog", 1.0, 0.0))) == (
        (
            "mine has an AP of 0 on the unchanged pictures (50 detections, none correct): there is "
            "nothing to lose."
        ),
    )
    assert sentences(detector("mine", math.nan, ("fog", 1.0, math.nan))) == (
        "mine: there are no objects to find.",
    )
    assert sentences(detector("mine", 0.3, ("fog", 0.0, 0.3))) == (
        "mine: no transform changes the pictures.",
    )
    (said, *_) = sentences(detector("mine", 0.3, ("fog", 1.0, 0.3), ("fog", 2.0, 0.31)))
    assert said == (
        "mine has an AP of 0.300 on the unchanged pictures, and no change lowers it: fog 1 leaves "
        "0.300 (100%)."
    )
