"""Where a neighbouring rule would give another number: limits, ties and cuts, each by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxlens.metrics import choose, evaluate_tables
from boxlens.metrics.confusion import ConfusionResult
from boxlens.metrics.grid import GridChoice
from boxlens.metrics.grid_summary import evaluate_grid
from boxlens.metrics.hits import area_ap_with_error, ranked_hits
from boxlens.metrics.olrp import olrp_of_ranking
from boxlens.metrics.protocols import prepare, verified_detections
from boxlens.metrics.ranking import rank_rows
from oracles.convert import scene_to_tables
from oracles.model import Detection, Object, Scene

BOX, OTHER, ELSEWHERE = (0.0, 0.0, 10.0, 10.0), (30.0, 0.0, 10.0, 10.0), (0.0, 50.0, 10.0, 10.0)
ONE, TWO = Object(1, 0, BOX, 100.0), Object(1, 0, OTHER, 100.0)


def extras(scene, *also, protocol="coco"):
    dataset, detections = scene_to_tables(scene)
    [result] = evaluate_tables(dataset, [detections], choose(protocol, also=also)).detectors
    return result.extras


@pytest.mark.parametrize("all_max_dets", [False, True])
def test_ap_is_counted_at_the_largest_of_max_dets(all_max_dets):
    """Two objects in an image, both found: one detection alone would give half."""
    found = (Detection(1, 0, BOX, 0.9), Detection(1, 0, OTHER, 0.8))
    dataset, detections = scene_to_tables(Scene((1,), (0,), (ONE, TWO), found))
    choice = GridChoice(max_dets=(1, 2), all_max_dets=all_max_dets)
    result = evaluate_grid(prepare(dataset, detections, "coco"), choice)
    assert [result.metrics[name] for name in ("AP", "AP50", "AR1", "AR2")] == [1, 1, 0.5, 1]
    assert [result.classes[0].metrics[name] for name in ("AP", "AP50", "AR2")] == [1, 1, 1]


def test_a_score_exactly_at_the_cut_counts_in_its_image():
    for score, counts in ((0.25, [1, 1, 0]), (math.nextafter(0.25, 0), [0, 0, 1])):
        found = (Detection(1, 0, BOX, score), Detection(1, 0, ELSEWHERE, score))
        images = extras(Scene((1,), (0,), (ONE,), found), "images").images
        assert [images.tp[0], images.fp[0], images.fn[0]] == counts


def test_of_equal_f1_the_highest_threshold_is_best():
    """One of one found of two objects, or two of four: 2/3 both."""
    found = (
        Detection(1, 0, BOX, 0.9),
        Detection(1, 0, ELSEWHERE, 0.8),
        Detection(1, 0, ELSEWHERE, 0.7),
        Detection(1, 0, OTHER, 0.6),
    )
    best = extras(Scene((1,), (0,), (ONE, TWO), found), "confidence").confidence.overall.best()
    assert best == {"threshold": 0.9, "precision": 1.0, "recall": 0.5, "F1": pytest.approx(2 / 3)}


def test_detections_of_a_class_without_objects_count_in_no_overall_curve():
    found = (Detection(1, 0, BOX, 0.9), Detection(1, 1, ELSEWHERE, 0.95))
    overall = extras(Scene((1,), (0, 1), (ONE,), found), "confidence").confidence.overall
    assert overall.threshold.tolist() == [0.9]
    assert overall.precision.tolist() == [1.0]


def test_a_recall_exactly_reached_has_the_precision_where_it_is_reached_first():
    found = (
        Detection(1, 0, BOX, 0.9),
        Detection(1, 0, ELSEWHERE, 0.8),
        Detection(1, 0, OTHER, 0.7),
    )
    [curve] = extras(Scene((1,), (0,), (ONE, TWO), found), "curves").curves.classes
    precision, score = curve.sampled()
    assert (precision[50], score[50]) == (1.0, 0.9)
    assert (precision[51], score[51]) == (pytest.approx(2 / 3), 0.7)


def test_confusions_that_never_happen_are_not_listed():
    matrix = np.array([[3, 0, 1], [2, 4, 0], [5, 0, 0]])
    result = ConfusionResult(0.5, 0.25, ("cat", "dog"), matrix)
    assert result.top() == [("dog", "cat", 2)]


def test_a_group_of_box_is_neither_missed_nor_background_in_the_confusion_matrix():
    group = Object(1, 0, (0.0, 0.0, 100.0, 100.0), 10000.0, group_of=True)
    scene = Scene((1,), (0,), (group,), (Detection(1, 0, BOX, 0.9),))
    assert (
        extras(scene, "confusion", protocol="openimages").confusion.matrix.tolist() == [[0, 0]] * 2
    )
    nothing = Scene((1,), (0,), (group,), ())
    assert extras(nothing, "confusion", protocol="openimages").confusion.matrix.tolist() == [
        [0, 0],
        [0, 0],
    ]


def test_a_standard_error_needs_two_objects():
    """One found at a precision of 1, one missed: 1/2 with an error of 1/2. One alone has none."""
    ranking = rank_rows(np.zeros(2, dtype=np.int32), np.array([0.9, 0.8]), 1)
    hits = ranked_hits(ranking, np.array([1, -1], dtype=np.int8))
    mean, error = area_ap_with_error(hits, np.array([2]))
    assert (mean[0], error[0]) == (0.5, 0.5)
    assert np.isnan(area_ap_with_error(hits, np.array([1]))[1]).all()


def test_at_an_iou_of_1_a_hit_has_no_distance_left():
    best = olrp_of_ranking(np.array([1], dtype=np.int8), np.array([1.0]), 1, 1.0)
    assert (best["oLRP"], best["oLRP_loc"]) == (0.0, 0.0)


def test_only_classes_with_detections_are_told_of_as_without_objects():
    found = (Detection(1, 1, BOX, 0.9), Detection(1, 1, OTHER, 0.8), Detection(1, 0, BOX, 0.7))
    dataset, detections = scene_to_tables(Scene((1,), (0, 1, 2), (ONE,), found))
    [result] = evaluate_tables(dataset, [detections], choose("coco")).detectors
    [notice] = [one for one in result.notices if one.code == "class_without_objects"]
    assert notice.count == 2
    assert "2 detections of 1 class" in notice.message


def test_what_hits_nothing_is_left_out_where_a_class_is_not_annotated_exhaustively():
    found = (Detection(1, 0, BOX, 0.9), Detection(1, 0, ELSEWHERE, 0.8))
    lists = {"negative": {1: frozenset()}, "not_exhaustive": {1: frozenset({0})}}
    dataset, detections = scene_to_tables(Scene((1,), (0,), (ONE,), found, **lists))
    kept, notices = verified_detections(dataset, detections, 0.5)
    assert kept.score.tolist() == [0.9]
    assert [(one.code, one.count) for one in notices] == [("not_exhaustive", 1)]
