"""Recall and average recall of given overlaps: golden cases and laws."""

import numpy as np
import pytest

from boxlens.studies.proposals.recall.average_recall import (
    average_recall,
    average_recall_on_grid,
    coco_average_recall,
    recall_at,
    volume_under_recall,
)

GOLDEN = np.array([0.4, 0.5, 0.75, 1.0])


def test_the_golden_case_has_an_average_recall_of_three_eighths():
    assert average_recall(GOLDEN) == 0.375
    assert average_recall_on_grid(GOLDEN) == pytest.approx(0.3755, abs=1e-12)
    assert GOLDEN.mean() == pytest.approx(0.6625)


def test_recall_counts_objects_that_reach_an_overlap_exactly():
    assert recall_at(GOLDEN, [0.4, 0.5, 0.5000001, 1.0]).tolist() == [1, 0.75, 0.5, 0.25]


@pytest.mark.parametrize("span", [(0.5, 1.0), (0.0, 1.0), (0.5, 0.7), (0.3, 0.45)])
def test_the_closed_form_is_the_area_under_a_fine_curve(span):
    iou = np.random.default_rng(0).random(5000)
    low, high = span
    grid = np.linspace(low, high, 200_001)
    area = np.trapezoid(recall_at(iou, grid), grid) / (high - low)
    assert average_recall(iou, low, high) == pytest.approx(area, abs=1e-5)
    assert average_recall_on_grid(iou, low, high) == pytest.approx(area, abs=5e-4)


def test_cocos_ten_thresholds_give_another_number():
    # By hand: 3/4 at .5, 2/4 at .55 to .75, 1/4 at .8 to .95.
    assert coco_average_recall(GOLDEN) == pytest.approx((0.75 + 5 * 0.5 + 4 * 0.25) / 10)


def test_without_objects_recall_is_undefined():
    nothing = np.zeros(0)
    assert np.isnan(recall_at(nothing, [0.5, 0.7])).all()
    assert np.isnan(average_recall(nothing))


def test_the_volume_weighs_budgets_by_their_logarithm():
    assert volume_under_recall(np.array([0.0, 0.5, 1.0]), [1, 10, 100]) == 0.5
    assert volume_under_recall(np.array([0.2, 0.2, 0.2]), [1, 3, 1000]) == pytest.approx(0.2)
    assert np.isnan(volume_under_recall(np.array([0.3]), [1000]))
