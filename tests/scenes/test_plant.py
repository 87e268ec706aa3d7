"""Planted errors: counts, rates, and what they depend on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boxlens.data import Classes
from boxlens.data.columns import attribute_column
from boxlens.matching import COCO, find_overlaps
from boxlens.scenes.plant import (
    Dependence,
    Fixed,
    Kind,
    Recipe,
    Steps,
    plant,
)
from cases import random_scene
from oracles.convert import scene_to_tables
from planted_worlds import (
    EVERYTHING,
    assert_true_by_supercategory,
    roomy,
    world_of,
)

# --- counts, rates, and what they depend on


def test_integers_are_planted_exactly():
    recipe = Recipe(
        miss=40,
        mislocalise=120,
        confuse_similar=30,
        confuse_dissimilar=20,
        both_similar=11,
        both_dissimilar=9,
        duplicate=300,
        also_mislocalise=50,
        background=77,
    )
    planted = plant(roomy(), recipe, seed=0)
    assert planted.counts() == {
        "correct": 480 - 230,
        "localization": 170,
        "duplicate": 300,
        "similar": 30,
        "dissimilar": 20,
        "both_similar": 11,
        "both_dissimilar": 9,
        "background": 77,
        "ignored": 0,
        "missed": 40,
    }
    assert planted.short == {}
    assert planted.notices == ()
    mislocalised = planted.gt_row[planted.label == Kind.LOCALIZATION]
    assert len(np.unique(planted.gt_row[planted.label == Kind.SIMILAR])) == 30
    assert len(np.unique(mislocalised)) >= 120
    _, n_each = np.unique(planted.gt_row[planted.label == Kind.DUPLICATE], return_counts=True)
    assert set(n_each) == {1, 2}


def test_an_exact_number_passes_over_objects_that_admit_none():
    # Half of the objects share their place with one of every other class: no room for a confusion.
    alone = [[20, 20, 60, 40], [200, 150, 60, 40]]
    stacked = [[300 - place, 20, 60, 40] for place in range(6)]
    dataset = world_of(alone + stacked, classes=[0, 1, 0, 1, 2, 3, 4, 5])
    for seed in range(10):
        planted = plant(dataset, Recipe(confuse_similar=2), seed=seed)
        confused = planted.gt_row[planted.label == Kind.SIMILAR]
        assert sorted(confused.tolist()) == [0, 1]
    planted = plant(dataset, Recipe(confuse_similar=5), seed=0)
    assert planted.counts()["similar"] == 2
    assert planted.counts()["correct"] == 6
    assert planted.short == {"confuse_similar": 3}
    [notice] = planted.notices
    assert (notice.code, notice.count) == ("short_confuse_similar", 3)


def test_more_misses_than_objects_are_counted_as_lacking():
    planted = plant(roomy(2), Recipe(miss=10), seed=0)
    assert planted.counts()["missed"] == 8
    assert planted.short == {"miss": 2}


def test_objects_that_admit_no_detection_count_among_an_exact_number_of_misses():
    twins = [[10, 10, 50, 50], [10, 10, 50, 50]]
    dataset = world_of([*twins, [200, 100, 90, 90], [100, 200, 50, 50]])
    planted = plant(dataset, Recipe(miss=3), seed=0)
    assert (planted.counts()["missed"], planted.short) == (3, {})
    planted = plant(dataset, Recipe(miss=1), seed=0)
    assert (planted.missed.tolist(), planted.short) == ([0, 1], {"correct": 1})


def test_floats_are_rates_of_objects_and_images():
    recipe = Recipe(miss=0.2, mislocalise=0.3, duplicate=(0.5, 0.25, 0.25), background=1.5)
    planted = plant(roomy(2000), recipe, seed=1)
    counts = planted.counts()
    assert counts["missed"] / 8000 == pytest.approx(0.2, abs=0.02)
    assert counts["localization"] / 8000 == pytest.approx(0.3, abs=0.02)
    assert counts["duplicate"] / counts["correct"] == pytest.approx(0.75, abs=0.04)
    assert counts["background"] / 2000 == pytest.approx(1.5, abs=0.1)


def share_of(planted, kind, objects):
    return np.isin(np.flatnonzero(objects), planted.gt_row[planted.label == kind]).mean()


def test_rates_depend_on_sizes_and_attributes():
    n = 4 * 2000
    occlusion = attribute_column((["none", "high", None, "low"] * n)[:n])
    dataset = roomy(2000, attributes={"occlusion": occlusion})
    depends = (
        Dependence("mislocalise", "occlusion", {"high": 3.0, "none": 0.0}),
        Dependence("miss", "height", Steps((50.0,), (-2.0, 2.0)), how="logit"),
        Dependence("duplicate", "area", lambda area: area / area.max()),
    )
    recipe = Recipe(mislocalise=0.1, miss=0.1, duplicate=1.0, depends=depends)
    planted = plant(dataset, recipe, seed=0)
    missed = np.isin(np.arange(n), planted.missed)
    tall = dataset.gt.box[:, 3] >= 50
    odds = 0.1 / 0.9
    assert missed[~tall].mean() == pytest.approx(odds / (odds + np.exp(2)), abs=0.01)
    assert missed[tall].mean() == pytest.approx(odds / (odds + np.exp(-2)), abs=0.03)
    assert share_of(planted, Kind.LOCALIZATION, occlusion == "none") == 0
    assert share_of(planted, Kind.LOCALIZATION, occlusion == "high") == pytest.approx(0.3, abs=0.03)
    unknown = np.array([value is None for value in occlusion])
    assert share_of(planted, Kind.LOCALIZATION, unknown) == pytest.approx(0.1, abs=0.02)
    found = planted.gt_row[planted.label == Kind.CORRECT]
    repeated = planted.gt_row[planted.label == Kind.DUPLICATE]
    per_object = np.bincount(repeated, minlength=n)[found]
    weight = dataset.gt.area_px[found] / dataset.gt.area_px.max()
    assert per_object[weight == 1].mean() == pytest.approx(1.0, abs=0.15)
    least = weight.min()
    assert per_object[weight == least].mean() == pytest.approx(least, abs=0.1)


def test_exact_numbers_follow_weights():
    dataset = roomy(500)
    heavy = Dependence("mislocalise", "height", Steps((41.0,), (5.0, 0.0)))
    planted = plant(dataset, Recipe(mislocalise=300, depends=(heavy,)), seed=0)
    chosen = planted.gt_row[planted.label == Kind.LOCALIZATION]
    assert len(chosen) == 300
    assert set(dataset.gt.box[chosen, 3]) == {40.0}


def test_rates_above_one_are_scaled_and_told():
    depends = (
        Dependence("miss", "height", {40: 9.0}),
        Dependence("mislocalise", "height", {40: 9.0}),
    )
    planted = plant(roomy(400), Recipe(miss=0.1, mislocalise=0.2, depends=depends), seed=0)
    [notice] = planted.notices
    assert (notice.code, notice.count) == ("scaled_rates", 400)
    first = np.arange(0, 1600, 4)
    assert np.isin(first, planted.missed).mean() == pytest.approx(0.9 / 1.9, abs=0.08)
    assert not np.isin(first, planted.gt_row[planted.label == Kind.CORRECT]).any()


def test_a_class_without_similar_ones_is_told():
    dataset = replace(roomy(3), classes=Classes.of(range(6), list("abcdef")))
    planted = plant(dataset, Recipe(confuse_similar=0.5), seed=0)
    assert planted.counts()["correct"] == 12
    assert [(notice.code, notice.count) for notice in planted.notices] == [
        ("no_class_confuse_similar", 12)
    ]


def test_difficult_and_crowd_objects_get_nothing_unless_asked_for():
    boxes = [[20, 20, 60, 40], [120, 20, 60, 40], [220, 20, 60, 40], [320, 20, 60, 40]]
    flags = {"difficult": [0, 1, 0, 0], "crowd": [0, 0, 1, 0], "group_of": [0, 0, 0, 1]}
    dataset = world_of(boxes, **flags)
    everything = replace(EVERYTHING, ignored=0.0, background=5.0)
    for seed in range(5):
        planted = plant(dataset, everything, seed=seed)
        assert set(planted.gt_row.tolist()) <= {-1, 0}
        assert set(planted.missed.tolist()) <= {0}
    planted = plant(dataset, Recipe(ignored=1.0), seed=0)
    assert sorted(planted.gt_row[planted.label == Kind.IGNORED].tolist()) == [1, 2, 3]
    assert_true_by_supercategory(dataset, planted)


def test_objects_inside_a_crowd_are_found_all_the_same():
    dataset = world_of([[20, 20, 300, 250], [50, 50, 60, 60]], crowd=[1, 0])
    planted = plant(dataset, Recipe(ignored=1.0, ious={"ignored": Fixed(0.6)}), seed=0)
    order = np.argsort(planted.gt_row)
    assert planted.label[order].tolist() == [Kind.IGNORED, Kind.CORRECT]
    assert planted.iou[order[0]] == pytest.approx(0.6)


def test_not_found_and_missed_by_tide_follow_from_the_kinds():
    planted = plant(
        roomy(), Recipe(miss=10, mislocalise=20, confuse_similar=30, both_similar=40), seed=0
    )
    assert len(planted.missed) == 10
    assert len(planted.missed_by_tide()) == 10 + 40
    assert len(planted.not_found()) == 10 + 20 + 30 + 40


def test_isolated_detections_touch_only_their_own_object():
    dataset, _ = scene_to_tables(random_scene(4, n_objects=9, n_detections=0, flood=0))
    planted = plant(dataset, replace(EVERYTHING, isolated=True), seed=0)
    overlaps = find_overlaps(dataset, planted.detections, COCO, floor=0.1, same_class=False)
    det_row = np.repeat(np.arange(len(planted)), np.diff(overlaps.offsets))
    np.testing.assert_array_equal(overlaps.gt_row, planted.gt_row[det_row])


# --- boxes
