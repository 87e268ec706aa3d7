"""Sums over rows are the same to the last bit for every order of the rows."""

import math

import numpy as np
import pytest

from boxlens.data.row_sums import group_sums, mean_of_rows


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_changes_no_bit(seed):
    rng = np.random.default_rng(seed)
    values, group = rng.random(1000) * 10.0 ** rng.integers(-9, 9, 1000), rng.integers(0, 7, 1000)
    mean, sums = mean_of_rows(values), group_sums(group, values, 8)
    assert mean == pytest.approx(math.fsum(values) / 1000)
    assert sums == pytest.approx([math.fsum(values[group == row]) for row in range(8)])
    for _ in range(20):
        order = rng.permutation(1000)
        assert mean_of_rows(values[order]) == mean
        assert group_sums(group[order], values[order], 8).tolist() == sums.tolist()
    assert any(float(values[rng.permutation(1000)].mean()) != mean for _ in range(50))


def test_nothing_has_no_mean_and_sums_of_0():
    assert math.isnan(mean_of_rows(np.empty(0)))
    assert group_sums(np.empty(0, dtype=np.int32), np.empty(0), 3).tolist() == [0, 0, 0]
