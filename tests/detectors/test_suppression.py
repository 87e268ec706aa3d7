"""Suppression keeps what a plain loop keeps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens.detectors.suppression import suppress

BOX = st.tuples(*[st.integers(0, 12)] * 2, *[st.integers(0, 8)] * 2)
# Few distinct scores, so that ties are common.
ROWS = st.lists(st.tuples(BOX, st.integers(0, 5), st.integers(0, 2)), max_size=40)


def overlap(one: list[float], other: list[float]) -> float:
    width = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    height = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    shared = max(width, 0.0) * max(height, 0.0)
    union = one[2] * one[3] + other[2] * other[3] - shared
    return shared / union if union > 0 else 0.0


def slow(boxes, scores, iou, groups, limit) -> list[int]:
    kept: list[int] = []
    for row in sorted(range(len(scores)), key=lambda row: -scores[row]):
        rivals = [other for other in kept if groups[other] == groups[row]]
        if all(overlap(boxes[row], boxes[other]) <= iou for other in rivals):
            kept.append(row)
    return kept[:limit]


@settings(max_examples=300)
@given(
    rows=ROWS,
    iou=st.sampled_from([0.0, 0.25, 0.45, 0.5, 0.57, 1.0]),
    by_group=st.booleans(),
    limit=st.none() | st.integers(0, 6),
)
def test_a_plain_loop_keeps_the_same(rows, iou, by_group, limit):
    boxes = np.array([box for box, _, _ in rows], dtype=np.float64).reshape(-1, 4)
    scores = np.array([score / 5 for _, score, _ in rows], dtype=np.float64)
    groups = np.array([group for _, _, group in rows], dtype=np.int32)
    kept = suppress(boxes, scores, iou=iou, groups=groups if by_group else None, limit=limit)
    rivals = groups.tolist() if by_group else [0] * len(rows)
    assert kept.tolist() == slow(boxes.tolist(), scores.tolist(), iou, rivals, limit)
    assert kept.dtype == np.int32


@pytest.mark.parametrize("limit", [None, 1, 20, 400])
def test_many_boxes_are_cut_into_blocks_without_a_trace(limit):
    rng = np.random.default_rng(5)
    boxes = np.hstack([rng.uniform(0, 200, (900, 2)), rng.uniform(5, 60, (900, 2))])
    scores = rng.uniform(size=900).round(2)
    groups = rng.integers(0, 3, 900).astype(np.int32)
    kept = suppress(boxes, scores, iou=0.3, groups=groups, limit=limit)
    expected = slow(boxes.tolist(), scores.tolist(), 0.3, groups.tolist(), limit)
    assert kept.tolist() == expected


def test_equal_boxes_leave_the_first_and_an_overlap_at_the_threshold_stays():
    boxes = np.array([[0, 0, 10, 10], [0, 0, 10, 10], [0, 0, 10, 5.7]])
    scores = np.array([0.5, 0.5, 0.4])
    assert suppress(boxes, scores, iou=0.57).tolist() == [0, 2]
    assert suppress(boxes, scores, iou=0.56).tolist() == [0]


def test_inputs_stay_unchanged():
    boxes = np.array([[0.0, 0, 10, 10], [1, 1, 10, 10]])
    scores = np.array([0.2, 0.9])
    copies = boxes.copy(), scores.copy()
    assert suppress(boxes, scores, iou=0.5).tolist() == [1]
    assert np.array_equal(boxes, copies[0])
    assert np.array_equal(scores, copies[1])
