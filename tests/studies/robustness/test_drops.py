"""Intervals of drops: both sets are of the same resampled images, by whatever pictures are made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.metrics.bootstrap import bootstrap_weights, jackknife_weights
from boxlens.metrics.intervals import ResamplingChoice, chance_below, holm, interval, two_sided
from boxlens.scenes.plant import Recipe, plant
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.robustness.measuring import measure
from oracles.weighted_ap import repeated_tables
from planted_worlds import roomy
from studies.robustness.measured_sets import (
    FLIP,
    WHITE,
    an_object_each,
    measured,
    scene_of_images,
    seen_in,
    thinned,
    whole,
)

QUICK = ResamplingChoice(n_replicates=100, seed=4)


def slow_ap(one, detections, weights):
    """AP of the test set that has every picture as often as its image was drawn."""
    copies = repeated_tables(one.dataset, detections, weights[one.source_row].tolist())
    return boxlens.evaluate(*copies).detectors[0].metrics["AP"]


def slow_drops(sets, found, choice):
    """Of one step: the drop itself, in every replicate, and without every group of images."""
    n_images = len(sets[0].dataset.images)
    drawn = np.concatenate(list(bootstrap_weights(n_images, choice.n_replicates, choice.seed)))
    left = np.concatenate(
        list(jackknife_weights(n_images, min(choice.n_jackknife, n_images), choice.seed))
    )
    once = np.ones((1, n_images), dtype=np.int32)
    values = []
    for weights in (once, drawn, left):
        clean, changed = (
            np.array([slow_ap(one, table, row) for row in weights])
            for one, table in zip(sets, found, strict=True)
        )
        values.append(clean - changed)
    return values


@pytest.mark.parametrize("method", ["normal", "bca"])
def test_pictures_are_resampled_by_the_image_they_were_made_of(method):
    dataset, detections = scene_of_images(11)
    # A picture written down twice would shuffle equal scores within it.
    scores = np.random.default_rng(1).permutation(len(detections)) / len(detections)
    detections = replace(detections, score=scores)
    sets = [whole(dataset), an_object_each(dataset)]
    found = [detections, thinned(seen_in(sets[1], detections), 2)]
    n_pictures = np.bincount(sets[1].source_row, minlength=len(dataset.images))
    assert n_pictures.min() == 0
    assert n_pictures.max() > 1
    choice = replace(QUICK, method=method)
    (value,), drawn, left = slow_drops(sets, found, choice)
    expected = interval(value, drawn, left, choice, difference=True)
    drop = measured(sets, *found, intervals=choice).detectors[0].steps[0].drop
    for name in ("value", "low", "high", "se", "se_jackknife", "bias", "n_undefined"):
        assert getattr(drop.interval, name) == pytest.approx(getattr(expected, name), abs=1e-12)
    assert drop.p == pytest.approx(two_sided(chance_below(value, drawn, left, choice)), abs=1e-9)
    assert drop.p_holm == drop.p


def test_the_same_detections_drop_by_nothing_in_every_replicate():
    dataset, detections = scene_of_images(11)
    result = measured(
        [whole(dataset), whole(dataset, FLIP)], detections, detections, intervals=QUICK
    )
    drop = result.detectors[0].steps[0].drop
    ends = drop.interval
    assert (ends.value, ends.low, ends.high, ends.se) == (0, 0, 0, 0)
    assert (drop.p, drop.p_holm) == (1, 1)


def test_planted_drops_are_beyond_chance_and_adjusted_for_all_steps():
    dataset = roomy(40)
    planted = plant(dataset, Recipe(), seed=1)
    found = planted.detections
    kept = np.random.default_rng(0).random(len(found))
    fewer = [found.where(kept < share) for share in (0.5, 0.97, 1.1)]
    steps = [FLIP, WHITE, replace(FLIP, name="gaussian_blur")]
    sets = [whole(dataset), *(whole(dataset, step) for step in steps)]
    (detector,) = measured(sets, found, *fewer, intervals=QUICK).detectors
    drops = [one.drop for one in detector.steps]
    assert drops[0].interval.low > 0.3
    assert drops[0].p_holm < 1e-6
    assert drops[2].p_holm == 1
    assert [one.p_holm for one in drops] == holm(np.array([one.p for one in drops])).tolist()
    for one in detector.steps:
        assert one.drop.interval.value == detector.clean.metrics["AP"] - one.metrics["AP"]


def test_detectors_share_the_weights_and_threads_change_nothing():
    dataset, detections = scene_of_images(11)
    sets = [whole(dataset), an_object_each(dataset)]
    found = [detections, thinned(seen_in(sets[1], detections), 2)]
    choice = RobustnessChoice(steps=(WHITE,), intervals=QUICK)
    both = measure(sets, {"a": found, "b": found}, choice, threads=2)
    alone = measure(sets, {"a": found}, choice, threads=1)
    a, b = (one.steps[0].drop for one in both.detectors)
    assert a == b == alone.detectors[0].steps[0].drop


def test_few_pictures_have_no_intervals_and_that_is_told():
    dataset = roomy(9)
    found = plant(dataset, Recipe(), seed=1).detections
    result = measured([whole(dataset), whole(dataset, FLIP)], found, found, intervals=QUICK)
    assert result.detectors[0].steps[0].drop is None
    assert [(note.code, note.count) for note in result.notices] == [("too_few_images", 9)]


def test_steps_whose_objects_are_from_few_pictures_have_no_interval():
    dataset = roomy(12)
    found = plant(dataset, Recipe(), seed=1).detections
    few = an_object_each(dataset.where(dataset.gt.image_row < 9))
    sets = [whole(dataset), few, whole(dataset, FLIP)]
    result = measured(sets, found, seen_in(few, found), found, intervals=QUICK)
    without, with_interval = (one.drop for one in result.detectors[0].steps)
    assert without is None
    assert with_interval.p_holm == 1
    (note,) = result.notices
    assert note.count == 1
    assert note.message.endswith("white_background")
