"""Verdicts from numbers that are made for the purpose: chance, Holm, and what is not known."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import t

from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.readings import Mean
from boxlens.studies.comparison.gating.questions import Measured, Question, Values
from boxlens.studies.comparison.gating.rules import Target, parse_rule
from boxlens.studies.comparison.gating.verdicts import decide

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


@pytest.mark.parametrize("n_images", [10, 50, 100_000])
def test_the_chance_is_that_of_students_law_far_beyond_the_replicates(n_images):
    (outcome,) = decide([answer(-9, n_images=n_images)], CHOICE, fail_on_estimate=False)
    assert outcome.p == pytest.approx(t.cdf(-9, n_images - 1), rel=0.01)


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
        ("AP >= 0.01", Measured(50, values(0.5), values(np.nan)), "the candidate has no value"),
        ("AP >= baseline", Measured(50, values(np.nan), values(0.9)), "the limit has no value"),
        ("AP <= baseline", Measured(50, values(np.nan), values(0.9)), "the limit has no value"),
        ("AP >= 0.01", Measured(50, values(0.5), values(0.9, NAN)), "undefined in most replicates"),
        ("AP >= 0.01", Measured(50, values(0.5), values(0.9, MOSTLY_NAN)), "most replicates (666"),
        ("AP >= baseline", Measured(50, values(0.5, NAN), values(0.9)), "most replicates"),
        ("AP >= 0.01", Measured(9, values(0.5), values(0.9)), "too few images"),
        ("AP >= 0.01", Measured(0, values(0.5), values(0.9)), "no objects that count"),
        (
            "AP >= 0.01",
            Measured(50, values(0.5, [], []), values(0.9, [], [])),
            "most replicates (0",
        ),
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


# --- what these images would have shown


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("n_others", [0, 1, 9])
def test_what_would_be_detected_is_what_the_strictest_step_of_holm_finds(level, n_others):
    choice = ResamplingChoice(n_replicates=999, level=level)
    unknown = question(), Measured(50, values(0.5), values(np.nan))
    answers = [answer(-1), *[answer(1)] * n_others, unknown]
    found = decide(answers, choice, fail_on_estimate=False)
    n_tests = 1 + n_others
    errors = NormalDist().inv_cdf(1 - (1 - level) / n_tests) + NormalDist().inv_cdf(0.8)
    for outcome in found[:-1]:
        assert outcome.detectable == pytest.approx(errors * outcome.margin.se, rel=1e-9)
        assert outcome.detectable == pytest.approx(0.01 * errors, rel=1e-6)
    assert np.isnan(found[-1].detectable)
    assert f"a breach from about {found[0].detectable:.4f} on" in found[0].reason


def test_a_breach_of_the_detectable_size_is_found_four_times_in_five():
    rng = np.random.default_rng(1)
    (outcome,) = decide([answer(0, n_images=5000)], CHOICE, fail_on_estimate=False)
    size = outcome.detectable / 0.01
    n_found = sum(
        verdicts(answer(-size + noise, n_images=5000)) == ["fail"]
        for noise in rng.standard_normal(500)
    )
    # Four standard errors around 400 of 500.
    assert 364 <= n_found <= 436


# --- rules that nothing breaks, and classes in few images


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("AP >= 0", "error"),
        ("AP >= baseline - 0.5", "error"),
        ("AP >= baseline - 0.499", "pass"),
        ("AP <= 1", "error"),
        ("AP <= baseline + 0.5", "error"),
        ("AP <= baseline + 0.499", "pass"),
        ("AP > 0", "pass"),
        ("AP of each class >= 0", "error"),
        ("AP of each class <= 1", "error"),
        ("AP of each class >= baseline - 0.5", "pass"),
    ],
)
def test_a_limit_that_no_value_passes_is_an_error_unless_each_class_has_its_own(text, verdict):
    """The baseline has .5."""
    asked = Question(parse_rule(text), Target("class", "cat"), Mean())
    found = Measured(50, values(0.5), values(0.6, 0.6 + 0.01 * SPREAD))
    (outcome,) = decide([(asked, found)], CHOICE, fail_on_estimate=False)
    assert outcome.verdict == verdict
    assert ("holds whatever the candidate does" in outcome.reason) == (verdict == "error")


@pytest.mark.parametrize(
    ("text", "candidate", "n_images", "verdict"),
    [
        ("AP of each class >= baseline", 0.6, 9, "pass"),
        ("AP of each class >= baseline", 0.5, 1, "pass"),
        ("AP of each class > baseline", 0.5, 9, "error"),
        ("AP of each class >= baseline", 0.4, 9, "error"),
        ("AP of each class >= baseline", np.nan, 9, "error"),
        ("AP of each class <= baseline", 0.4, 9, "pass"),
        ("AP of each class >= baseline", 0.6, 0, "error"),
        ("AP of cat >= baseline", 0.6, 9, "error"),
    ],
)
@pytest.mark.parametrize("fail_on_estimate", [False, True])
def test_a_class_in_few_images_is_decided_by_its_estimate_or_not_at_all(
    text, candidate, n_images, verdict, fail_on_estimate
):
    asked = Question(parse_rule(text), Target("class", "cat"), Mean())
    found = Measured(n_images, values(0.5, NAN), values(candidate, NAN))
    (outcome,) = decide([(asked, found)], CHOICE, fail_on_estimate=fail_on_estimate)
    assert outcome.verdict == verdict
    assert np.isnan([outcome.p, outcome.p_holm, outcome.detectable]).all()
    told = f"(not tested: objects in {n_images} images)" if verdict == "pass" else "too few images"
    assert told in outcome.reason or n_images == 0


def test_a_class_in_few_images_is_no_test_for_holm():
    asked = Question(parse_rule("AP of each class >= baseline"), Target("class", "cat"), Mean())
    few = asked, Measured(9, values(0.5, NAN), values(0.6, NAN))
    assert verdicts(answer(-2), *[few] * 9) == ["fail"] + ["pass"] * 9
