"""Planted errors: boxes, scores, seeds, similar classes, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.data import Classes, ClassTree
from boxlens.data.columns import attribute_column
from boxlens.errors import ParameterError
from boxlens.matching import COCO, paired_iou
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


@settings(max_examples=200)
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
        ({"miss": 1.5}, "miss must be a probability"),
        ({"miss": -1}, "miss must be a probability"),
        ({"miss": True}, "miss must be a probability"),
        ({"miss": 0.6, "mislocalise": 0.6}, "add up to 1.2"),
        ({"duplicate": -0.5}, "duplicate must be 0 or more"),
        ({"background": (0.5, 0.2)}, "add up to 1"),
        ({"scores": {"good": Fixed(0.5)}}, "unknown kind 'good'"),
        ({"ious": {"correct": Uniform(0.3, 0.9)}}, "between 0.5 and 1.0"),
        ({"ious": {"correct": Fixed(0.5)}}, "between 0.5 and 1.0"),
        ({"ious": {"localization": Fixed(0.5)}}, "between 0.1 and 0.5"),
        ({"ious": {"background": Fixed(0.0)}}, "remove their IoU law"),
        ({"foreground_iou": 0.1}, "thresholds must ascend"),
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
            "unknown characteristic 'colour'; choose from area",
        ),
        (Recipe(depends=(Dependence("miss", "pose", {"up": 2.0}),)), "no object has one of"),
        (Recipe(depends=(Dependence("miss", "pose", Steps((1.0,), (1.0, 2.0))),)), "is text"),
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
