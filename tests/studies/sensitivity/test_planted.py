"""What was planted is what is found: a dependence on size or occlusion is the largest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boxlens.data.columns import attribute_column
from boxlens.scenes.large import large_dataset
from boxlens.scenes.plant import Dependence, Recipe, Steps, plant
from boxlens.studies.sensitivity import sensitivity

LEVELS = ("none", "low", "medium", "high")


@pytest.fixture(scope="module")
def dataset():
    """Occlusion, truncation and parts that have nothing to do with size."""
    plain = large_dataset(600, 6000, 4, seed=5)
    rng = np.random.default_rng(5)
    n = len(plain.gt)
    columns = {
        "occlusion": attribute_column([LEVELS[k] for k in rng.integers(0, 4, n)]),
        "truncated": attribute_column(rng.integers(0, 2, n).tolist()),
        "part_wheel": attribute_column(rng.integers(0, 2, n).tolist()),
        "depth": attribute_column(rng.random(n).tolist()),
    }
    return replace(plain, gt=replace(plain.gt, attributes=columns))


EFFECTS = {
    "area": Dependence("miss", "box_area", Steps((400.0, 2000.0), (4.0, 1.0, 0.2))),
    "aspect": Dependence("miss", "aspect", Steps((0.7, 1.4), (0.2, 0.2, 5.0))),
    "occlusion": Dependence("miss", "occlusion", {"none": 0.0, "low": 1.0, "high": 4.0}),
    "truncation": Dependence("miss", "truncated", {0.0: 0.2, 1.0: 4.0}),
    "parts": Dependence("miss", "part_wheel", {0.0: 4.0, 1.0: 0.2}),
    "depth": Dependence("miss", "depth", lambda depth: np.where(depth > 0.7, 4.0, 0.2)),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_a_planted_dependence_is_the_largest_sensitivity_and_explains_most(dataset, name):
    recipe = Recipe(miss=0.2, mislocalise=0.05, background=2.0, depends=(EFFECTS[name],))
    result = sensitivity(dataset, plant(dataset, recipe, seed=2).detections)
    # Height goes with area.
    others = {row.name: row for row in result.characteristics if row.name != "height"}
    planted = others.pop(name)
    assert planted.sensitivity > 0.4
    assert planted.sensitivity > 1.5 * max(row.sensitivity for row in others.values())
    assert planted.entropy_share > 5 * max(row.entropy_share for row in others.values())


def test_without_a_dependence_nothing_stands_out(dataset):
    recipe = Recipe(miss=0.3, background=2.0)
    result = sensitivity(dataset, plant(dataset, recipe, seed=2).detections)
    assert max(row.sensitivity for row in result.characteristics) < 0.2
    assert max(row.entropy_share for row in result.characteristics) < 0.02


def test_two_planted_dependences_meet_in_the_corner_of_the_grid(dataset):
    recipe = Recipe(miss=0.15, depends=(EFFECTS["area"], EFFECTS["occlusion"]))
    planted = plant(dataset, recipe, seed=2)
    [grid] = sensitivity(dataset, planted.detections, cross=[("area", "occlusion")]).interactions
    assert np.nanargmin(grid.ap_n) in {LEVELS.index("high"), 4 + LEVELS.index("high")}
    assert grid.n_objects.sum() == int((~dataset.gt.crowd).sum())


def test_planted_misses_are_those_counted_and_bad_places_are_recovered(dataset):
    recipe = Recipe(miss=300, mislocalise=500, isolated=True)
    planted = plant(dataset, recipe, seed=4)
    misses = sensitivity(dataset, planted.detections).misses
    assert np.flatnonzero(misses.missed).tolist() == planted.not_found().tolist()
    assert misses.looser[0].iou == 0.1
    assert misses.looser[0].n_missed == len(planted.missed)
    n_missed = len(planted.not_found())
    assert misses.looser[0].share_recovered == pytest.approx(1 - len(planted.missed) / n_missed)


def test_an_object_missed_against_all_expectation_is_named(dataset):
    # Among fully visible objects nothing is missed but one.
    recipe = Recipe(miss=0.3, depends=(Dependence("miss", "occlusion", {"none": 0.0, "low": 0.0}),))
    planted = plant(dataset, recipe, seed=6)
    found = np.unique(planted.gt_row)
    visible = found[dataset.gt.attributes["occlusion"][found] == "none"]
    victim = int(visible[len(visible) // 2])
    detections = planted.detections.where(planted.gt_row != victim)
    misses = sensitivity(dataset, detections, n_unexpected=3).misses
    assert victim in [row.gt_row for row in misses.difficult]
