"""Planted labels are what slow labellers written from METHODS find, in any scene, by any recipe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens import read_dataset
from boxlens.matching import COCO, HOIEM, UNLIMITED, VOC, assign, find_overlaps
from boxlens.scenes.plant import Beta, Fixed, Kind, Recipe, Uniform, plant
from cases import random_scene, scenes
from oracles import planted_labels
from oracles.convert import scene_to_tables
from oracles.model import Detection, Object, Scene
from planted_worlds import (
    EVERYTHING,
    alike,
    assert_labels_are_true,
    assert_true_by_supercategory,
    roomy,
    world_of,
)
from shared_data import shared


def test_the_labellers_read_a_plain_scene_as_a_person_would():
    def square(x, y, cls=0, **flags):
        return Object(1, cls, (x, y, 10.0, 10.0), 100.0, **flags)

    found = [
        ((0.0, 0.0), 0, "correct", "correct"),
        ((1.0, 0.0), 0, "Loc", "Dupe"),
        ((105.0, 0.0), 0, "Loc", "Loc"),
        ((0.0, 100.0), 0, "Sim", "Cls"),
        ((0.0, 100.0), 2, "Oth", "Cls"),
        ((105.0, 100.0), 0, "Sim", "Both"),
        ((105.0, 100.0), 2, "Oth", "Both"),
        ((300.0, 300.0), 0, "BG", "Bkg"),
        ((200.0, 0.0), 0, "ignored", "ignored"),
    ]
    objects = (
        square(0.0, 0.0),
        square(100.0, 0.0),
        square(0.0, 100.0, cls=1),
        square(100.0, 100.0, cls=1),
        square(200.0, 0.0, difficult=True),
        square(400.0, 0.0),
    )
    detections = [
        Detection(1, cls, (*corner, 10.0, 10.0), 0.9 - 0.05 * place)
        for place, (corner, cls, _, _) in enumerate(found)
    ]
    scene = Scene((1,), (0, 1, 2), objects, tuple(detections))
    by_hoiem = planted_labels.hoiem_types(scene, {0: {1}, 1: {0}, 2: set()}, by_iou=False)
    by_tide = planted_labels.tide_types(scene, ignored_are_objects=False, best_only=True)
    assert by_hoiem.types == [hoiem for *_, hoiem, _ in found]
    assert by_tide.types == [tide for *_, tide in found]
    assert by_hoiem.missed == [1, 2, 3, 5]
    assert by_tide.missed == [3, 5]


RATES = st.one_of(st.floats(0, 0.16), st.integers(0, 3))
NUMBERS = st.one_of(
    st.floats(0, 1.5), st.integers(0, 4), st.sampled_from([(0.5, 0.3, 0.2), (0.0, 0.0, 1.0)])
)
GOOD_IOUS = st.sampled_from([Uniform(0.5, 1), Beta(8, 1, 0.5, 1), Fixed(0.55), Fixed(1.0)])
POOR_IOUS = st.sampled_from([Uniform(0.1, 0.5), Fixed(0.2), Beta(1, 3, 0.1, 0.5)])
SCORE_LAWS = st.sampled_from([Uniform(), Fixed(0.5), Fixed(1.0), Fixed(0.0), Beta(5, 2)])


@st.composite
def recipes(draw):
    instead = (
        "miss",
        "mislocalise",
        "confuse_similar",
        "confuse_dissimilar",
        "both_similar",
        "both_dissimilar",
    )
    beside = (
        "duplicate",
        "also_mislocalise",
        "also_confuse_similar",
        "also_confuse_dissimilar",
        "background",
    )
    return Recipe(
        **{name: draw(RATES) for name in instead},
        **{name: draw(NUMBERS) for name in beside},
        ignored=draw(st.sampled_from([0.0, 1.0, 2])),
        ious={
            "correct": draw(GOOD_IOUS),
            "localization": draw(POOR_IOUS),
            "duplicate": draw(GOOD_IOUS),
        },
        scores={kind.label: draw(SCORE_LAWS) for kind in Kind},
        isolated=draw(st.sampled_from([False, False, True])),
        score_decimals=draw(st.sampled_from([None, None, 3])),
        box_decimals=draw(st.sampled_from([None, 2])),
    )


@st.composite
def worlds(draw):
    """Crowded data sets and groups of similar classes, some of which share a class."""
    scene = draw(scenes(n_objects=7, n_classes=5, n_detections=0, tree=False))
    dataset, _ = scene_to_tables(scene)
    scale = draw(st.sampled_from([1.0, 1.0, 0.01, 50.0]))
    gt = replace(dataset.gt, box=dataset.gt.box * scale)
    size = np.full(len(dataset.images), draw(st.sampled_from([512.0 * scale, np.nan])))
    images = replace(dataset.images, width_px=size, height_px=size)
    members = st.lists(st.sampled_from(dataset.classes.name), max_size=3, unique=True)
    groups = draw(st.lists(members, max_size=3))
    return replace(dataset, gt=gt, images=images), groups


@settings(max_examples=150)
@given(world=worlds(), recipe=recipes(), seed=st.integers(0, 10**6))
def test_labels_are_true_in_any_scene_by_any_recipe(world, recipe, seed):
    dataset, groups = world
    planted = plant(dataset, replace(recipe, similar=groups), seed=seed)
    assert_labels_are_true(dataset, planted, alike(dataset.classes, groups))


@pytest.mark.parametrize("first_seed", range(0, 120, 40))
def test_labels_are_true_in_crowded_scenes(first_seed):
    for seed in range(first_seed, first_seed + 40):
        dataset, _ = scene_to_tables(random_scene(seed, n_objects=9, n_detections=0, flood=0))
        names = dataset.classes.name
        groups = [names[:2], names[2:4]]
        planted = plant(dataset, replace(EVERYTHING, similar=groups), seed=seed)
        assert_labels_are_true(dataset, planted, alike(dataset.classes, groups))


def test_labels_are_true_for_objects_side_by_side():
    # A second bad box on an object touches the next, and low thresholds would hand it that one.
    dataset = world_of([[40 + 30 * place, 50, 30, 60] for place in range(10)])
    recipe = Recipe(
        mislocalise=0.2,
        confuse_similar=0.4,
        duplicate=2.0,
        also_mislocalise=(0.5, 0.0, 0.0, 0.5),
        scores={"localization": Uniform(0.9, 1.0)},
    )
    for seed in range(20):
        planted = plant(dataset, recipe, seed=seed)
        assert_true_by_supercategory(dataset, planted)
        assert planted.counts()["localization"] > 3


def test_labels_are_true_after_rounding_boxes_of_a_few_hundredths():
    rng = np.random.default_rng(0)
    boxes = np.hstack([rng.random((40, 2)) * 4, rng.uniform(0.02, 0.09, (40, 2))])
    dataset = world_of(boxes, classes=rng.integers(0, 4, 40), size=(5.0, 5.0))
    planted = plant(dataset, replace(EVERYTHING, box_decimals=2), seed=1)
    assert len(planted) > 40
    np.testing.assert_array_equal(planted.detections.box, np.round(planted.detections.box, 2))
    assert_true_by_supercategory(dataset, planted)


def test_labels_are_true_at_other_thresholds():
    dataset = roomy(12)
    recipe = replace(EVERYTHING, foreground_iou=0.75, background_iou=0.3)
    planted = plant(dataset, recipe, seed=3)
    limits = planted_labels.Limits(foreground=0.75, background=0.3)
    assert_true_by_supercategory(dataset, planted, limits)
    assert set(np.unique(planted.label)) == set(Kind) - {Kind.IGNORED}


def test_labels_are_true_for_difficult_objects_that_overlap():
    boxes = [[40, 20, 60, 60], [58, 20, 60, 60], [40, 120, 60, 60], [58, 122, 60, 60]]
    dataset = world_of(boxes, difficult=[1, 1, 1, 0])
    ious = dict.fromkeys(("ignored", "correct"), Uniform(0.5, 0.75))
    for seed in range(40):
        planted = plant(dataset, Recipe(ignored=1.0, ious=ious), seed=seed)
        assert_true_by_supercategory(dataset, planted)


def test_labels_are_true_with_one_class_and_one_image():
    dataset = world_of([[10, 10, 50, 50], [20, 20, 50, 50], [200, 100, 9, 9]], names="a")
    planted = plant(dataset, EVERYTHING, seed=0)
    assert_true_by_supercategory(dataset, planted)
    assert not np.isin(planted.label, (Kind.SIMILAR, Kind.DISSIMILAR)).any()


def test_objects_with_the_same_box_are_missed_and_counted():
    dataset = world_of([[10, 10, 50, 50], [10, 10, 50, 50], [200, 100, 90, 90], [5, 5, 0, 20]])
    planted = plant(dataset, Recipe(), seed=0)
    assert planted.missed.tolist() == [0, 1, 3]
    assert planted.short == {"correct": 3}
    assert [notice.count for notice in planted.notices] == [3]


@pytest.mark.parametrize(
    "dataset", [world_of([]), world_of([], names=""), world_of([], n_images=0)]
)
def test_data_sets_without_objects_classes_or_images_are_no_obstacle(dataset):
    planted = plant(dataset, replace(EVERYTHING, background=30), seed=0)
    possible = len(dataset.images) and len(dataset.classes)
    assert len(planted) == (30 if possible else 0)
    assert planted.short == ({} if possible else {"background": 30})
    assert set(planted.label) <= {Kind.BACKGROUND}


def test_kernel_finds_every_planted_detection_on_real_ground_truth():
    dataset = read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    recipe = replace(EVERYTHING, background=20.0, ignored=0.5)
    planted = plant(dataset, recipe, seed=5)
    detections = planted.detections
    correct = planted.label == Kind.CORRECT
    expected = np.where(correct, 1, np.where(planted.label == Kind.IGNORED, 0, -1))
    for rule in (COCO, VOC, HOIEM):
        overlaps = find_overlaps(dataset, detections, rule, floor=0.1)
        matches = assign(
            dataset,
            detections,
            overlaps,
            rule,
            iou_thresholds=(0.1, 0.5),
            max_dets=UNLIMITED,
            keep_hits=True,
        )
        np.testing.assert_array_equal(matches.labels(threshold=1), expected)
        np.testing.assert_array_equal(matches.hit_row[1][correct], planted.gt_row[correct])
        found = (matches.gt_hit & matches.bit(1)) != 0
        not_found = np.flatnonzero(~found & ~COCO.ignored(dataset.gt))
        np.testing.assert_array_equal(not_found, planted.not_found())
        placed = planted.label == Kind.LOCALIZATION
        weak = np.unique(planted.gt_row[correct | placed])
        np.testing.assert_array_equal(np.flatnonzero(matches.gt_hit & matches.bit(0)), weak)
