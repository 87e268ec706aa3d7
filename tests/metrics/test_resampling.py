"""The weighted walk itself: normalized precision, kinds at the top, worked cases, bad columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boxlens import _kernel
from boxlens.errors import ParameterError
from boxlens.metrics import choose, prepare
from boxlens.metrics.evaluation import samplers
from boxlens.metrics.ranking import rank
from boxlens.metrics.readings import Mean
from boxlens.metrics.resampling import (
    Walk,
    counted_rows,
    read_classes,
    read_whole,
    replicate,
    walk_of,
)
from cases import random_scene
from oracles import voc, weighted_ap
from oracles.convert import scene_to_tables
from oracles.model import considered

N_NORMAL = (0.5, 3.0, 40.0)


def walk_by_hand(labels, units, positives, recalls=()):
    """One class, one cell: labels in rank order with their units, and the unit of every object."""
    label = np.asarray(labels)
    return Walk(
        n_units=max([*units, *positives], default=0) + 1,
        class_offsets=np.array([0, len(labels)], dtype=np.int64),
        det_unit=np.asarray(units, dtype=np.int32),
        det_score=np.linspace(1, 0, len(labels)),
        det_tp=(label > 0).astype(np.uint64),
        det_ignored=(label == 0).astype(np.uint64),
        det_limit=np.zeros(len(labels), dtype=np.uint8),
        det_value=None,
        gt_class=np.zeros(len(positives), dtype=np.int32),
        gt_unit=np.asarray(positives, dtype=np.int32),
        gt_positive=np.ones(len(positives), dtype=np.uint64),
        gt_value=None,
        n_thresholds=1,
        n_groups=1,
        n_limits=0,
        recalls=recalls,
        spacing=False,
    )


def ap_of(walk, *weights, **choice):
    return replicate(walk, np.array(weights, dtype=np.int32), **choice).ap[:, 0, 0, 0].tolist()


def prepared_scene(seed):
    scene = random_scene(seed, flood=0, n_images=8)
    dataset, detections = scene_to_tables(scene)
    return scene, prepare(dataset, detections, "voc12")


# --- worked by hand


def test_the_golden_ranking_with_an_image_drawn_twice():
    """Labels of METHODS 8 case 1; the third hit's image, with two objects, is drawn twice."""
    walk = walk_by_hand([1, -1, 1, 0, -1, 1], [0, 0, 0, 0, 1, 2], [0, 0, 1, 2, 2])
    assert ap_of(walk, [1, 1, 1]) == pytest.approx([(1 + 2 / 3 + 3 / 5) / 5])
    # Positives 2 + 1 + 4; precision 1, 1/2, 2/3, 2/4, then 4/6 after both copies of the last hit.
    assert ap_of(walk, [1, 1, 2]) == pytest.approx([(1 + 2 / 3 + 2 * 4 / 6) / 7])
    # Without the first image: one false positive, then a hit; positives 1 + 2.
    assert ap_of(walk, [0, 1, 1]) == pytest.approx([(1 / 2) / 3])


def test_recalls_between_two_copies_are_reached_by_the_first_that_does():
    recalls = (0.0, 0.5, 0.51, 1.0)
    walk = walk_by_hand([1, -1, 1], [0, 1, 2], [0, 2], recalls)
    # Hits 1, 4 of 4 positives; precision 1, then 4/5 at every recall above a quarter.
    assert ap_of(walk, [1, 1, 3]) == pytest.approx([(1 + 3 * 4 / 5) / 4])
    assert ap_of(walk, [3, 1, 1]) == pytest.approx([(1 + 1 + 1 + 4 / 5) / 4])


def test_a_ranking_without_detections_scores_nothing():
    walk = walk_by_hand([], [], [0, 1])
    assert ap_of(walk, [1, 2], [0, 1]) == [0.0, 0.0]
    assert np.isnan(ap_of(walk, [0, 0])).all()


def test_a_ranking_without_hits_scores_nothing():
    for recalls in ((), (0.0, 0.5, 1.0)):
        assert ap_of(walk_by_hand([-1, 0, -1], [0, 1, 1], [0, 1], recalls), [1, 2]) == [0.0]


def test_no_replicates_are_no_numbers():
    walk = walk_by_hand([1], [0], [0])
    assert replicate(walk, np.empty((0, 1), dtype=np.int32)).ap.shape == (0, 1, 1, 1)


# --- normalized precision


def test_normalized_precision_with_whole_weights_equals_the_oracle():
    """Every replicate has an N of its own."""
    for seed in range(40):
        scene, prepared = prepared_scene(seed)
        weights = np.random.default_rng(seed).integers(0, 4, (3, len(scene.images)))
        walk = walk_of(prepared, prepared.matches(0.5))
        found = replicate(walk, weights.astype(np.int32), normal=np.array(N_NORMAL))
        matching = voc.match(scene, 0.5)
        for b, n_normal in enumerate(N_NORMAL):
            weight_of = dict(zip(scene.images, weights[b].tolist(), strict=True))
            for row, cls in enumerate(scene.classes):
                ranking = considered(scene, cls, matching)
                positives = sum(
                    weight_of[obj.image]
                    for obj, ignored in zip(scene.objects, matching.ignored, strict=True)
                    if obj.cls == cls and not ignored
                )
                expected = weighted_ap.normalized(
                    [matching.label[d] for d in ranking],
                    [weight_of[scene.detections[d].image] for d in ranking],
                    positives,
                    n_normal,
                )
                assert found.ap[b, row, 0, 0] == pytest.approx(expected, abs=1e-12, nan_ok=True)


# --- kinds among the best detections


def top_kinds(rng, n_units, n_kinds, n_replicates=4, n_classes=3):
    """Columns at random, and the weights."""
    sizes = rng.integers(0, 12, n_classes)
    n = int(sizes.sum())
    gt_class = rng.integers(0, n_classes, int(rng.integers(0, 12)))
    return {
        "class_offsets": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        "det_unit": rng.integers(0, n_units, n).astype(np.int32),
        "det_kind": rng.integers(0, n_kinds, n).astype(np.int8),
        "n_kinds": n_kinds,
        "gt_class": gt_class.astype(np.int32),
        "gt_unit": rng.integers(0, n_units, len(gt_class)).astype(np.int32),
        "weights": rng.integers(0, 4, (n_replicates, n_units)).astype(np.int32),
    }


@pytest.mark.parametrize("threads", [1, 3])
def test_kinds_among_the_best_detections_equal_the_oracle(threads):
    for seed in range(80):
        columns = top_kinds(np.random.default_rng(seed), n_units=5, n_kinds=4)
        counts = _kernel.count_top_kinds(**columns, threads=threads)
        for b, weight in enumerate(columns["weights"]):
            for k in range(3):
                begin, end = columns["class_offsets"][k : k + 2]
                positives = int(weight[columns["gt_unit"][columns["gt_class"] == k]].sum())
                expected = weighted_ap.top_kinds(
                    columns["det_kind"][begin:end].tolist(),
                    weight[columns["det_unit"][begin:end]].tolist(),
                    positives,
                    4,
                )
                assert counts[b, k].tolist() == expected


def test_a_detection_at_the_edge_counts_with_the_copies_that_still_fit():
    """Two copies of kind 0, then one of the three of kind 1."""
    counts = _kernel.count_top_kinds(
        class_offsets=np.array([0, 2]),
        det_unit=np.array([0, 1], dtype=np.int32),
        det_kind=np.array([0, 1], dtype=np.int8),
        n_kinds=2,
        gt_class=np.zeros(1, dtype=np.int32),
        gt_unit=np.array([1], dtype=np.int32),
        weights=np.array([[2, 3]], dtype=np.int32),
        threads=1,
    )
    assert counts.tolist() == [[[2, 1]]]


# --- what takes part, and what is read


def test_rows_that_take_part_are_the_ranking_without_the_others():
    for seed in range(30):
        _, prepared = prepared_scene(seed)
        matches = prepared.matches(0.5)
        shut_out = np.random.default_rng(seed).random(len(matches.det_rank)) < 0.4
        matches = replace(matches, det_rank=np.where(shut_out, -1, matches.det_rank))
        ranking = rank(prepared.detections, len(prepared.dataset.classes))
        rows, offsets = counted_rows(ranking, matches)
        for k in range(len(prepared.dataset.classes)):
            expected = [row for row in ranking.of_class(k) if not shut_out[row]]
            assert rows[offsets[k] : offsets[k + 1]].tolist() == expected


def test_undefined_classes_are_left_out_of_a_mean_and_stay_undefined_in_their_own():
    walk = walk_by_hand([1, -1, 1], [0, 1, 1], [0, 1])
    two = replace(walk, class_offsets=np.array([0, 2, 3]), gt_class=np.array([0, 1], np.int32))
    found = replicate(two, np.array([[1, 1], [1, 0], [0, 0]], dtype=np.int32))
    np.testing.assert_array_equal(
        read_classes(found, Mean()), [[1.0, 1.0], [1.0, np.nan], [np.nan, np.nan]]
    )
    np.testing.assert_array_equal(read_whole(found, Mean()), [1.0, 1.0, np.nan])
    np.testing.assert_array_equal(read_whole(found, Mean(class_rows=(1,))), [1.0, np.nan, np.nan])
    np.testing.assert_array_equal(read_whole(found, Mean(class_rows=())), [np.nan] * 3)
    assert np.isnan(read_whole(found, Mean(known=False))).all()
    assert np.isnan(read_classes(found, Mean(known=False))).all()


def test_threads_change_no_bit():
    scene = random_scene(5, n_images=9)
    dataset, detections = scene_to_tables(scene)
    weights = np.random.default_rng(0).integers(0, 3, (37, len(scene.images))).astype(np.int32)
    for protocol in ("coco", "voc12", "openimages"):
        walk = samplers(dataset, [detections], choose(protocol))[0].walk
        one, four = (replicate(walk, weights, threads=threads) for threads in (1, 4))
        np.testing.assert_array_equal(one.ap, four.ap)
        np.testing.assert_array_equal(one.recall, four.recall)


def test_weights_of_any_whole_type_and_layout_are_taken():
    walk = walk_by_hand([1, -1, 1], [0, 1, 1], [0, 1, 1])
    rows = np.array([[1, 2], [0, 1], [3, 0]], dtype=np.int32)
    for same in (rows.astype(np.int64), np.asfortranarray(rows), rows[::-1][::-1]):
        np.testing.assert_array_equal(replicate(walk, same).ap, replicate(walk, rows).ap)


# --- what is refused


def test_more_cells_than_a_word_holds_are_refused():
    _, prepared = prepared_scene(2)
    thresholds = np.linspace(0.05, 0.95, 17).tolist()
    choice = choose("coco", iou_thresholds=thresholds)
    with pytest.raises(ParameterError, match="at most 64"):
        samplers(prepared.dataset, [prepared.detections], choice)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"det_unit": np.array([0, 9], dtype=np.int32)}, "unit"),
        ({"det_unit": np.array([0, -1], dtype=np.int32)}, "unit"),
        ({"gt_unit": np.array([5], dtype=np.int32)}, "unit"),
        ({"gt_class": np.array([1], dtype=np.int32)}, "class"),
        ({"class_offsets": np.array([0, 1])}, "offsets"),
        ({"class_offsets": np.array([0, 3, 2])}, "offsets"),
        ({"det_tp": np.zeros(1, dtype=np.uint64)}, "length"),
        ({"det_value": np.ones(3)}, "value"),
        ({"n_groups": 65}, "64 cells"),
        ({"n_limits": 1, "det_limit": np.array([0, 1], dtype=np.uint8)}, "limit"),
        ({"gt_positive": np.array([2], dtype=np.uint64)}, "gt_positive has bits"),
    ],
)
def test_columns_that_do_not_fit_are_refused(change, problem):
    walk = walk_by_hand([1, -1], [0, 1], [0])
    with pytest.raises(ValueError, match=problem):
        replicate(replace(walk, **change), np.ones((1, 2), dtype=np.int32))


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match="must not be negative"):
        ap_of(walk_by_hand([1, -1], [0, 1], [0]), [1, -1])
