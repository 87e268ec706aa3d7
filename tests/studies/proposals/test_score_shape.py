"""How scores fall off around objects: a planted law of scores is the curve that is found."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.data import Detections
from boxlens.studies.proposals.detection_use.oracles import proposal_oracles
from boxlens.studies.proposals.detection_use.score_shape import (
    FEWEST_BINS,
    score_maps,
    scores_by_iou,
)
from boxlens.studies.proposals.detection_use.verdict import oracle_sentences
from cases import random_scene
from oracles import detection_use as slow
from oracles.convert import scene_to_tables
from planted_worlds import world_of

SIDE = 100.0


def box_of_iou(iou):
    """As wide a part of the object (0, 0, SIDE, SIDE) as gives this IoU."""
    return [0.0, 0.0, SIDE * iou, SIDE]


def detections_of(boxes, scores, classes=None):
    n = len(boxes)
    classes = [0] * n if classes is None else classes
    return Detections.of(
        "planted", 1, image_row=[0] * n, class_row=classes, box=boxes, score=scores
    )


def objects(n_classes=1):
    """The same box in each class."""
    return world_of([[0, 0, SIDE, SIDE]] * n_classes, classes=list(range(n_classes)))


def test_scores_that_are_a_function_of_iou_give_that_function():
    iou = np.linspace(0.1, 1.0, 1801)
    boxes = [box_of_iou(value) for value in iou]
    # Two classes whose scores go alike, at other heights: scaled, they are one curve.
    dataset = objects(2)
    scores = np.concatenate([0.2 + 0.5 * iou**2, 0.7 * iou**2])
    detections = detections_of(boxes * 2, scores, np.repeat([0, 1], len(iou)))
    found = scores_by_iou(dataset, detections)
    np.testing.assert_allclose(found.edges, np.arange(0.2, 1.01, 0.05))
    assert found.n_classes == 2
    middle = (found.edges[:-1] + found.edges[1:]) / 2
    expected = (middle**2 - middle[0] ** 2) / (middle[-1] ** 2 - middle[0] ** 2)
    np.testing.assert_allclose(found.mean, expected, atol=2e-3)
    assert (found.mean[0], found.mean[-1]) == (0.0, 1.0)
    np.testing.assert_allclose(found.spread, 0.0, atol=1e-12)
    assert sum(found.n_detections) == 2 * int((iou >= 0.2).sum())


def test_scores_that_fall_with_iou_are_told():
    iou = np.linspace(0.2, 1.0, 161)
    detections = detections_of([box_of_iou(value) for value in iou], 1 - np.abs(iou - 0.62))
    sentences = oracle_sentences(proposal_oracles(objects(), [detections]))
    assert "highest at IoU 0.60 to 0.65 and lower again at 0.95 to 1.00 (" in sentences[1]


def test_the_spread_is_half_the_distance_between_the_quarters_of_classes():
    iou = np.arange(0.225, 1, 0.05)
    curves = [iou**power for power in (1, 2, 4)]
    detections = detections_of(
        [box_of_iou(value) for value in iou] * 3, np.concatenate(curves), np.repeat([0, 1, 2], 16)
    )
    found = scores_by_iou(objects(3), detections)
    scaled = [(curve - curve[0]) / (curve[-1] - curve[0]) for curve in curves]
    np.testing.assert_allclose(found.mean, np.mean(scaled, axis=0))
    low, high = np.quantile(scaled, (0.25, 0.75), axis=0)
    np.testing.assert_allclose(found.spread, (high - low) / 2)


def test_classes_with_too_few_bins_or_equal_scores_are_skipped_and_counted():
    many = np.arange(0.225, 1, 0.05)
    few = many[: FEWEST_BINS - 1]
    iou = np.concatenate([many, few, many])
    classes = np.repeat([0, 1, 2], [len(many), len(few), len(many)])
    scores = np.where(classes == 2, 0.5, iou)
    detections = detections_of([box_of_iou(value) for value in iou], scores, classes)
    found = scores_by_iou(objects(4), detections)
    # A class without any detection near its objects is not counted.
    assert (found.n_classes, found.n_classes_skipped) == (1, 2)
    assert found.n_detections == (1,) * 16
    (notice,) = proposal_oracles(objects(4), [detections]).notices
    assert (notice.code, notice.count) == ("too_few_overlaps", 2)


def test_a_detection_belongs_to_the_object_of_its_class_that_it_overlaps_most():
    boxes = [[0, 0, SIDE, SIDE], [20, 0, SIDE, SIDE], [5, 0, SIDE, SIDE], [6, 0, SIDE, SIDE]]
    dataset = world_of(boxes, classes=[0, 0, 1, 0], crowd=[False, False, False, True])
    # Its class twice, another class, a crowd: the first object is nearest.
    detections = detections_of([[5, 0, SIDE, SIDE], [90, 90, 5, 5]], [0.9, 0.1])
    shift, _ = score_maps(dataset, detections)
    x, y = _cell(shift, 0.05 + 1e-9, 0.0)
    assert shift.n_detections[y, x] == 1
    assert shift.mean[y, x] == 1.0


@pytest.mark.parametrize("seed", range(16))
def test_curves_equal_plain_loops(seed, monkeypatch):
    monkeypatch.setattr("boxlens.studies.proposals.detection_use.score_shape.FEWEST_BINS", 2)
    scene = random_scene(seed, n_detections=40, n_classes=2, any_score=1.0)
    dataset, detections = scene_to_tables(scene)
    found = scores_by_iou(dataset, detections)
    expected = slow.scores_by_iou(scene, found.edges.tolist(), 2)
    np.testing.assert_allclose(found.mean, [np.nan if v is None else v for v in expected])
    n_with_object = sum(
        slow.best_object(scene, d)[1] is not None for d in range(len(scene.detections))
    )
    for one in score_maps(dataset, detections):
        assert int(one.n_detections.sum()) + one.n_left_out == n_with_object


def test_maps_of_a_symmetrical_plant_are_symmetrical():
    steps = np.arange(-0.5, 0.51, 0.1)
    x, y = (axis.ravel() for axis in np.meshgrid(steps, steps))
    shifted = [[dx * SIDE, dy * SIDE, SIDE, SIDE] for dx, dy in zip(x, y, strict=True)]
    shift, _ = score_maps(objects(), detections_of(shifted, np.exp(-(x**2) - 2 * y**2)))
    _assert_symmetrical(shift, n=len(x))
    # Around the middle it is the planted law, from 0 to 1.
    bell = np.exp(-(x**2) - 2 * y**2)
    scaled = (bell - bell.min()) / (bell.max() - bell.min())
    for dx, dy, value in zip(x, y, scaled, strict=True):
        column, row = _cell(shift, dx, dy)
        assert shift.mean[row, column] == pytest.approx(value)

    powers = np.arange(-1, 1.01, 0.2)
    a, b = (axis.ravel() for axis in np.meshgrid(powers, powers))
    sized = [
        [SIDE * (1 - 2**i) / 2, SIDE * (1 - 2**j) / 2, SIDE * 2**i, SIDE * 2**j]
        for i, j in zip(a, b, strict=True)
    ]
    centred, scale = score_maps(objects(), detections_of(sized, 1 - (a**2 + b**2) / 3))
    _assert_symmetrical(scale, n=len(a))
    assert centred.n_detections[10, 10] == len(a)
    assert (shift.kind, scale.kind) == ("shift", "scale")


def _assert_symmetrical(one, n):
    assert int(one.n_detections.sum()) == n
    assert one.n_left_out == 0
    np.testing.assert_allclose(one.mean, one.mean[::-1], atol=1e-12)
    np.testing.assert_allclose(one.mean, one.mean[:, ::-1], atol=1e-12)
    assert one.mean[10, 10] == pytest.approx(1.0)
    np.testing.assert_allclose(one.x_edges, -one.x_edges[::-1])


def _cell(one, x, y):
    column = int(np.searchsorted(one.x_edges, x, side="right")) - 1
    return column, int(np.searchsorted(one.y_edges, y, side="right")) - 1


def test_x_runs_along_columns_and_y_along_rows():
    boxes = [[0.4 * SIDE, 0, SIDE, SIDE], [0, -0.3 * SIDE, SIDE, SIDE], [0, 0, SIDE, 2 * SIDE]]
    shift, scale = score_maps(objects(), detections_of(boxes, [0.0, 0.5, 1.0]))
    assert shift.mean[10, 14] == 0.0
    assert shift.mean[7, 10] == 0.5
    assert scale.mean[15, 10] == 1.0


def test_what_lies_beyond_the_cells_or_cannot_be_scaled_is_counted():
    boxes = [[0, 0, SIDE, SIDE], [0, 0, SIDE * 8, SIDE], [0, 0, SIDE, SIDE]]
    shift, scale = score_maps(objects(2), detections_of(boxes, [0.9, 0.1, 0.5], [0, 0, 1]))
    # The wide one is too far and too wide; of the other class there is one score only.
    assert (shift.n_left_out, scale.n_left_out) == (2, 2)


def test_without_detections_near_objects_everything_is_undefined():
    nothing = detections_of(np.zeros((0, 4)), [])
    for dataset in (objects(), world_of([])):
        for detections in (nothing, detections_of([[300, 300, 5, 5]], [0.5])):
            curve = scores_by_iou(dataset, detections)
            assert np.isnan(curve.mean).all()
            assert np.isnan(curve.spread).all()
            assert curve.n_detections == (0,) * 16
            for one in score_maps(dataset, detections):
                assert np.isnan(one.mean).all()
                assert one.to_json()["score"][0][0] is None
