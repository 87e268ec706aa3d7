"""METHODS 8: the worked numbers, through the functions that count."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxlens.metrics.average_precision import ap_area, ap_coco101, ap_voc07, curve
from boxlens.metrics.olrp import olrp_of_ranking

LABELS, N_POSITIVE = [1, -1, 1, 0, -1, 1], 5


def test_case_1_average_precision_in_every_variant():
    points = curve(LABELS, N_POSITIVE)
    assert ap_area(points) == pytest.approx(0.453333, abs=5e-7)
    assert ap_voc07(points) == pytest.approx(0.503030, abs=5e-7)
    assert ap_coco101(points) == pytest.approx(0.458746, abs=5e-7)


def test_case_1_worked_by_hand():
    points = curve(LABELS, N_POSITIVE)
    assert points.recall.tolist() == [1 / 5, 1 / 5, 2 / 5, 2 / 5, 2 / 5, 3 / 5]
    assert points.precision.tolist() == [1, 1 / 2, 2 / 3, 2 / 3, 2 / 4, 3 / 5]
    assert points.envelope.tolist() == [1, 2 / 3, 2 / 3, 2 / 3, 3 / 5, 3 / 5]
    # Area: (1 + 2/3 + 3/5) / 5. Eleven points: three at 1, two at 2/3, two at 3/5, four at 0.
    assert ap_area(points) == pytest.approx((1 + 2 / 3 + 3 / 5) / 5)
    assert ap_voc07(points) == pytest.approx((3 + 4 / 3 + 6 / 5) / 11)
    # 101 points: 0 to .20, .21 to .40, .41 to .60.
    assert ap_coco101(points) == pytest.approx((21 + 20 * 2 / 3 + 20 * 3 / 5) / 101)


def test_a_dont_care_moves_neither_curve_nor_area():
    with_it, without = curve(LABELS, 5), curve([v for v in LABELS if v], 5)
    for ap in (ap_area, ap_voc07, ap_coco101):
        assert ap(with_it) == ap(without)


@pytest.mark.parametrize("ap", [ap_area, ap_voc07, ap_coco101])
def test_degenerate_rankings(ap):
    assert ap(curve([], 3)) == 0
    assert ap(curve([-1, 0, -1], 3)) == 0
    assert ap(curve([0, 1, 1], 2)) == 1
    assert math.isnan(ap(curve([-1], 0)))
    assert math.isnan(ap(curve([], 0)))


def test_a_weight_counts_in_precision_and_recall():
    # A miss, then a group of weight 1/4 beside one object: .25/1.25 at a recall of .25/1.25.
    assert ap_area(curve([-1, 1], 1.25, [1.0, 0.25])) == pytest.approx(0.04)


def test_case_5_olrp():
    labels = np.array([1, -1, 1], dtype=np.int8)
    best = olrp_of_ranking(labels, np.array([0.9, np.nan, 0.8]), 3, 0.5)
    assert best == pytest.approx(
        {"oLRP": 0.65, "oLRP_loc": 0.15, "oLRP_fp": 1 / 3, "oLRP_fn": 1 / 3, "rank": 2}
    )


@pytest.mark.parametrize(("n_kept", "lrp"), [(1, 0.733333), (2, 0.733333), (3, 0.65)])
def test_case_5_along_the_ranking(n_kept, lrp):
    # LRP is .7333, .8, .65: the best so far.
    labels = np.array([1, -1, 1], dtype=np.int8)[:n_kept]
    overlap = np.array([0.9, np.nan, 0.8])[:n_kept]
    assert olrp_of_ranking(labels, overlap, 3, 0.5)["oLRP"] == pytest.approx(lrp, abs=5e-7)


def test_olrp_without_a_true_positive_is_one_and_has_no_parts():
    none = olrp_of_ranking(np.array([-1, 0], dtype=np.int8), np.full(2, np.nan), 2, 0.5)
    assert none.pop("oLRP") == 1
    assert all(math.isnan(value) for value in none.values())
    empty = olrp_of_ranking(np.array([], dtype=np.int8), np.array([]), 2, 0.5)
    assert empty["oLRP"] == 1
    undefined = olrp_of_ranking(np.array([-1], dtype=np.int8), np.array([np.nan]), 0, 0.5)
    assert all(math.isnan(value) for value in undefined.values())
