"""The cost of one error is what AP rises by without it, recomputed from nothing each time."""

from __future__ import annotations

import numpy as np
import pytest

import boxlens
from boxlens.metrics.hits import area_ap, ranked_hits
from boxlens.metrics.protocols import prepare
from boxlens.metrics.ranking import rank
from boxlens.studies.diagnosis import diagnose
from boxlens.studies.diagnosis.losses import detection_losses, object_losses
from studies.diagnosis.worlds import random_world


def plain_ap(labels: list[int], n_positive: int) -> float:
    """The area under the running maximum of precision (METHODS 0.6 b), hit by hit."""
    precision, n_tp, n_fp = [], 0, 0
    for label in labels:
        n_tp += label > 0
        n_fp += label < 0
        if label > 0:
            precision.append(n_tp / (n_tp + n_fp))
    return sum(max(precision[at:]) for at in range(len(precision))) / n_positive


@pytest.mark.parametrize("seed", range(30))
def test_a_loss_is_what_ap_rises_by_without_the_detection(seed):
    generator = np.random.default_rng(seed)
    dataset, detections, _ = random_world(seed, flood=0)
    ranking = rank(detections, len(dataset.classes))
    labels = generator.choice([-1, -1, 0, 1], len(detections)).astype(np.int8)
    n_positive = np.array(
        [
            (labels[ranking.of_class(row)] > 0).sum() + generator.integers(0, 3)
            for row in range(len(dataset.classes))
        ]
    )
    losses = detection_losses(ranking, labels, n_positive)
    n_defined = max(np.count_nonzero(n_positive), 1)
    for row, positives in enumerate(n_positive.tolist()):
        members = ranking.of_class(row)
        if positives == 0:
            assert np.isnan(losses[members]).all()
            continue
        ranked = labels[members].tolist()
        before = plain_ap(ranked, positives)
        for at, member in enumerate(members.tolist()):
            expected = 0.0
            if ranked[at] < 0:
                without = plain_ap(ranked[:at] + ranked[at + 1 :], positives)
                expected = (without - before) / n_defined
            assert losses[member] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_a_detection_that_is_deleted_from_its_table_brings_its_loss(seed):
    dataset, detections, _ = random_world(seed, flood=0)
    result = diagnose(dataset, detections)
    if not np.isfinite(result.metrics["AP50"]):
        pytest.skip("no objects that count")
    detections = result.detections
    before = _mean_ap(dataset, detections)
    wrong = np.flatnonzero(result.outcomes.det_loss > 0)[:5]
    for row in wrong.tolist():
        keep = np.ones(len(detections), dtype=np.bool_)
        keep[row] = False
        after = _mean_ap(dataset, detections.where(keep))
        assert result.outcomes.det_loss[row] == pytest.approx(after - before, abs=1e-12)


def _mean_ap(dataset, detections):
    prepared = prepare(dataset, detections, "coco")
    matches = prepared.matches(0.5)
    n_classes = len(dataset.classes)
    n_positive = np.bincount(dataset.gt.class_row[matches.positives()], minlength=n_classes)
    hits = ranked_hits(rank(detections, n_classes), matches.labels())
    return np.nanmean(area_ap(hits, n_positive))


def test_all_that_missed_objects_hold_is_what_recall_lacks():
    class_row = np.array([0, 0, 0, 0, 1, 1, 2], dtype=np.int32)
    positive = np.array([1, 1, 1, 1, 1, 1, 0], dtype=np.bool_)
    hit = np.array([1, 0, 0, 1, 1, 0, 0], dtype=np.bool_)
    losses = object_losses(class_row, positive, hit)
    assert losses.tolist() == [0, 0.125, 0.125, 0, 0, 0.25, 0]
    assert losses.sum() == pytest.approx(1 - np.mean([2 / 4, 1 / 2]))


def test_nothing_is_lost_where_there_is_nothing():
    assert (
        len(object_losses(np.empty(0, np.int32), np.empty(0, np.bool_), np.empty(0, np.bool_))) == 0
    )


@pytest.mark.parametrize("seed", range(8))
def test_outcomes_name_the_object_that_was_hit_and_the_one_that_was_met(seed):
    dataset, detections, _ = random_world(seed, flood=0)
    result = boxlens.diagnose(dataset, detections)
    met, detections = result.outcomes, result.detections
    same_image = dataset.gt.image_row[met.det_gt_row] == detections.image_row
    assert same_image[met.det_gt_row >= 0].all()
    hit = np.flatnonzero(met.gt_det_row >= 0)
    assert (met.det_gt_row[met.gt_det_row[hit]] == hit).all()
    assert (met.det_iou[met.gt_det_row[hit]] >= 0.5).all()
    assert (np.isnan(met.det_iou) == (met.det_gt_row < 0)).all()
    assert (met.gt_loss[hit] == 0).all()


@pytest.mark.parametrize("seed", range(8))
def test_places_in_the_confusion_matrix_add_up_to_it(seed):
    dataset, detections, _ = random_world(seed, flood=0)
    result = boxlens.diagnose(dataset, detections)
    found, detections = result.confusion, result.detections
    n = len(found.names)
    counted = np.zeros((n + 1, n + 1), dtype=np.int64)
    for true, said in zip(dataset.gt.class_row, found.gt_said, strict=True):
        if said >= 0:
            counted[true, said] += 1
    for said, true in zip(detections.class_row, found.det_true, strict=True):
        if true == n:
            counted[n, said] += 1
    assert (counted == found.matrix).all()
    paired = (found.det_true >= 0) & (found.det_true < n)
    assert np.count_nonzero(paired) == found.matrix[:n, :n].sum()
