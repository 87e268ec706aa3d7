"""Disagreement between detectors, and how good a guide it is to what is worth annotating."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from boxlens.data import Images
from boxlens.errors import ParameterError
from boxlens.studies.comparison.cases.annotation_gain import _area, _curve, annotation_gain
from boxlens.studies.comparison.cases.disagreement import rank_images
from oracles import coco
from oracles import disagreement as oracle
from oracles.one_image import at, gt, tables
from studies.comparison.real_detectors import coco_detectors
from studies.comparison.two_systems import several_systems, tables_of

SEEDS = range(40)


def of_one_image(*found):
    """Each detector a list of (box, class)."""
    return [tables([gt(at(0))], boxes)[1] for boxes in found]


def rank_images_of(detectors, n_images, **choice):
    sizes = np.full(n_images, 100.0)
    images, _ = Images.of(np.arange(n_images) + 10, sizes, sizes, [""] * n_images)
    return rank_images(images, detectors, **{"min_score": [-1.0] * len(detectors), **choice})


def disagreement(detectors, **choice):
    return rank_images_of(detectors, detectors[0].n_images, **choice).share


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([], [], 0.0),
        ([(at(0), 0)], [], 1.0),
        ([(at(0), 0)], [(at(0), 0)], 0.0),
        ([(at(0), 0)], [(at(0), 1)], 1.0),
        ([(at(0), 0)], [(at(5), 0)], 2 / 3),
        # 1 shared of (2 + 1) / 2.
        ([(at(0), 0), (at(100), 0)], [(at(0), 0)], 1 / 3),
        # One-to-one: the second copy of a box finds no partner.
        ([(at(0), 0), (at(0), 0)], [(at(0), 0)], 1 / 3),
        # The largest IoU first: 1 and then nothing, not two thirds.
        ([(at(0), 0), (at(5), 0)], [(at(0), 0)], 1 / 3),
    ],
)
def test_disagreement_by_hand(first, second, expected):
    detectors = of_one_image(first, second)
    assert disagreement(detectors) == pytest.approx([expected])


def test_classes_may_be_left_aside():
    detectors = of_one_image([(at(0), 0)], [(at(0), 1)])
    assert disagreement(detectors, class_agnostic=True) == [0.0]


def test_boxes_below_a_detector_s_own_cut_say_nothing():
    detectors = of_one_image([(at(0), 0), (at(100), 0)], [(at(0), 0)])
    assert disagreement(detectors, min_score=[0.5, 0.5]) == [0.0]
    assert disagreement(detectors, min_score=[0.95, 0.5]) == [1.0]


def test_three_detectors_disagree_by_the_mean_of_their_pairs():
    detectors = of_one_image([(at(0), 0)], [(at(0), 0)], [(at(5), 0)])
    expected = [(0 + 2 / 3 + 2 / 3) / 3]
    assert disagreement(detectors) == pytest.approx(expected)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("agnostic", [False, True])
def test_disagreement_equals_the_oracle(seed, agnostic):
    scene, systems = several_systems(seed, n_systems=2 + seed % 2)
    _, detectors = tables_of(scene, systems)
    cuts = [0.1 * place for place in range(len(systems))]
    kept = [[d for d in s if d.score >= cut] for s, cut in zip(systems, cuts, strict=True)]
    expected = [
        oracle.disagreement([[d for d in s if d.image == image] for s in kept], agnostic=agnostic)
        for image in scene.images
    ]
    found = disagreement(detectors, min_score=cuts, class_agnostic=agnostic)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_swapping_two_detectors_changes_no_bit(seed):
    # The scenes lie on a grid, so that ties of IoU abound.
    _, (a, b) = tables_of(*several_systems(seed))
    there = disagreement([a, b], min_score=[0.1, 0.3])
    np.testing.assert_array_equal(there, disagreement([b, a], min_score=[0.3, 0.1]))
    assert ((there >= 0) & (there <= 1)).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_detector_agrees_with_itself(seed):
    _, (a, _) = tables_of(*several_systems(seed, zero_size=0.0))
    ranked = rank_images_of([a, a], a.n_images)
    assert not ranked.share.any()
    assert not ranked.boxes.any()


def test_images_come_most_disputed_first_and_ties_go_to_more_boxes():
    scene, systems = several_systems(3)
    dataset, detectors = tables_of(scene, systems)
    ranked = rank_images(dataset.images, detectors, min_score=[0, 0])
    assert sorted(ranked.order) == list(range(len(scene.images)))
    keys = list(zip(ranked.share[ranked.order], ranked.boxes[ranked.order], strict=True))
    assert keys == sorted(keys, reverse=True)
    by_boxes = rank_images(dataset.images, detectors, min_score=[0, 0], by="boxes")
    assert list(by_boxes.boxes[by_boxes.order]) == sorted(by_boxes.boxes, reverse=True)
    np.testing.assert_allclose(ranked.share * ranked.n_boxes.mean(axis=0), ranked.boxes)
    told = json.loads(json.dumps(replace(ranked, top=2).to_json(), allow_nan=False))["results"]
    assert [row["image_id"] for row in told["top"]] == ranked.image_id[ranked.order[:2]].tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"min_score": [0.5]}, "2 detectors need 2 score cuts"),
        ({"min_score": [0.5, float("nan")]}, "finite"),
        ({"by": "luck"}, "share or boxes"),
    ],
)
def test_what_cannot_be_meant_is_refused(change, message):
    dataset, detectors = tables_of(*several_systems(1))
    with pytest.raises(ParameterError, match=message):
        rank_images(dataset.images, detectors, **{"min_score": [0, 0], **change})
    with pytest.raises(ParameterError, match="two or more detectors"):
        disagreement(detectors[:1], min_score=[0.5])


def gained(dataset, detectors, min_score, scores):
    ranked = rank_images(dataset.images, detectors, min_score=min_score)
    return annotation_gain(
        dataset, detectors, min_score=min_score, image_scores=scores, ranked=ranked
    )


def gain_of(seed):
    scene, systems = several_systems(seed, n_images=12)
    dataset, detectors = tables_of(scene, systems)
    scores = np.random.default_rng(seed).random((2, len(scene.images)))
    return dataset, detectors, scores, gained(dataset, detectors, [0.1, 0.1], scores)


@pytest.mark.parametrize("seed", range(10))
def test_gains_equal_plain_sums(seed, monkeypatch):
    module = "boxlens.studies.comparison.cases.annotation_gain"
    monkeypatch.setattr(f"{module}.BUDGETS", (0.1, 0.5, 1.0))
    dataset, detectors, scores, result = gain_of(seed)
    order = rank_images(dataset.images, detectors, min_score=[0.1, 0.1]).order
    differences = np.abs(scores[0] - scores[1])
    row = result.named("difference").named("share")
    n = len(order)
    for budget, share in zip(result.budgets, row.at_images, strict=True):
        n_first = max(1, round(budget * n))
        assert share == pytest.approx(oracle.share_found(differences, order, n_first))
    assert row.curve[row.n_half] >= 0.5 > row.curve[max(row.n_half - 1, 0)]
    json.dumps(result.to_json(), allow_nan=False)


@pytest.mark.parametrize("seed", range(10))
def test_errors_equal_the_oracle(seed):
    scene, systems = several_systems(seed)
    dataset, detectors = tables_of(scene, systems)
    scores = np.zeros((2, len(scene.images)))
    result = gained(dataset, detectors, [0.1, 0.3], scores)
    n_errors = 0
    for system, cut in zip(systems, (0.1, 0.3), strict=True):
        strong = replace(scene, detections=tuple(det for det in system if det.score >= cut))
        matching = coco.match(strong, 0.5)
        counted = matching.ignored.count(False)
        n_errors += matching.label.count(-1) + counted - matching.label.count(1)
    assert result.named("errors").total == n_errors


@pytest.mark.parametrize("seed", range(10))
def test_no_order_beats_the_best_and_all_reach_the_end(seed):
    *_, result = gain_of(seed)
    for goal in result.goals:
        best = goal.named("best")
        for row in goal.orders:
            assert (row.curve <= best.curve + 1e-12).all()
            assert row.curve[-1] == pytest.approx(1)
            assert not row.area > 1
        assert best.area == pytest.approx(1, nan_ok=True)


def test_the_mean_area_of_random_orders_is_one_half():
    # The area is 0 at random because an order and its reverse lie on either side of one half.
    rng = np.random.default_rng(0)
    amount, order = rng.random(30), rng.permutation(30)
    both = [_area(_curve(amount, row)) for row in (order, order[::-1])]
    assert np.mean(both) == pytest.approx(0.5)


def test_t_is_that_of_a_paired_test():
    *_, scores, result = gain_of(4)
    expected = abs(ttest_rel(*scores).statistic)
    assert [row[-1] for row in result.abs_t.values()] == pytest.approx([expected] * 4)


def test_three_detectors_have_gains_but_no_t():
    scene, systems = several_systems(5, n_systems=3)
    dataset, detectors = tables_of(scene, systems)
    scores = np.random.default_rng(0).random((3, len(scene.images)))
    result = gained(dataset, detectors, [0.0] * 3, scores)
    assert np.isnan([t for row in result.abs_t.values() for t in row]).all()
    assert result.named("difference").total == pytest.approx(np.ptp(scores, axis=0).sum())


def test_where_there_is_nothing_to_gain_no_order_is_better():
    dataset, detectors, _, _ = gain_of(4)
    same = np.ones((2, len(dataset.images)))
    result = gained(dataset, detectors, [0, 0], same)
    assert result.named("difference").total == 0
    assert np.isnan([row.area for row in result.named("difference").orders]).all()
    json.dumps(result.to_json(), allow_nan=False)


def test_real_detectors_disagree_where_it_matters():
    dataset, detectors, cuts, scores = coco_detectors()
    result = gained(dataset, detectors, cuts, scores)
    errors, difference = result.named("errors"), result.named("difference")
    # The share leads to images on which the two differ, which counting boxes does not.
    assert difference.named("share").at_images[0] > 1.5 * difference.random_high[0]
    assert difference.named("n_boxes").at_images[0] < difference.random_low[0]
    # Disputed boxes lead to errors, beyond what crowded images hold anyway.
    assert errors.named("boxes").at_images[0] > 2 * errors.random_high[0]
    assert errors.named("boxes").area > errors.named("n_boxes").area > 0
    # For the same number of objects to be drawn, the share brings more errors.
    assert errors.named("share").at_objects[0] > errors.named("n_boxes").at_objects[0]


def test_real_detectors_are_symmetric():
    _, (a, b), cuts, _ = coco_detectors()
    there = disagreement([a, b], min_score=cuts)
    np.testing.assert_array_equal(there, disagreement([b, a], min_score=cuts[::-1]))
    assert not disagreement([a, a], min_score=cuts[:1] * 2).any()
