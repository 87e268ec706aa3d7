"""Intervals from resampled values: against SciPy, textbooks and what must not matter."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from boxlens.errors import ParameterError
from boxlens.metrics.intervals import (
    ResamplingChoice,
    acceleration,
    chance_below,
    interval,
    jackknife_error,
    normal_chance_below,
    two_sided,
)
from resampled_means import LEVELS, SAMPLES, leave_one_out, methods, resampled_mean, samples

BCA, NORMAL, PERCENTILE = (
    ResamplingChoice(method=name) for name in ("bca", "normal", "percentile")
)
# Means are no shares: they may leave 0 to 1, as differences do.
around = partial(interval, difference=True)


@samples
@pytest.mark.parametrize("level", LEVELS)
def test_percentile_ends_are_quantiles_of_the_replicates(law, level):
    value, drawn, left = resampled_mean(law, 1)
    found = around(value, drawn, left, ResamplingChoice(level=level, method="percentile"))
    tail = (1 - level) / 2
    assert [found.low, found.high] == pytest.approx(np.quantile(drawn, [tail, 1 - tail]).tolist())


@samples
@pytest.mark.parametrize("level", LEVELS)
def test_bca_ends_equal_scipys_on_the_same_replicates(law, level):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        sample = SAMPLES[law](rng, 30)
        theirs = stats.bootstrap(
            (sample,), np.mean, n_resamples=999, confidence_level=level, method="BCa", rng=rng
        )
        ours = around(
            float(sample.mean()),
            theirs.bootstrap_distribution,
            leave_one_out(sample),
            ResamplingChoice(level=level, method="bca"),
        )
        assert (ours.low, ours.high) == pytest.approx(theirs.confidence_interval, rel=1e-9)
        assert ours.se == pytest.approx(theirs.standard_error)


def test_bca_of_a_median_equals_scipys():
    """Its replicates are often equal, also to the median itself: those count half."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        sample = np.round(rng.lognormal(0, 1, 25), 1)
        theirs = stats.bootstrap((sample,), np.median, n_resamples=499, method="BCa", rng=rng)
        left = np.array([np.median(np.delete(sample, i)) for i in range(len(sample))])
        ours = around(float(np.median(sample)), theirs.bootstrap_distribution, left, BCA)
        assert (ours.low, ours.high) == pytest.approx(theirs.confidence_interval, rel=1e-9)


def test_replicates_that_differ_from_the_number_by_rounding_alone_equal_it():
    """Number and replicates are summed in different orders; few objects give few values."""
    drawn = np.repeat([0.1, 0.2, 0.3, 0.5, 1.0], [100, 250, 400, 200, 50])
    left = np.array([0.25, 0.3, 0.3, 0.31, 0.4])
    exact = around(0.3, drawn, left, BCA)
    for value in (math.nextafter(0.3, 0), math.nextafter(0.3, 1), 0.1 + 0.2):
        found = around(value, drawn, left, BCA)
        assert (found.low, found.high) == (exact.low, exact.high)


@samples
@pytest.mark.parametrize("level", LEVELS)
def test_a_normal_interval_reaches_as_far_as_replicates_lie_from_the_number(law, level):
    """A number is moved by its bias, a difference is not."""
    value, drawn, left = resampled_mean(law, 2)
    choice = ResamplingChoice(level=level, method="normal")
    off = np.sqrt(((drawn - value - 0.1) ** 2).mean())
    reach = stats.norm.ppf((1 + level) / 2) * off
    found = around(value + 0.1, drawn, left, choice)
    assert found.centre == value + 0.1
    assert (found.low, found.high) == pytest.approx(
        (found.centre - reach, found.centre + reach), abs=1e-3 * reach
    )
    number = interval(0.5, drawn * 0.01 + 0.5, left, choice)
    assert number.centre == pytest.approx(1 - (drawn * 0.01 + 0.5).mean())
    assert number.high - number.centre == pytest.approx(number.centre - number.low)


def test_a_normal_interval_of_a_number_stays_between_0_and_1():
    low = interval(0.01, np.linspace(-0.1, 0.2, 200), np.full(9, 0.01), NORMAL)
    high = interval(0.99, np.linspace(0.8, 1.1, 200), np.full(9, 0.99), NORMAL)
    assert (low.low, high.high) == (0, 1)


def test_acceleration_is_a_sixth_of_the_skewness_of_the_pulls():
    sample = np.random.default_rng(0).lognormal(0, 1, 50)
    expected = stats.skew(sample) / 6 / math.sqrt(len(sample))
    assert acceleration(leave_one_out(sample)) == pytest.approx(expected)
    assert acceleration(np.full(9, 0.3)) == 0
    assert acceleration(np.empty(0)) == 0


@samples
def test_the_jackknife_error_of_a_mean_is_the_textbook_one(law):
    sample = SAMPLES[law](np.random.default_rng(4), 40)
    assert jackknife_error(leave_one_out(sample)) == pytest.approx(stats.sem(sample))
    assert math.isnan(jackknife_error(np.array([0.5])))


def test_the_jackknife_error_of_groups_is_that_of_their_means():
    groups = np.random.default_rng(5).normal(size=(12, 7))
    left = np.array([np.delete(groups, g, axis=0).mean() for g in range(12)])
    assert jackknife_error(left) == pytest.approx(stats.sem(groups.mean(axis=1)))


def test_error_and_bias_are_those_of_the_replicates():
    drawn = np.array([0.1, 0.2, 0.4, 0.7])
    found = around(0.3, drawn, drawn, PERCENTILE)
    assert found.se == pytest.approx(math.sqrt(sum((x - 0.35) ** 2 for x in drawn) / 3))
    assert found.bias == pytest.approx(0.05)


@methods
def test_an_interval_is_carried_along_by_a_shift_and_a_stretch(method):
    choice = ResamplingChoice(method=method)
    value, drawn, left = resampled_mean("skewed", 6)
    found = around(value, drawn, left, choice)
    moved = around(2 + 8 * value, 2 + 8 * drawn, 2 + 8 * left, choice)
    assert (moved.low, moved.high) == pytest.approx((2 + 8 * found.low, 2 + 8 * found.high))
    turned = around(-value, -drawn, -left, choice)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))


@methods
def test_a_higher_level_gives_a_wider_interval(method):
    value, drawn, left = resampled_mean("shares", 7)
    found = [
        around(value, drawn, left, ResamplingChoice(level=level, method=method)) for level in LEVELS
    ]
    for narrow, wide in itertools.pairwise(found):
        assert wide.low < narrow.low < narrow.high < wide.high


# --- undefined numbers


@methods
def test_undefined_replicates_are_counted_and_left_out(method):
    choice = ResamplingChoice(method=method)
    value, drawn, left = resampled_mean("skewed", 8, n_replicates=300)
    holes = drawn.copy()
    holes[:100] = np.nan
    expected = around(value, drawn[100:], left, choice)
    found = around(value, holes, np.append(left, np.nan), choice)
    assert found.n_undefined == 100
    assert (found.low, found.high, found.se) == (expected.low, expected.high, expected.se)
    assert found.se_jackknife == expected.se_jackknife
    below = chance_below(value, holes, np.append(left, np.nan), choice)
    assert below == chance_below(value, drawn[100:], left, choice)


@methods
def test_a_number_undefined_in_more_than_half_of_the_replicates_has_no_interval(method):
    choice = ResamplingChoice(method=method)
    value, drawn, left = resampled_mean("skewed", 8, n_replicates=300)
    drawn[:150] = np.nan
    assert math.isfinite(around(value, drawn, left, choice).low)
    drawn[150] = np.nan
    found = around(value, drawn, left, choice)
    assert found.n_undefined == 151
    assert found.value == value
    unknown = (found.low, found.high, found.se, found.se_jackknife, found.bias)
    assert all(math.isnan(end) for end in unknown)
    assert math.isnan(chance_below(value, drawn, left, choice))
    assert math.isnan(normal_chance_below(found))


@methods
def test_a_number_that_is_undefined_itself_has_no_interval(method):
    choice = ResamplingChoice(method=method)
    _, drawn, left = resampled_mean("normal", 9)
    found = around(math.nan, drawn, left, choice)
    assert math.isnan(found.value)
    assert math.isnan(found.low)
    assert math.isnan(chance_below(math.nan, drawn, left, choice))
    assert math.isnan(two_sided(math.nan))
    nothing = around(math.nan, np.full(5, np.nan), np.full(5, np.nan), choice)
    assert nothing.n_undefined == 5
    assert math.isnan(nothing.low)


def test_json_has_null_where_nothing_can_be_said():
    found = around(math.nan, np.full(5, np.nan), np.empty(0), BCA).to_json()
    assert found == {
        "value": None,
        "ci": [None, None],
        "se": None,
        "se_jackknife": None,
        "bias": None,
        "n_undefined": 5,
    }


# --- choices


@pytest.mark.parametrize(
    "bad",
    [
        {"n_replicates": 99},
        {"level": 1.0},
        {"level": 0.4},
        {"level": math.nan},
        {"method": "basic"},
        {"n_jackknife": 1},
        {"seed": -1},
    ],
)
def test_choices_that_make_no_sense_are_refused(bad):
    with pytest.raises(ParameterError):
        ResamplingChoice(**bad)


def test_a_choice_tells_everything_that_a_second_run_needs():
    choice = ResamplingChoice(n_replicates=200, seed=3, level=0.9, method="percentile")
    assert ResamplingChoice(**choice.to_json()) == choice
