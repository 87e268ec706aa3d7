"""Bins of numbers: sizes, ties, missing values, small classes, own thresholds (METHODS 2.4)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxlens.studies.sensitivity.bins import percentile_codes, range_names, threshold_codes


def bins_of(values, class_row=None, counted=None):
    values = np.asarray(values, dtype=np.float64)
    rows = np.zeros(len(values), dtype=np.int32) if class_row is None else class_row
    counts = np.ones(len(values), dtype=np.bool_) if counted is None else np.asarray(counted)
    return percentile_codes(values, np.asarray(rows, dtype=np.int32), counts, int(max(rows)) + 1)


@pytest.mark.parametrize(
    ("n", "sizes"),
    [
        (285, [29, 57, 114, 57, 28]),
        (756, [76, 151, 302, 151, 76]),
        (10, [1, 2, 4, 2, 1]),
        (5, [1, 1, 2, 1, 0]),
        (4, [0, 1, 2, 1, 0]),
        (2, [0, 1, 0, 1, 0]),
        (1, [0, 0, 1, 0, 0]),
    ],
)
def test_bins_hold_as_many_objects_as_the_paper_counts(n, sizes):
    values = np.random.default_rng(n).permutation(n)
    assert np.bincount(bins_of(values), minlength=5).tolist() == sizes


def test_ties_go_down():
    # Thresholds are the values at places 1, 3, 7 and 9.
    assert bins_of([1, 1, 1, 2, 2, 2, 2, 2, 3, 3]).tolist() == [0, 0, 0, 2, 2, 2, 2, 2, 3, 3]
    assert set(bins_of([7.0] * 30).tolist()) == {0}


def test_each_class_has_thresholds_of_its_own():
    small, large = np.arange(20.0), np.arange(20.0) + 1000
    both = bins_of(np.concatenate([small, large]), [0] * 20 + [2] * 20)
    assert both[:20].tolist() == both[20:].tolist() == bins_of(small).tolist()


def test_what_is_missing_or_does_not_count_is_in_no_bin_and_moves_no_threshold():
    values = np.arange(10.0)
    more = np.concatenate([values, [np.nan, 100.0, -100.0]])
    code = bins_of(more, counted=[True] * 11 + [False] * 2)
    assert code.tolist() == [*bins_of(values).tolist(), -1, -1, -1]


def test_nothing_at_all_is_fine():
    nothing = np.empty(0)
    assert len(percentile_codes(nothing, nothing.astype(np.int32), nothing > 0, 3)) == 0


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60))
def test_bins_are_those_of_the_written_rule(values):
    ascending = sorted(values)
    places = [(tenth * len(values) + 5) // 10 for tenth in (1, 3, 7, 9)]
    thresholds = [ascending[place - 1] if place else -np.inf for place in places]
    expected = [sum(threshold < value for threshold in thresholds) for value in values]
    assert bins_of(values).tolist() == expected


def test_own_thresholds_are_inclusive_below():
    values = np.array([0.0, 32.0, 32.5, 96.0, 97.0, np.nan])
    counted = np.ones(6, dtype=np.bool_)
    assert threshold_codes(values, (32.0, 96.0), counted).tolist() == [0, 0, 1, 1, 2, -1]
    assert range_names((32.0, 96.0)) == ("up to 32", "32 to 96", "above 96")
    assert range_names((0.5,)) == ("up to 0.5", "above 0.5")
