"""Scores against measures: known lines, SciPy's numbers, and what is undefined."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from boxlens.errors import ParameterError
from boxlens.studies.difficulty.correlations import correlate
from studies.difficulty.made_classes import (
    NAN,
    made_difficulty,
    made_properties,
    made_system,
    random_world,
)

NUMBERS = ("pearson", "pearson_low", "pearson_high", "spearman", "slope", "intercept")


def one(scores, measure, properties=None):
    difficulty = made_difficulty(len(scores), cpl=measure)
    (found,) = correlate([made_system(cls_loc=scores)], difficulty, properties)
    return found


def numbers(correlation):
    return [getattr(correlation, name) for name in NUMBERS]


def test_classes_on_a_line_correlate_fully():
    found = one([0.1, 0.3, 0.5, 0.9], [0, 1, 2, 4])
    assert (found.system, found.score, found.measure) == ("system", "cls_loc", "cpl")
    assert found.n_classes == 4
    assert numbers(found) == pytest.approx([1, 1, 1, 1, 0.2, 0.1])
    assert numbers(one([0.9, 0.5, 0.3, 0.1], [0, 2, 3, 4]))[:5] == pytest.approx(
        [-1, -1, -1, -1, -0.2]
    )


def test_a_small_case_by_hand():
    # x - 2 is -2 -1 0 1 2, y - .5 is -.3 .1 -.1 .3 0: products sum to .8, squares to 10 and .2.
    found = one([0.2, 0.6, 0.4, 0.8, 0.5], [0, 1, 2, 3, 4])
    r = 0.8 / math.sqrt(10 * 0.2)
    reach = 1.959964 / math.sqrt(2)
    assert found.pearson == pytest.approx(r)
    assert found.pearson_low == pytest.approx(math.tanh(math.atanh(r) - reach), abs=1e-6)
    assert found.pearson_high == pytest.approx(math.tanh(math.atanh(r) + reach), abs=1e-6)
    # Ranks of y are 1 4 2 5 3: squared differences 0 4 1 1 4.
    assert found.spearman == pytest.approx(1 - 6 * 10 / (5 * 24))
    assert (found.slope, found.intercept) == pytest.approx((0.08, 0.34))


@pytest.mark.parametrize("seed", range(8))
def test_numbers_equal_those_of_scipy_with_ties_and_gaps(seed):
    measures, scores, columns = random_world(seed)
    properties = made_properties(**columns)
    found = correlate([made_system(**scores)], made_difficulty(30, **measures), properties)
    assert len(found) == 4 * 6
    for correlation in found:
        column = measures.get(correlation.measure, properties.numbers.get(correlation.measure))
        both = ~np.isnan(column) & ~np.isnan(scores[correlation.score])
        x, y = column[both], scores[correlation.score][both]
        pearson, line = scipy.stats.pearsonr(x, y), scipy.stats.linregress(x, y)
        interval = pearson.confidence_interval(0.95)
        spearman = scipy.stats.spearmanr(x, y).statistic
        expected = [pearson.statistic, *interval, spearman, line.slope, line.intercept]
        assert correlation.n_classes == len(x)
        assert numbers(correlation) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("scale", [1e-9, -3.0, 1e9])
def test_units_change_the_line_and_nothing_else(scale):
    random = np.random.default_rng(5)
    x, y = random.random(20), random.random(20)
    plain, scaled = one(y, x), one(y, scale * x)
    assert scaled.pearson == pytest.approx(math.copysign(1, scale) * plain.pearson)
    assert scaled.spearman == pytest.approx(math.copysign(1, scale) * plain.spearman)
    assert scaled.slope == pytest.approx(plain.slope / scale)
    assert scaled.intercept == pytest.approx(plain.intercept)


def test_fewer_than_three_classes_tell_nothing():
    found = one([0.1, 0.5, NAN, 0.7], [1, 2, 3, NAN])
    assert found.n_classes == 2
    assert np.isnan(numbers(found)).all()


def test_three_classes_have_a_correlation_but_no_interval():
    found = one([0.1, 0.5, 0.2], [1, 2, 3])
    assert not math.isnan(found.pearson)
    assert math.isnan(found.pearson_low)
    assert math.isnan(found.pearson_high)


@pytest.mark.parametrize("constant", [0.0, 0.1, 1 / 3, 1e300])
def test_a_measure_without_variance_tells_nothing(constant):
    assert np.isnan(numbers(one([0.1, 0.2, 0.3, 0.4, 0.5], [constant] * 5))).all()


def test_equal_scores_have_a_level_line_but_no_correlation():
    found = one([0.1] * 7, range(7))
    assert np.isnan(numbers(found)[:4]).all()
    assert (found.slope, found.intercept) == pytest.approx((0, 0.1))


def test_what_no_class_has_is_left_out():
    difficulty = made_difficulty(4, cpl=[1, 2, 3, 4], scale=[NAN, 1, 2, NAN])
    found = correlate(
        [made_system(cls=[1, 1, 0, 0]), made_system("b", ap=[1, 0, 0, 1])], difficulty
    )
    assert [(each.system, each.score, each.measure) for each in found] == [
        ("system", "cls", "scale"),
        ("system", "cls", "cpl"),
        ("b", "ap", "scale"),
        ("b", "ap", "cpl"),
    ]


def test_words_of_the_class_table_are_no_measure_but_its_numbers_are():
    properties = made_properties(
        kind=["a", "b"] * 4, weight=[1, 2, 3, 4, 5, 6, 7, 8], rank=[1, 2] * 4
    )
    difficulty = made_difficulty(8, cpl=range(8))
    found = correlate([made_system(cls=np.arange(8) / 8)], difficulty, properties)
    assert [each.measure for each in found] == ["cpl", "weight"]
    assert found[1].slope == pytest.approx(1 / 8)


def test_a_column_with_the_name_of_a_measure_is_refused():
    properties = made_properties(scale=range(8))
    with pytest.raises(ParameterError, match="'scale': rename it"):
        correlate([made_system(cls=range(8))], made_difficulty(8), properties)
