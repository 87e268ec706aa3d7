"""Numbers of every step: those of the evaluator, of what was planted, and of nothing changed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.data import Classes, Detections, GroundTruth, Notice
from boxlens.data.columns import frozen
from boxlens.errors import ParameterError
from boxlens.images.transforming.transform import Step
from boxlens.scenes.plant import Kind, Recipe, plant
from boxlens.studies.diagnosis.tide import GAINS
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.robustness.error_growth import error_profile, most_grown_error
from boxlens.studies.robustness.measuring import measure
from boxlens.studies.robustness.result import METRICS
from cases import random_scene
from oracles import tide as oracle
from oracles.convert import scene_to_tables
from planted_worlds import roomy
from studies.diagnosis.worlds import EVERY_ERROR
from studies.robustness.measured_sets import (
    FLIP,
    WHITE,
    an_object_each,
    measured,
    scene_of_images,
    seen_in,
    thinned,
    whole,
    without_objects,
)


def tables_of(seed):
    """The unchanged pictures, some detections lost, and one picture per object."""
    dataset, detections = scene_to_tables(random_scene(seed, n_images=6))
    sets = [whole(dataset), whole(dataset, FLIP), an_object_each(dataset)]
    found = [detections, thinned(detections, seed), thinned(seen_in(sets[2], detections), seed)]
    return sets, found


@pytest.mark.parametrize("seed", range(12))
def test_every_number_is_that_of_an_evaluation_of_the_set_alone(seed):
    sets, found = tables_of(seed)
    (detector,) = measured(sets, *found).detectors
    for one, table, step in zip(sets, found, (detector.clean, *detector.steps), strict=True):
        (alone,) = boxlens.evaluate(one.dataset, table).detectors
        for name in METRICS:
            np.testing.assert_equal(step.metrics[name], alone.metrics[name])
            np.testing.assert_equal(
                step.relative[name],
                step.metrics[name] / detector.clean.metrics[name]
                if detector.clean.metrics[name] > 0
                else math.nan,
            )
        by_class = [of_class.metrics["AP"] for of_class in alone.classes]
        np.testing.assert_array_equal(step.by_class, by_class)
        assert (step.n_images, step.n_detections) == (len(one.dataset.images), len(table))


def present_classes(dataset):
    """Rows of classes with objects that count."""
    gt = dataset.gt
    return set(gt.class_row[~(gt.crowd | gt.difficult | gt.group_of)].tolist())


def gain_over(slow, kind, classes):
    """What a repair brings in the mean over some classes."""
    if not classes:
        return math.nan
    after, before = (of["classes"] for of in (slow["after"][kind], slow))
    return max(0.0, sum(after[row] - before[row] for row in classes) / len(classes))


@pytest.mark.parametrize("seed", range(1, 5))
def test_errors_are_those_of_the_slow_diagnosis(seed):
    sets, found = tables_of(seed)
    (detector,) = measured(sets, *found).detectors
    slow_clean = oracle.tide(sets[0].dataset, found[0])
    for one, table, step in zip(sets, found, (detector.clean, *detector.steps), strict=True):
        gt = one.dataset.gt
        n_objects = int((~(gt.crowd | gt.difficult | gt.group_of)).sum())
        assert step.n_objects == n_objects
        slow = oracle.tide(one.dataset, table)
        # Errors are counted among detections of the shown score, .3.
        shown = oracle.tide(one.dataset, table.where(table.score >= 0.3))
        n = {kind: shown["kind"].count(kind) for kind in oracle.KINDS} | {
            "miss": len(shown["missed"])
        }
        for kind in oracle.KINDS:
            expected = n[kind] / n_objects if n_objects else math.nan
            np.testing.assert_equal(step.errors_per_object[kind], expected)
        present = present_classes(one.dataset)
        for kind in GAINS:
            gain = gain_over(slow, kind, present)
            assert step.error_gain[kind] == pytest.approx(gain, abs=1e-12, nan_ok=True)
            shared = present & present_classes(sets[0].dataset)
            growth = gain_over(slow, kind, shared) - gain_over(slow_clean, kind, shared)
            assert step.error_growth[kind] == pytest.approx(growth, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", range(1, 5))
def test_repairs_start_from_ap50_and_classes_that_never_appear_change_nothing(seed):
    dataset, detections = scene_of_images(8, 20 * seed)
    # Crowds at exactly the IoU are TIDE's own affair.
    dataset = dataset.where(~(dataset.gt.crowd | dataset.gt.difficult | dataset.gt.group_of))
    profile = error_profile(dataset, detections)
    (scored,) = boxlens.evaluate(dataset, detections).detectors
    start = profile.repaired_ap[profile.present, 0].mean()
    assert start == pytest.approx(scored.metrics["AP50"], abs=1e-12)
    names = [*dataset.classes.name, "never there"]
    wider = replace(dataset, classes=Classes.of(range(1, len(names) + 1), names))
    stray = Detections.of(
        "mine",
        len(dataset.images),
        image_row=np.append(detections.image_row, 0),
        class_row=np.append(detections.class_row, len(names) - 1),
        box=np.vstack([detections.box, [900.0, 900.0, 5.0, 5.0]]),
        score=np.append(detections.score, 0.99),
    )
    same = error_profile(wider, stray)
    assert same.gain == profile.gain


def test_growth_of_errors_is_over_the_classes_that_both_sets_have():
    dataset = roomy(20)
    planted = plant(dataset, Recipe(), seed=1).detections
    before, after = thinned(planted, 4), thinned(planted, 3)
    first = dataset.gt.class_row[0]
    fewer = dataset.where(dataset.gt.class_row != first)
    grown = error_profile(fewer, after.where(after.class_row != first))
    start = error_profile(fewer, before.where(before.class_row != first))
    assert grown.growth_from(error_profile(dataset, before)) == grown.growth_from(start)
    assert grown.growth_from(start)["miss"] == grown.gain["miss"] - start.gain["miss"] != 0
    assert error_profile(dataset, before).gain["miss"] != start.gain["miss"]


def test_errors_for_each_object_are_as_many_as_were_planted():
    dataset = roomy(60)
    planted = plant(dataset, EVERY_ERROR, seed=3)
    (detector,) = measured(
        [whole(dataset), whole(dataset, FLIP)],
        planted.detections,
        planted.detections,
        shown_score=0.0,
    ).detectors
    types = planted.types("tide")
    for kind in ("cls", "loc", "both", "dupe", "bkg"):
        expected = np.count_nonzero(types == kind.capitalize()) / len(dataset.gt)
        assert detector.clean.errors_per_object[kind] == expected > 0
    missed = len(planted.missed_by_tide()) / len(dataset.gt)
    assert detector.steps[0].errors_per_object["miss"] == missed > 0


def test_half_of_the_hits_taken_away_is_half_of_the_objects_missed():
    dataset = roomy(40)
    planted = plant(dataset, Recipe(), seed=1)
    assert (planted.label == Kind.CORRECT).all()
    # Every second object of each class, whatever its score.
    rows = planted.gt_row.astype(int)
    lost = rows // 4 % 2 == 1
    (detector,) = measured(
        [whole(dataset), whole(dataset, FLIP)], planted.detections, planted.detections.where(~lost)
    ).detectors
    clean, flipped = detector.clean, detector.steps[0]
    assert clean.metrics["AP50"] == 1
    # Recall reaches one half: 51 of 101 recalls have a precision of 1.
    assert flipped.metrics["AP50"] == pytest.approx(51 / 101, abs=1e-12)
    assert clean.errors_per_object["miss"] == 0
    assert flipped.errors_per_object["miss"] == 0.5
    assert flipped.error_gain["miss"] == pytest.approx(50 / 101, abs=1e-12)


def test_pictures_that_change_nothing_cost_nothing():
    dataset, detections = scene_of_images(12)
    (detector,) = measured([whole(dataset), whole(dataset, FLIP)], detections, detections).detectors
    clean, same = detector.clean, detector.steps[0]
    assert same.relative["AP"] == clean.relative["AP"] == 1
    np.testing.assert_equal(dict(same.metrics), dict(clean.metrics))
    np.testing.assert_array_equal(same.density, clean.density)
    assert same.examples == clean.examples == ()
    assert same.drop is None
    assert detector.corrupted == ()


def test_a_detector_that_finds_nothing_has_no_relative_score():
    dataset, detections = scene_of_images(12)
    nothing = detections.where(np.zeros(len(detections), dtype=bool))
    (detector,) = measured([whole(dataset), whole(dataset, FLIP)], nothing, nothing).detectors
    assert detector.clean.metrics["AP"] == 0
    assert math.isnan(detector.steps[0].relative["AP"])
    assert detector.steps[0].to_json()["relative"] is None


def test_sets_without_objects_are_undefined_and_never_zero():
    dataset, detections = scene_of_images(12)
    empty = without_objects(whole(dataset, FLIP), range(len(dataset.gt)))
    result = measured([whole(dataset), empty], detections, detections)
    (step,) = result.detectors[0].steps
    assert all(map(math.isnan, (*step.metrics.values(), *step.errors_per_object.values())))
    assert result.sets[1].n_objects == 0
    assert result.sets[1].n_objects_gone == result.sets[0].n_objects > 0


def test_objects_that_no_picture_asks_for_are_gone():
    dataset = roomy(10)
    hidden = without_objects(whole(dataset, FLIP), [3, 17])
    crowd = replace(hidden.dataset.gt, crowd=np.arange(len(hidden.dataset.gt)) == 0)
    hidden = replace(hidden, dataset=replace(hidden.dataset, gt=crowd))
    detections = plant(dataset, Recipe(), seed=0).detections
    sets = measured([whole(dataset), hidden], detections, detections).sets
    assert [one.n_objects_gone for one in sets] == [0, 3]
    assert [one.n_objects for one in sets] == [40, 37]


def test_each_object_in_a_picture_of_its_own_is_asked_for():
    dataset, detections = scene_of_images(12)
    pictures = an_object_each(dataset)
    sets = measured([whole(dataset), pictures], detections, seen_in(pictures, detections)).sets
    assert sets[1].n_objects_gone == 0
    assert sets[1].n_objects == sets[0].n_objects


def test_detectors_are_measured_by_themselves_and_told_in_order():
    sets, found = tables_of(5)
    steps = tuple(one.step for one in sets[1:])
    told = []
    both = measure(
        sets,
        {"first": found, "second": [thinned(one, 9) for one in found]},
        RobustnessChoice(steps=steps),
        progress=lambda _, done, total: told.append((done, total)),
    )
    alone = measure(sets, {"first": found}, RobustnessChoice(steps=steps), threads=1)
    assert [one.name for one in both.detectors] == ["first", "second"]
    assert both.detectors[0].to_json() == alone.detectors[0].to_json()
    assert told == [(row, 6) for row in range(6)]
    assert [row["detector"] for row in both.to_json()["results"]["transforms"]] == [
        *["first"] * 2,
        *["second"] * 2,
    ]


def test_labels_titles_and_groups_are_those_of_the_transforms():
    dataset, detections = scene_of_images(12)
    noise = Step("gaussian_noise", 3.0)
    (detector,) = measured(
        [whole(dataset), whole(dataset, noise)], detections, detections
    ).detectors
    (step,) = detector.steps
    assert (step.title, step.group, step.label) == ("Gaussian noise", "noise", "3")
    assert detector.clean.label == ""


def test_what_readers_left_out_is_told_once():
    dataset, detections = scene_of_images(12)
    note = Notice("unknown_image", 4, "4 detections of unknown images")
    noted = replace(detections, notices=(note,))
    result = measured([whole(dataset), whole(dataset, FLIP)], noted, noted)
    assert result.notices.count(note) == 1


def test_pictures_of_unknown_size_are_counted():
    dataset, detections = scene_of_images(12)
    width = dataset.images.width_px.copy()
    width[:3] = np.nan
    dataset = replace(dataset, images=replace(dataset.images, width_px=width))
    result = measured([whole(dataset), whole(dataset, FLIP)], detections, detections)
    assert [(note.code, note.count) for note in result.notices] == [("unknown_size", 6)]


def test_what_does_not_fit_together_is_refused():
    dataset, detections = scene_of_images(12)
    clean, flip = whole(dataset), whole(dataset, FLIP)
    choice = RobustnessChoice(steps=(FLIP,))
    elsewhere = replace(flip, source_row=flip.source_row + 1)
    with pytest.raises(ParameterError, match="1 pictures were made of images"):
        measure([clean, elsewhere], {"mine": [detections] * 2}, choice)
    fewer = replace(flip, dataset=dataset.select_classes([]))
    with pytest.raises(ParameterError, match="other classes"):
        measure([clean, fewer], {"mine": [detections] * 2}, choice)


def test_tables_without_any_row_can_be_measured():
    dataset, _ = scene_of_images(12)
    dataset = replace(
        dataset, gt=GroundTruth.of(len(dataset.images), image_row=[], class_row=[], box=[])
    )
    nothing = Detections.of(
        "mine", len(dataset.images), image_row=[], class_row=[], box=[], score=[]
    )
    result = measured([whole(dataset), whole(dataset, FLIP)], nothing, nothing)
    assert math.isnan(result.detectors[0].clean.metrics["AP"])
    assert result.sets[0].density.sum() == 0


def test_a_detector_whose_scores_are_low_is_told_from_a_blind_one():
    dataset, detections = scene_to_tables(random_scene(3, n_images=6))
    low = replace(detections, score=frozen(detections.score * 1e-3, np.float64))
    sets, choice = (whole(dataset), whole(dataset, FLIP)), RobustnessChoice((FLIP,))
    told = measure(sets, {"low": [low, low]}, choice).notices
    assert [one.code for one in told] == ["shown_score_too_high"]
    assert told[0].message.startswith("low: no object is found by detections that score 0.3 or")
    lower = replace(choice, shown_score=0.0)
    assert measure(sets, {"low": [low, low]}, lower).notices == ()


def test_classes_of_which_nothing_is_left_are_told():
    dataset, detections = scene_to_tables(random_scene(3, n_images=6))
    gone = np.flatnonzero(dataset.gt.class_row == dataset.gt.class_row[0])
    fewer = without_objects(whole(dataset, FLIP), gone)
    choice = RobustnessChoice((FLIP,), shown_score=0.0)
    found = measure((whole(dataset), fewer), {"one": [detections] * 2}, choice)
    (told,) = [one for one in found.notices if one.code == "classes_gone"]
    assert "step has objects of fewer classes" in told.message
    assert "vertical_flip" in told.message


def test_background_is_not_compared_where_every_object_has_its_own_picture():
    """The same false box in every picture: more of them for each object, and no other detector."""
    dataset, _ = scene_to_tables(random_scene(3, n_images=6))
    sets = (whole(dataset), an_object_each(dataset))
    far = [
        Detections.of(
            "far",
            n,
            image_row=np.arange(n),
            class_row=np.zeros(n, np.int32),
            box=np.tile([9000.0, 9000.0, 5.0, 5.0], (n, 1)),
            score=np.full(n, 0.9),
        )
        for n in (len(one.dataset.images) for one in sets)
    ]
    (found,) = measure(sets, {"far": far}, RobustnessChoice((WHITE,))).detectors
    (step,) = found.steps
    assert step.errors_per_object["bkg"] > found.clean.errors_per_object["bkg"]
    assert most_grown_error(found.clean, step) is None
