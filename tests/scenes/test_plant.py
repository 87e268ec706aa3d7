"""A recipe is followed: counts, rates and what they depend on, IoUs, scores, seeds, bad values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.data import Classes, ClassTree
from boxlens.data.columns import attribute_column
from boxlens.errors import ParameterError
from boxlens.matching import COCO, find_overlaps, paired_iou
from boxlens.scenes.plant import (
    Beta,
    Dependence,
    Fixed,
    Kind,
    Recipe,
    Steps,
    Uniform,
    plant,
    similar_classes,
)
from boxlens.scenes.planting.boxes import boxes_at_iou
from boxlens.scenes.planting.scores import distinct
from cases import random_scene
from oracles.convert import scene_to_tables
from oracles.model import iou
from planted_worlds import (
    EVERYTHING,
    assert_true_by_supercategory,
    roomy,
    similar_by_supercategory,
    world_of,
)
from small_world import assert_same_tables, small_dataset

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


@settings(max_examples=200, deadline=None)
@given(
    box=st.tuples(*[st.floats(-500, 500)] * 2, *[st.floats(0.5, 900)] * 2),
    wished=st.floats(0.05, 1.0),
    seed=st.integers(0, 1000),
    nested=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_a_box_has_the_iou_that_was_wished_for(box, wished, seed, nested):
    n = 20
    rows = np.tile(np.array(box), (n, 1))
    everywhere = np.full((n, 2), np.inf)
    found = boxes_at_iou(
        np.random.default_rng(seed), rows, np.full(n, wished), -everywhere, everywhere, nested
    )
    overlap = [iou(tuple(values), box) for values in found.tolist()]
    np.testing.assert_allclose(overlap, wished, atol=1e-9)
    assert len(np.unique(found, axis=0)) > 1 or wished > 0.999


def test_ious_follow_their_laws():
    laws = {"correct": Fixed(0.8), "localization": Uniform(0.2, 0.3), "duplicate": Fixed(0.6)}
    planted = plant(roomy(), Recipe(mislocalise=0.5, duplicate=1.0, ious=laws), seed=0)
    np.testing.assert_allclose(planted.iou[planted.label == Kind.CORRECT], 0.8)
    np.testing.assert_allclose(planted.iou[planted.label == Kind.DUPLICATE], 0.6)
    placed = planted.iou[planted.label == Kind.LOCALIZATION]
    assert (placed.min() >= 0.2, placed.max() <= 0.3, placed.std() > 0.02) == (True, True, True)
    paired = paired_iou(roomy(), planted.detections, planted.gt_row, COCO)
    np.testing.assert_array_equal(planted.iou, paired)


def test_boxes_stay_inside_their_images():
    boxes = [[0, 0, 400, 300], [0, 0, 50, 300], [350, 250, 50, 50]]
    dataset = world_of(boxes, classes=[0, 1, 2])
    for seed in range(30):
        box = plant(dataset, EVERYTHING, seed=seed).detections.box
        assert box[:, :2].min(initial=0) >= 0
        assert (box[:, :2] + box[:, 2:] <= [400, 300]).all()


def test_images_of_unknown_size_and_relative_boxes_are_planted_too():
    dataset = roomy(20)
    unknown = np.full(20, np.nan)
    images = replace(dataset.images, width_px=unknown, height_px=unknown)
    planted = plant(replace(dataset, images=images), EVERYTHING, seed=0)
    assert_true_by_supercategory(dataset, planted)
    gt = replace(dataset.gt, box=dataset.gt.box / 420)
    fractions = replace(dataset, images=images, gt=gt, relative=True)
    planted = plant(fractions, EVERYTHING, seed=0)
    assert_true_by_supercategory(fractions, planted)
    assert (planted.detections.box[:, :2] + planted.detections.box[:, 2:]).max() <= 1


# --- scores


def test_scores_follow_their_laws_and_duplicates_stay_below():
    scores = {
        "correct": Uniform(0.4, 0.5),
        "background": Uniform(0.9, 1.0),
        "duplicate": Fixed(1.0),
    }
    planted = plant(roomy(), Recipe(duplicate=1.5, background=3.0, scores=scores), seed=0)
    score = planted.detections.score
    assert len(np.unique(score)) == len(score)
    assert score[planted.label == Kind.BACKGROUND].min() >= 0.9
    correct = planted.label == Kind.CORRECT
    of_object = np.zeros(480)
    of_object[planted.gt_row[correct]] = score[correct]
    repeats = planted.label == Kind.DUPLICATE
    assert (score[repeats] < of_object[planted.gt_row[repeats]]).all()
    np.testing.assert_allclose(score[repeats], of_object[planted.gt_row[repeats]])


@pytest.mark.parametrize(("drawn", "correct", "repeated"), [(0.5, 0.5, 0.49), (0.004, 0.01, 0.0)])
def test_rounded_scores_leave_duplicates_a_step_below(drawn, correct, repeated):
    scores = {"correct": Fixed(drawn), "duplicate": Fixed(1.0)}
    recipe = Recipe(duplicate=(0.0, 1.0), scores=scores, score_decimals=2)
    planted = plant(roomy(20), recipe, seed=0)
    score = planted.detections.score
    assert set(score[planted.label == Kind.CORRECT].tolist()) == {correct}
    assert set(score[planted.label == Kind.DUPLICATE].tolist()) == {repeated}
    assert_true_by_supercategory(roomy(20), planted)


@given(
    score=st.lists(st.sampled_from([0.0, 5e-324, 0.3, 0.5, 0.7, 1.0]), max_size=12),
    below=st.lists(st.booleans(), min_size=12, max_size=12),
)
def test_equal_scores_are_moved_apart_by_next_to_nothing(score, below):
    score, below = np.array(score), np.array(below[: len(score)], dtype=bool)
    apart = distinct(score, below)
    assert len(np.unique(apart)) == len(score)
    assert ((apart >= 0) & (apart <= 1)).all()
    np.testing.assert_allclose(apart, score, atol=1e-14)
    for i in range(len(score)):
        for j in range(len(score)):
            if score[i] < score[j] or (score[i] == score[j] and below[i] and not below[j]):
                assert apart[i] < apart[j]


# --- seeds


def test_the_same_seed_gives_the_same_set_and_another_seed_another():
    dataset = roomy(10)
    one, again, other = (plant(dataset, EVERYTHING, seed=seed) for seed in (7, 7, 8))
    assert_same_tables(one.detections, again.detections)
    np.testing.assert_array_equal(one.label, again.label)
    np.testing.assert_array_equal(one.gt_row, again.gt_row)
    assert not np.array_equal(one.detections.box, other.detections.box)


def test_a_change_of_one_rate_leaves_other_kinds_where_they_were():
    few, many = (plant(roomy(10), replace(EVERYTHING, background=n), seed=0) for n in (0.0, 9.0))

    def boxes_on_objects(planted):
        return {tuple(box) for box in planted.detections.box[planted.gt_row >= 0].tolist()}

    assert boxes_on_objects(few) == boxes_on_objects(many)


def test_rows_of_an_image_stand_in_no_order_of_kind():
    planted = plant(roomy(60), Recipe(background=4.0), seed=0)
    first = planted.label[planted.detections.offsets[:-1]]
    assert 0.2 < (first == Kind.BACKGROUND).mean() < 0.8


# --- similar classes


def test_similar_classes_come_from_supercategories_a_tree_or_groups():
    rich = small_dataset(rich=True).classes
    expected = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    for similarity in (None, "supercategory", "tree", [("ant", "bee")]):
        np.testing.assert_array_equal(similar_classes(rich, similarity), expected)
    only_tree = Classes.of([1, 2, 3], list("abc"), tree=ClassTree({1: ("x",), 3: ("x",)}))
    assert np.argwhere(similar_classes(only_tree)).tolist() == [[0, 2], [2, 0]]
    assert not similar_classes(Classes.of([1, 2], ["a", "b"])).any()


def test_confusions_name_classes_of_the_kind_they_claim():
    dataset = roomy()
    planted = plant(dataset, Recipe(confuse_similar=0.5, confuse_dissimilar=0.5), seed=0)
    similar = similar_by_supercategory(dataset)
    truth = dataset.gt.class_row[planted.gt_row]
    for named, true, kind in zip(planted.detections.class_row, truth, planted.label, strict=True):
        assert named != true
        assert (named in similar[true]) == (kind == Kind.SIMILAR)


# --- what cannot be meant


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ({"miss": 1.5}, "miss is a chance"),
        ({"miss": -1}, "miss is a chance"),
        ({"miss": True}, "miss is a chance"),
        ({"miss": 0.6, "mislocalise": 0.6}, "add up to 1.2"),
        ({"duplicate": -0.5}, "duplicate is a number"),
        ({"background": (0.5, 0.2)}, "add up to 1"),
        ({"scores": {"good": Fixed(0.5)}}, "no kind 'good'"),
        ({"ious": {"correct": Uniform(0.3, 0.9)}}, "between 0.5 and 1.0"),
        ({"ious": {"correct": Fixed(0.5)}}, "between 0.5 and 1.0"),
        ({"ious": {"localization": Fixed(0.5)}}, "between 0.1 and 0.5"),
        ({"ious": {"background": Fixed(0.0)}}, "no IoU law"),
        ({"foreground_iou": 0.1}, "thresholds ascend"),
        ({"depends": (Dependence("background", "area", {}),)}, "'background'"),
    ],
)
def test_a_recipe_that_cannot_be_meant_is_refused(mistake, words):
    with pytest.raises(ParameterError, match=words):
        Recipe(**mistake)


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        (Recipe(similar=[("a", "zebra")]), "'zebra'"),
        (Recipe(similar="tree"), "no tree"),
        (Recipe(similar="size"), "'size'"),
        (
            Recipe(depends=(Dependence("miss", "colour", {}),)),
            "no characteristic 'colour'; there are area",
        ),
        (Recipe(depends=(Dependence("miss", "pose", {"up": 2.0}),)), "no object has one of"),
        (Recipe(depends=(Dependence("miss", "pose", Steps((1.0,), (1.0, 2.0))),)), "holds text"),
        (Recipe(depends=(Dependence("miss", "area", lambda area: -area),)), "factors 0 or more"),
    ],
)
def test_a_recipe_that_does_not_fit_the_data_is_refused(recipe, words):
    dataset = roomy(1, attributes={"pose": attribute_column(["left", "right", None, "left"])})
    with pytest.raises(ParameterError, match=words):
        plant(dataset, recipe, seed=0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Uniform(0.5, 0.2),
        lambda: Beta(0, 1),
        lambda: Fixed(1.2),
        lambda: Steps((2.0, 1.0), (0.0, 0.0, 0.0)),
        lambda: Dependence("miss", "area", {}, how="add"),
        lambda: plant(roomy(1), Recipe(), seed=-1),
        lambda: plant(roomy(1), Recipe(), seed=0).types("coco"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(make):
    with pytest.raises(ParameterError):
        make()
