"""Undetected objects: who, explained by what, recovered by what, and whom nobody expects."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxlens.data import Detections
from boxlens.data.columns import attribute_column
from planted_worlds import world_of
from studies.sensitivity.worlds import analysed, detections_on, golden_world, named, side_by_side


def test_an_object_is_missed_without_a_correct_detection_at_enough_precision():
    # P_N at the hits: 1, 4/5 and 3/4 of 6/8, raised from the right; objects 3 and 4 have none.
    dataset, detections = golden_world()
    misses = analysed(dataset, detections).misses
    assert misses.achieved.tolist() == pytest.approx([1, 0.8, 0.75, 0, 0, math.nan], nan_ok=True)
    assert misses.missed.tolist() == [False, False, False, True, True, False]
    assert (misses.n_objects, misses.n_missed, misses.p_n) == (5, 2, 0.05)
    misses = analysed(dataset, detections, missed_p_n=0.8).misses
    assert misses.missed.tolist() == [False, False, True, True, True, False]


def test_a_characteristic_that_tells_all_misses_explains_all_entropy():
    dataset, detections = golden_world(
        seen=[1, 1, 1, 0, 0, 0],
        parity=[0, 1, 0, 1, 0, 1],
        part_wheel=[1, None, 1, 0, None, None],
        part_door=[1, 1, 0, 0, 1, 0],
    )
    result = analysed(dataset, detections)
    assert named(result, "seen").entropy_share == pytest.approx(1)
    # Missed are one of two odd ones and one of three even ones.
    whole = -(0.4 * math.log2(0.4) + 0.6 * math.log2(0.6))
    third = -(math.log2(1 / 3) / 3 + 2 * math.log2(2 / 3) / 3)
    left = (2 * 1 + 3 * third) / 5
    assert named(result, "parity").entropy_share == pytest.approx((whole - left) / whole)
    # Of pooled flags the one that explains most, among the objects that carry it.
    assert named(result, "parts").entropy_share == pytest.approx(1)


@pytest.mark.parametrize("found", [range(6), []], ids=["none missed", "all missed"])
def test_without_both_found_and_missed_objects_there_is_no_entropy_to_explain(found):
    dataset = world_of(
        side_by_side(6), names="a", attributes={"kind": attribute_column([0, 1] * 3)}
    )
    result = analysed(dataset, detections_on(dataset, list(found)))
    assert math.isnan(named(result, "kind").entropy_share)


def test_a_looser_overlap_recovers_what_is_badly_placed():
    # Shifted along a side of 40: IoU 1, 1/3 and 1/7.
    dataset = world_of(side_by_side(4), names="a")
    shifts = [0, 20, 30]
    detections = Detections.of(
        "detector",
        1,
        image_row=[0] * 3,
        class_row=[0] * 3,
        box=[[60 * place + shift, 0, 40, 40] for place, shift in enumerate(shifts)],
        score=[0.9, 0.8, 0.7],
    )
    misses = analysed(dataset, detections, looser=(0.3, 0.1)).misses
    assert misses.n_missed == 3
    assert [(row.iou, row.n_missed) for row in misses.looser] == [(0.1, 1), (0.3, 2)]
    assert [row.share_recovered for row in misses.looser] == pytest.approx([2 / 3, 1 / 3])


def test_nothing_missed_leaves_nothing_to_recover():
    dataset = world_of(side_by_side(3), names="a")
    misses = analysed(dataset, detections_on(dataset, range(3))).misses
    assert [row.n_missed for row in misses.looser] == [0] * 4
    assert all(math.isnan(row.share_recovered) for row in misses.looser)


def test_confidence_is_predicted_from_the_mean_of_objects_alike():
    # All boxes are alike, so truncation alone tells: means 2/3 and 1/3.
    truncated = attribute_column([0, 0, 0, 1, 1, 1, None])
    dataset = world_of(side_by_side(7), names="a", attributes={"truncated": truncated})
    misses = analysed(dataset, detections_on(dataset, [0, 1, 3])).misses
    expected = [2 / 3] * 3 + [1 / 3] * 3 + [0]
    np.testing.assert_allclose(misses.predicted, expected, atol=1e-9)
    assert [row.gt_row for row in misses.difficult] == [2, 4, 5]
    assert [row.gt_row for row in misses.easy] == [3, 0, 1]
    worst = misses.difficult[0]
    assert (worst.image_id, worst.object_id, worst.class_name) == (1, 3, "a")
    assert (worst.predicted, worst.achieved) == (pytest.approx(2 / 3), 0)
    fewer = analysed(dataset, detections_on(dataset, [0, 1, 3]), n_unexpected=1).misses
    assert [row.gt_row for row in fewer.difficult] == [2]
