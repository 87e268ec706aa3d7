"""Verdicts from numbers that are made for the purpose: chance, Holm, and what is not known."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from boxlens.comparison.gating.measures import Measured, Question, Values
from boxlens.comparison.gating.rules import Target, parse_rule
from boxlens.comparison.gating.verdicts import decide
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.readings import Mean

CHOICE = ResamplingChoice(n_replicates=999)
# A normal law as 999 equally likely values.
SPREAD = np.array([NormalDist().inv_cdf(k / 1000) for k in range(1, 1000)])
SPREAD /= SPREAD.std(ddof=1)


def question(text="AP >= baseline"):
    return Question(parse_rule(text), Target(), Mean())


def values(value, replicates=None, jackknife=None):
    drawn = np.full(999, value) if replicates is None else replicates
    left = np.full(200, value) if jackknife is None else jackknife
    return Values(np.array([value]), np.asarray(drawn), np.asarray(left))


def answer(distance, text="AP >= baseline", n_images=50):
    """A candidate that lies this many standard errors (.01) above the baseline."""
    value = 0.5 + 0.01 * distance
    return question(text), Measured(n_images, values(0.5), values(value, value + 0.01 * SPREAD))


def verdicts(*answers, choice=CHOICE, fail_on_estimate=False):
    found = decide(answers, choice, fail_on_estimate=fail_on_estimate)
    return [outcome.verdict for outcome in found]


@pytest.mark.parametrize(
    ("distance", "verdict"),
    [
        (3, "pass"),
        (0.01, "pass"),
        (-0.01, "warning"),
        (-1.6, "warning"),
        (-1.7, "fail"),
        (-9, "fail"),
    ],
)
def test_a_single_rule_fails_from_the_one_sided_quantile_on(distance, verdict):
    assert verdicts(answer(distance)) == [verdict]


def test_the_chance_is_that_of_a_normal_law_far_beyond_the_replicates():
    (outcome,) = decide([answer(-9)], CHOICE, fail_on_estimate=False)
    assert outcome.p == pytest.approx(NormalDist().cdf(-9), rel=0.01)


def test_the_level_decides():
    assert verdicts(answer(-1.7), choice=ResamplingChoice(n_replicates=999, level=0.99)) == [
        "warning"
    ]


def test_holm_spares_a_rule_among_many_that_would_fail_alone():
    assert verdicts(answer(-2)) == ["fail"]
    assert verdicts(answer(-2), *[answer(1)] * 9) == ["warning"] + ["pass"] * 9
    assert verdicts(answer(-5), answer(-2)) == ["fail", "fail"]
    assert verdicts(answer(-5), answer(-2), answer(1), answer(1)) == [
        "fail",
        "warning",
        "pass",
        "pass",
    ]


def test_a_rule_that_cannot_be_computed_is_no_test_for_holm():
    unknown = question(), Measured(50, values(0.5), values(np.nan))
    assert verdicts(answer(-2), *[unknown] * 9) == ["fail"] + ["error"] * 9


@pytest.mark.parametrize(
    ("text", "candidate", "verdict"),
    [
        ("AP >= 0.5", 0.5, "pass"),
        ("AP <= 0.5", 0.5, "pass"),
        ("AP > 0.5", 0.5, "warning"),
        ("AP < 0.5", 0.5, "warning"),
        ("AP >= 0.5", 0.5 - 1e-15, "pass"),
        ("AP >= 0.5", 0.499, "fail"),
        ("AP <= 0.5", 0.501, "fail"),
    ],
)
def test_values_that_never_vary_are_decided_by_themselves(text, candidate, verdict):
    assert verdicts((question(text), Measured(50, values(0.2), values(candidate)))) == [verdict]


NAN = np.full(999, np.nan)
MOSTLY_NAN = np.where(np.arange(999) % 3 == 0, 0.9, np.nan)


@pytest.mark.parametrize(
    ("text", "measured", "reason"),
    [
        ("AP >= 0", Measured(50, values(0.5), values(np.nan)), "the candidate has no value"),
        ("AP >= baseline", Measured(50, values(np.nan), values(0.9)), "the limit has no value"),
        ("AP <= baseline", Measured(50, values(np.nan), values(0.9)), "the limit has no value"),
        ("AP >= 0", Measured(50, values(0.5), values(0.9, NAN)), "undefined in most replicates"),
        ("AP >= 0", Measured(50, values(0.5), values(0.9, MOSTLY_NAN)), "most replicates (666"),
        ("AP >= baseline", Measured(50, values(0.5, NAN), values(0.9)), "most replicates"),
        ("AP >= 0", Measured(9, values(0.5), values(0.9)), "too few images"),
        ("AP >= 0", Measured(0, values(0.5), values(0.9)), "no objects that count"),
        ("AP >= 0", Measured(50, values(0.5, [], []), values(0.9, [], [])), "most replicates (0"),
    ],
)
@pytest.mark.parametrize("fail_on_estimate", [False, True])
def test_what_could_not_be_computed_never_passes(text, measured, reason, fail_on_estimate):
    (outcome,) = decide([(question(text), measured)], CHOICE, fail_on_estimate=fail_on_estimate)
    assert outcome.verdict == "error"
    assert reason in outcome.reason


def test_an_undefined_baseline_does_not_matter_to_a_mere_number():
    measured = Measured(50, values(np.nan), values(0.9, 0.9 + 0.01 * SPREAD))
    assert verdicts((question("AP >= 0.5"), measured)) == ["pass"]


def test_a_few_undefined_replicates_are_left_out():
    drawn = 0.9 + 0.01 * SPREAD
    drawn[:100] = np.nan
    (outcome,) = decide(
        [(question("AP >= 0.5"), Measured(50, values(0.5), values(0.9, drawn)))],
        CHOICE,
        fail_on_estimate=False,
    )
    assert outcome.verdict == "pass"
    assert outcome.margin.n_undefined == 100


def test_noise_alone_breaks_one_of_many_true_rules_no_more_often_than_the_level_says():
    rng = np.random.default_rng(0)
    n_false = 0
    for _ in range(100):
        found = verdicts(*(answer(distance) for distance in rng.standard_normal(20)))
        n_false += "fail" in found
    # 5 are expected; more than 12 would come up once in a thousand times.
    assert n_false <= 12
