"""What chance alone gives: equal subsets differ as much as foretold, and a dependence by more."""

from __future__ import annotations

import numpy as np
import pytest

import boxlens
from boxlens.scenes.large import large_dataset
from boxlens.scenes.plant import Dependence, Recipe, Steps, plant
from boxlens.studies.sensitivity.entropy import chance_entropy
from boxlens.studies.sensitivity.spread import expected_range
from studies.sensitivity.worlds import named


def test_the_expected_range_is_that_of_the_tables():
    assert [expected_range(n) for n in (0, 1)] == [0, 0]
    known = {2: 1.1284, 3: 1.6926, 4: 2.0588, 5: 2.3259, 10: 3.0775}
    for n, expected in known.items():
        assert expected_range(n) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_equal_subsets_differ_as_much_as_chance_says(seed):
    world = large_dataset(n_images=400, n_objects=3000, n_classes=12, seed=seed)
    detections = plant(world, Recipe(miss=0.3, background=1.0), seed=seed).detections
    for row in boxlens.sensitivity(world, detections).characteristics:
        assert 0.6 < row.sensitivity / row.chance < 1.4
        assert row.entropy_share < 2.5 * row.entropy_chance


def test_a_dependence_stands_out():
    world = large_dataset(n_images=400, n_objects=3000, n_classes=12, seed=1)
    on_area = Dependence("miss", "area", Steps((32**2, 96**2), (3.0, 1.0, 0.3)))
    detections = plant(world, Recipe(miss=0.3, depends=(on_area,)), seed=1).detections
    result = boxlens.sensitivity(world, detections)
    area, aspect = named(result, "area"), named(result, "aspect")
    assert area.sensitivity > 2 * area.chance
    assert aspect.sensitivity < 1.4 * aspect.chance


def test_entropy_by_chance_is_millers_excess():
    # Five subsets, 100 objects, half of them missed: 4 / 200 nats of ln 2.
    n_objects, n_missed = np.full((1, 5), 20), np.full((1, 5), 10)
    expected = 4 / 200 / np.log(2)
    assert chance_entropy(n_missed, n_objects, n_columns=1) == pytest.approx([expected])
    nothing_open = chance_entropy(np.zeros((1, 5), dtype=int), n_objects, n_columns=1)
    assert np.isnan(nothing_open).all()
