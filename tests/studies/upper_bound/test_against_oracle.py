"""Upper bounds, relabelling and crops against plain loops over hard little scenes."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest

import boxlens
from boxlens.studies.upper_bound.bounds import context_accuracy, correlation, strategy_bound
from boxlens.studies.upper_bound.choice import CONTEXT_SCALES, UpperBoundChoice
from boxlens.studies.upper_bound.classifying import Labels
from boxlens.studies.upper_bound.relabelling import ObjectLabels, relabelled
from boxlens.studies.upper_bound.result import MOST_CONFIDENT, MOST_FREQUENT, OWN_BOX
from boxlens.studies.upper_bound.scoring import labelled_boxes
from boxlens.studies.upper_bound.verdict import bound_sentences
from boxlens.studies.upper_bound.views import OWN, Shown, context_views, sampled_boxes, views_of
from cases import random_scene
from oracles import coco
from oracles import upper_bound as oracle
from oracles.convert import scene_to_tables, table_order
from oracles.model import iou

SCORES = (0.2, 0.5, 0.5, 0.9, 1.0)
SEEDS_A_PART = 25
parts = pytest.mark.parametrize("part", range(8))


def seeds_of(part):
    return range(part * SEEDS_A_PART, (part + 1) * SEEDS_A_PART)


def hard_scene(seed, **knobs):
    """Crowds, groups, difficult objects, boxes without area, equal boxes, images without objects."""
    known = {"n_images": 4, "n_objects": 5, "n_detections": 0, "flood": 0, "tree": False}
    return random_scene(seed, **{**known, **knobs})


def random_labels(scene, seed, right=0.6):
    """By object of the scene; scores are often equal, and a few objects have none."""
    rng = random.Random(seed)

    def label(obj):
        if rng.random() < 0.1:
            return None
        cls = obj.cls if rng.random() < right else rng.choice(scene.classes)
        return cls, rng.choice(SCORES)

    return [label(obj) for obj in scene.objects]


def as_table(scene, labels, strategy=OWN_BOX):
    """The same by row of the ground truth."""
    row_of_class = {cls: row for row, cls in enumerate(scene.classes)}
    ordered = [labels[place] for place in table_order(scene, scene.objects)]
    class_row = [-1 if one is None else row_of_class[one[0]] for one in ordered]
    score = [math.nan if one is None else one[1] for one in ordered]
    return ObjectLabels(strategy, np.array(class_row, np.int32), np.array(score, np.float64))


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@parts
def test_the_bound_equals_the_oracle_at_every_iou_and_in_every_class(part):
    for seed in seeds_of(part):
        scene = hard_scene(seed)
        labels = random_labels(scene, seed)
        dataset, _ = scene_to_tables(scene)
        found, expected = (
            strategy_bound(dataset, as_table(scene, labels)),
            oracle.bound(scene, labels),
        )
        assert list(found.by_iou) == coco.THRESHOLDS
        same(list(found.by_iou.values()), [expected.at(row) for row in range(10)])
        same(found.uap, expected.uap)
        same([one.uap for one in found.classes], expected.classes())
        same([one.uap50 for one in found.classes], expected.by_iou[0])


def test_the_bound_equals_the_oracle_in_every_size():
    for seed in range(300, 325):
        scene = hard_scene(seed)
        labels = random_labels(scene, seed)
        dataset, _ = scene_to_tables(scene)
        found = strategy_bound(dataset, as_table(scene, labels)).by_size
        assert set(found) == {"small", "medium", "large"}
        for size, value in found.items():
            same(value, oracle.mean_of_defined(oracle.in_size(scene, labels, size)))


@parts
def test_accuracy_is_the_oracles_recall_and_correlates_as_it_says(part):
    for seed in seeds_of(part):
        scene = hard_scene(seed)
        labels = random_labels(scene, seed)
        dataset, _ = scene_to_tables(scene)
        found = strategy_bound(dataset, as_table(scene, labels))
        by_class = oracle.class_accuracy(scene, labels)
        same([one.accuracy for one in found.classes], by_class)
        same(found.class_accuracy, oracle.mean_of_defined(by_class))
        everything = range(len(scene.objects))
        same(found.accuracy, oracle.accuracy_of(scene, labels, everything))
        counted = [g for g in everything if oracle.is_labelled(scene, g)]
        assert sum(one.n_objects for one in found.classes) == len(counted)
        assert found.n_labelled == sum(labels[g] is not None for g in counted)
        uap = [one.uap for one in found.classes]
        same(correlation(np.array(by_class), np.array(uap)).r, oracle.pearson(by_class, uap))


def test_correlation_equals_the_oracle_on_any_numbers():
    rng = np.random.default_rng(0)
    for _ in range(100):
        pairs = rng.integers(0, 5, (2, rng.integers(0, 8))) / 4
        pairs[rng.random(pairs.shape) < 0.2] = np.nan
        found = correlation(*pairs)
        assert found.n_classes == (~np.isnan(pairs)).all(axis=0).sum()
        same(found.r, oracle.pearson(*pairs.tolist()))
        same(found.r_squared, oracle.pearson(*pairs.tolist()) ** 2)


def test_crowds_and_groups_get_no_label_and_difficult_objects_do():
    n_left_out = 0
    for seed in range(60):
        scene = hard_scene(seed)
        dataset, _ = scene_to_tables(scene)
        labels = [(obj.cls, 1.0) for obj in scene.objects]
        boxes = labelled_boxes(dataset, as_table(scene, labels))
        expected = oracle.as_detections(scene, labels).detections
        assert sorted(map(tuple, boxes.box.tolist())) == sorted(det.box for det in expected)
        n_left_out += len(scene.objects) - len(expected)
    assert n_left_out > 20


@pytest.mark.parametrize("gamma", [0.05, 0.5, 0.75, 0.99])
@pytest.mark.parametrize("n_shifts", [1, 4])
def test_sampled_boxes_are_the_oracles_and_have_the_iou(gamma, n_shifts):
    rng = np.random.default_rng(n_shifts)
    boxes = np.column_stack([rng.uniform(-200, 900, (25, 2)), rng.uniform(0.01, 400, (25, 2))])
    for box, found in zip(boxes, sampled_boxes(boxes, gamma, n_shifts), strict=True):
        expected = oracle.sampled_boxes(tuple(box.tolist()), gamma, n_shifts)
        same(sorted(found.round(6).tolist()), sorted(np.round(expected, 6).tolist()))
        overlaps = [iou(tuple(one.tolist()), tuple(box.tolist())) for one in found]
        # A box far from 0 is known to fewer digits than its sides.
        np.testing.assert_allclose(overlaps, gamma, rtol=0, atol=1e-12 * 900 / min(box[2:]))
        corners = {tuple(np.sign(one[:2] - box[:2]).tolist()) for one in found}
        assert corners == {(-1, -1), (-1, 1), (1, -1), (1, 1)}
        assert len(found) == 4 * n_shifts


def random_votes(rng, n_objects, n_boxes):
    """Few classes and scores, so that votes and confidences tie; some boxes say nothing."""
    return [
        [
            None if rng.random() < 0.2 else (rng.randrange(3), rng.choice((-2.0, 0.5, 0.5, 7.0)))
            for _ in range(n_boxes)
        ]
        for _ in range(n_objects)
    ]


def test_labels_around_an_object_are_chosen_as_the_oracle_chooses():
    rng = random.Random(3)
    for n_boxes in (4, 8):
        votes = random_votes(rng, 150, n_boxes)
        votes.append([None] * n_boxes)
        choice = UpperBoundChoice(n_shifts=n_boxes // 4)
        class_row, score = (np.full((len(votes), 1 + n_boxes), fill) for fill in (-1, math.nan))
        for row, cast in enumerate(votes):
            for place, vote in enumerate(cast):
                if vote is not None:
                    class_row[row, 1 + place], score[row, 1 + place] = vote
        labels = Labels(views_of(choice), class_row.astype(np.int32), score)
        own, surest, commonest = relabelled(labels)
        assert [one.strategy for one in (own, surest, commonest)] == [
            OWN_BOX,
            MOST_CONFIDENT,
            MOST_FREQUENT,
        ]
        for row, cast in enumerate(votes):
            assert label_at(own, row) is None
            assert label_at(surest, row) == oracle.most_confident(cast)
            assert label_at(commonest, row) == oracle.most_frequent(cast)


def label_at(labels, row):
    if np.isnan(labels.score[row]):
        assert labels.class_row[row] == -1
        return None
    return int(labels.class_row[row]), float(labels.score[row])


def test_with_right_labels_all_around_strategy_two_equals_strategy_one():
    for seed in range(20):
        # A box without area overlaps nothing, itself included.
        scene = hard_scene(seed, zero_size=0)
        dataset, _ = scene_to_tables(scene)
        choice = UpperBoundChoice(n_shifts=2)
        class_row = np.repeat(dataset.gt.class_row[:, None], 9, axis=1)
        score = np.random.default_rng(seed).random(class_row.shape)
        labels = Labels(views_of(choice), class_row, score)
        for one in relabelled(labels):
            # The score differs, but nothing is wrong, whatever its rank.
            bound = strategy_bound(dataset, one)
            defined = [value for value in bound.by_iou.values() if not math.isnan(value)]
            assert defined == [1.0] * len(defined)
            assert math.isnan(bound.accuracy) or bound.accuracy == 1


def some_boxes(rng, width, height, n=40):
    """Inside, over the border, outside, without area, thinner than a pixel, whole-numbered."""
    boxes = [
        (0.0, 0.0, float(width), float(height)),
        (3.0, 4.0, 0.0, 5.0),
        (2.3, 5.1, 0.2, 0.1),
        (-9.0, 2.0, 9.0, 4.0),
        (width - 0.3, height - 0.2, 5.0, 5.0),
        (-5.0, -5.0, width + 10.0, height + 10.0),
    ]
    for _ in range(n):
        x, y = rng.uniform(-0.3 * width, 1.1 * width), rng.uniform(-0.3 * height, 1.1 * height)
        boxes.append((x, y, rng.uniform(0.05, width), rng.uniform(0.05, height)))
        boxes.append((*map(float, map(int, boxes[-1][:2])), rng.randint(1, 9), rng.randint(1, 9)))
    return boxes


def expected_crop(pixels, box, view, samples):
    if oracle.crop(pixels, box) is None:
        return None
    if view.kind == "image":
        return pixels
    if view.kind == "image_context":
        return oracle.without_box(pixels, box)
    if view.kind == "sample":
        return oracle.crop(pixels, samples[view.sample])
    shown = oracle.without_box(pixels, box) if view.kind == "context" else pixels
    return oracle.crop(shown, box if view.scale == 1 else oracle.scaled(box, view.scale))


def test_every_crop_has_the_very_pixels_of_the_oracle():
    rng = random.Random(1)
    pixels = np.random.default_rng(0).integers(1, 256, (19, 23, 3)).astype(np.uint8)
    untouched = pixels.copy()
    choice = UpperBoundChoice(sampled_iou=0.6, n_shifts=2, context_scales=(*CONTEXT_SCALES, 1.5))
    n_none = 0
    for box in some_boxes(rng, 23, 19):
        shown = Shown.of(pixels, np.array(box), choice)
        samples = [tuple(one) for one in shown.samples.tolist()]
        for view in views_of(choice):
            found, expected = shown.crop(view), expected_crop(pixels, box, view, samples)
            n_none += expected is None
            assert (found is None) == (expected is None), (box, view)
            if expected is not None:
                np.testing.assert_array_equal(found, expected, err_msg=f"{box} {view}")
    assert n_none > 50
    np.testing.assert_array_equal(pixels, untouched)


def test_the_context_table_counts_objects_that_all_crops_are_of():
    for seed in range(30):
        scene = hard_scene(seed)
        dataset, _ = scene_to_tables(scene)
        views = (OWN, *context_views((0.5, 1.0, 2.0)))
        said = [random_labels(scene, 100 * seed + place) for place in range(len(views))]
        tables = [as_table(scene, labels) for labels in said]
        columns = [
            np.stack([getattr(one, name) for one in tables], axis=1)
            for name in ("class_row", "score")
        ]
        found = context_accuracy(dataset, Labels(views, *columns))
        everywhere = [
            g
            for g in range(len(scene.objects))
            if all(labels[g] is not None for labels in said[1:])
        ]
        counted = [g for g in everywhere if oracle.is_labelled(scene, g)]
        assert [one.kind for one in found] == [one.kind for one in views[1:]]
        for one, labels in zip(found, said[1:], strict=True):
            assert one.n_objects == len(counted)
            same(one.accuracy, oracle.accuracy_of(scene, labels, everywhere))


def test_labels_of_all_but_groups_are_labels_of_everything(tmp_path):
    """Groups are not classified, as crowds are not: a file that leaves them out is complete."""
    scene = next(
        one
        for one in map(hard_scene, range(99))
        if {obj.group_of or obj.crowd for obj in one.objects} == {True, False}
        and any(obj.group_of for obj in one.objects)
    )
    dataset, _ = scene_to_tables(scene)
    gt = dataset.gt
    kept = np.flatnonzero(~gt.crowd & ~gt.group_of)
    records = [
        {"id": int(gt.id[row]), "label": dataset.classes.name[gt.class_row[row]], "score": 1.0}
        for row in kept
    ]
    (tmp_path / "labels.json").write_text(json.dumps(records))
    result = boxlens.upper_bound(dataset, classifier=tmp_path / "labels.json")
    assert result.bound.accuracy == 1
    assert result.n_objects == result.bound.n_labelled == len(kept)


def test_the_sentence_on_accuracy_names_the_number_that_it_is_a_share_of(tmp_path):
    dataset, _ = scene_to_tables(hard_scene(1, crowd=0, group_of=0, difficult=0, n_objects=8))
    n = len(dataset.gt)
    assert n > 3
    gt, half = dataset.gt, n // 2
    records = [
        {"id": int(gt.id[row]), "label": dataset.classes.name[gt.class_row[row]], "score": 1.0}
        for row in range(half)
    ]
    (tmp_path / "labels.json").write_text(json.dumps(records))
    result = boxlens.upper_bound(dataset, classifier=tmp_path / "labels.json")
    assert result.bound.accuracy == half / n
    (said,) = [line for line in bound_sentences(result) if line.startswith("The classifier")]
    assert f"of {n} objects" in said
