"""P-values from resampled values: they turn the intervals around, and Holm's are adjusted."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from boxlens.metrics.intervals import (
    Interval,
    ResamplingChoice,
    chance_below,
    holm,
    interval,
    normal_chance_below,
    two_sided,
)
from resampled_means import LEVELS, methods, resampled_mean, samples

counted = pytest.mark.parametrize("method", ["bca", "percentile"])
# Means are no shares: they may leave 0 to 1, as differences do.
around = partial(interval, difference=True)


@samples
@methods
@pytest.mark.parametrize("level", LEVELS)
def test_the_chance_of_lying_below_an_end_is_what_the_interval_leaves_there(law, method, level):
    """Where the end lies among the replicates, not beside the outermost few."""
    choice = ResamplingChoice(level=level, method=method)
    tail = (1 - level) / 2
    for seed in range(6):
        resampled = resampled_mean(law, seed)
        found = around(*resampled, choice)
        for end, expected in ((found.low, tail), (found.high, 1 - tail)):
            n_beyond = min(
                np.count_nonzero(resampled[1] < end), np.count_nonzero(resampled[1] > end)
            )
            if n_beyond >= 5:
                below = chance_below(*resampled, choice, end)
                assert below == pytest.approx(expected, abs=2e-3)


@samples
@methods
def test_zero_is_outside_an_interval_exactly_where_p_is_below_its_tails(law, method):
    n_outside = n_inside = 0
    for seed in range(30):
        resampled = resampled_mean(law, seed, n=25, n_replicates=1000)
        for level in np.linspace(0.5, 0.99, 15).tolist():
            choice = ResamplingChoice(level=level, method=method)
            p = two_sided(chance_below(*resampled, choice))
            if abs(p - (1 - level)) < 5e-3:
                continue
            found = around(*resampled, choice)
            outside = not found.low <= 0 <= found.high
            assert outside == (p < 1 - level)
            n_outside += outside
            n_inside += not outside
    assert n_outside > 50
    assert n_inside > 50


@samples
@methods
def test_the_chance_ascends_with_the_limit(law, method):
    choice = ResamplingChoice(method=method)
    value, drawn, left = resampled_mean(law, 2, n_replicates=500)
    limits = np.linspace(drawn.min() - 0.1, drawn.max() + 0.1, 200)
    chances = [chance_below(value, drawn, left, choice, limit) for limit in limits]
    assert chances == sorted(chances)


@methods
def test_the_chance_ascends_with_the_limit_where_the_number_lies_beyond_its_replicates(method):
    """Bias and skewness as large as they can be."""
    choice = ResamplingChoice(method=method)
    drawn, left = np.linspace(0, 1, 1000), np.array([0.0] + [1.0] * 99)
    limits = [-0.1, *(drawn + 1e-4), 1.1]
    for value, groups in itertools.product((-1.0, 2.0), (left, -left)):
        chances = [chance_below(value, drawn, groups, choice, limit) for limit in limits]
        assert chances == sorted(chances)


@methods
def test_exchanging_the_two_sides_turns_the_chance_around(method):
    """A against B and B against A have one p-value."""
    choice = ResamplingChoice(method=method)
    for seed, shift in itertools.product(range(5), np.linspace(-0.5, 0.5, 41)):
        value, drawn, left = resampled_mean("skewed", seed, n_replicates=200)
        value, drawn, left = value + shift, drawn + shift, left + shift
        below = chance_below(value, drawn, left, choice)
        above = chance_below(-value, -drawn, -left, choice)
        assert below + above == pytest.approx(1, abs=1e-12)
        assert two_sided(below) == pytest.approx(two_sided(above), abs=1e-12)


@counted
def test_nothing_rarer_than_the_replicates_can_show_is_claimed(method):
    choice = ResamplingChoice(method=method)
    value, drawn, left = resampled_mean("normal", 1, n_replicates=500)
    far = 100.0
    assert chance_below(value, drawn, left, choice, -far) == pytest.approx(1 / 501)
    assert chance_below(value, drawn, left, choice, far) == pytest.approx(500 / 501)


@methods
@pytest.mark.parametrize("n_replicates", [100, 999, 1000])
def test_a_detector_against_itself_has_chance_one_half_and_p_one(method, n_replicates):
    choice = ResamplingChoice(method=method)
    zeros, left = np.zeros(n_replicates), np.zeros(20)
    below = chance_below(0.0, zeros, left, choice)
    assert below == pytest.approx(0.5, abs=1e-12)
    assert two_sided(below) == pytest.approx(1, abs=1e-12)
    assert around(0.0, zeros, left, choice) == Interval(0, 0, 0, 0, 0, 0, centre=0)
    assert two_sided(normal_chance_below(around(0.0, zeros, left, choice))) == 1


@methods
def test_differences_of_rounding_alone_are_no_differences(method):
    choice = ResamplingChoice(method=method)
    for noise in (1e-17, -2e-16):
        below = chance_below(noise, np.full(400, noise), np.full(20, noise), choice)
        assert two_sided(below) == pytest.approx(1, abs=1e-12)


@counted
def test_equal_replicates_away_from_the_limit_are_as_sure_as_replicates_can_be(method):
    choice = ResamplingChoice(method=method)
    same, left = np.full(400, 0.25), np.full(20, 0.25)
    assert chance_below(0.25, same, left, choice) == pytest.approx(1 / 401)
    found = around(0.25, same, left, choice)
    assert (found.low, found.high, found.se) == (0.25, 0.25, 0)
    assert normal_chance_below(found) == 0
    assert normal_chance_below(found, 0.5) == 1


def test_the_normal_chance_is_around_the_centre_of_the_interval():
    found = Interval(0.3, 0.1, 0.5, se=0.1, se_jackknife=0.1, bias=0.05, centre=0.25)
    reach = np.hypot(0.1, 0.05)
    assert normal_chance_below(found) == pytest.approx(stats.norm.cdf(-0.25 / reach))
    assert normal_chance_below(found, 0.25) == pytest.approx(0.5)
    by_student = normal_chance_below(found, n_images=12)
    assert by_student == pytest.approx(stats.t.cdf(-0.25 / reach, 11))


# --- many tests at once


def holm_by_definition(p):
    """A test is rejected at level a if it and all smaller ones pass a / (number not yet rejected)."""

    def rejected(a):
        kept = set()
        for rank, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
            if p[i] > a / (len(p) - rank):
                break
            kept.add(i)
        return kept

    # Smallest level at which each is rejected; it is one of these products.
    levels = sorted({min(x * k, 1.0) for x in p for k in range(1, len(p) + 1)} | {1.0})
    return [next((a for a in levels if i in rejected(a + 1e-15)), 1.0) for i in range(len(p))]


def test_holm_of_a_worked_example():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx(
        [0.03, 0.06, 0.06, 0.02]
    )


def test_holm_equals_its_definition():
    rng = np.random.default_rng(0)
    for n in range(1, 8):
        for _ in range(20):
            p = np.round(rng.random(n) ** 2, 2)
            assert holm(p).tolist() == pytest.approx(holm_by_definition(p.tolist()))


def test_holm_leaves_out_what_was_not_tested():
    nan = math.nan
    np.testing.assert_allclose(holm(np.array([nan, 0.02, nan, 0.6])), [nan, 0.04, nan, 0.6])
    assert holm(np.empty(0)).size == 0
    assert np.isnan(holm(np.array([nan, nan]))).all()
