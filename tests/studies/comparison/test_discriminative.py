"""Removal by disagreement: what it says, false alarms, planted differences, real detectors."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from boxlens.errors import ParameterError
from boxlens.studies.comparison.cases.discriminative import DiscriminativeChoice, discriminate
from boxlens.studies.comparison.cases.image_scores import image_scores
from studies.comparison.real_detectors import coco_detectors

TO_THE_END = {"least_kept": 2, "least_share": 0.0}


def compare(a, b, **choice):
    return discriminate(("a", "b"), np.stack([a, b]), DiscriminativeChoice(**choice))


def noisy_pair(seed, n=78, shift=0.0):
    """Two detectors on images of varied difficulty, the first better by a shift."""
    rng = np.random.default_rng(seed)
    easy = rng.beta(2, 2, n)
    a, b = (np.clip(easy + rng.normal(at, 0.15, n), 0, 1) for at in (shift, 0))
    return a, b


def test_a_case_on_the_threshold_stays_and_the_smallest_lasting_threshold_counts():
    # Twenty cases of 3/64 against the first hide the ten from 4/64 to 13/64 for it.
    b = np.full(30, 0.5)
    result = compare(b + np.array([-3] * 20 + list(range(4, 14))) / 64, b, least_kept=5)
    assert result.curve.n_kept.tolist() == [30, 30, 10, 9, 8, 7, 6, 5]
    assert result.p_all == result.curve.p[0] == result.curve.p[1] > 0.05
    assert (result.t0, result.n_kept, result.n_removed) == (4 / 64, 10, 20)
    assert result.removed_rows.tolist() == list(range(20))
    assert result.mean_difference == 8.5 / 64
    assert (result.differs, result.better) == (True, "a")


def test_order_of_cases_does_not_matter_and_exchange_turns_the_sign():
    a, b = noisy_pair(1, n=200, shift=0.1)
    first, order = compare(a, b), np.random.default_rng(0).permutation(len(a))
    shuffled, turned = compare(a[order], b[order]), compare(b, a)
    np.testing.assert_allclose(shuffled.curve.p, first.curve.p, rtol=1e-9)
    np.testing.assert_allclose(turned.curve.p, first.curve.p, rtol=1e-9)
    assert (first.t0, first.better) == (shuffled.t0, shuffled.better)
    assert (first.better, turned.better) == ("a", "b")
    assert turned.mean_difference == pytest.approx(-first.mean_difference)
    assert sorted(order[shuffled.removed_rows]) == first.removed_rows.tolist()


def test_the_parts_of_a_verdict_belong_together():
    for seed in range(40):
        a, b = noisy_pair(seed, shift=0.04)
        result = compare(a, b)
        disagreement = np.abs(a - b)
        if math.isnan(result.t0):
            assert (result.n_kept, result.n_removed, result.better) == (None, None, None)
            assert len(result.removed_rows) == 0
            continue
        removed = np.flatnonzero(disagreement < result.t0)
        assert result.removed_rows.tolist() == removed.tolist()
        assert result.n_removed == len(removed) == 78 - result.n_kept
        kept = disagreement >= result.t0
        assert result.mean_difference == pytest.approx((a - b)[kept].mean())
        assert result.t0_relative == pytest.approx(result.t0 / disagreement.max())
        assert result.t0_share == pytest.approx(result.t0 / result.curve.threshold.sum())
        assert result.mean == pytest.approx((a.mean(), b.mean()))
        assert result.differs == (result.t0 <= 0.1)
        best = "a" if a[kept].mean() > b[kept].mean() else "b"
        assert result.better == (best if result.differs else None)
    assert compare(a, b).p_all == pytest.approx(stats.ttest_rel(a, b).pvalue)


@pytest.mark.parametrize("test", ["paired", "welch", "permutation", "anova"])
def test_a_detector_against_itself_never_differs(test):
    a, _ = noisy_pair(0)
    result = compare(a, a, test=test)
    assert not result.differs
    assert math.isnan(result.t0)
    assert result.better is None
    assert result.remark == "the scores agree on every image: the test set is too easy"
    assert not result.p_all < 1


@pytest.mark.parametrize("step", [0.125, 0.1])
def test_a_difference_that_does_not_vary_has_no_t_test(step):
    # A tenth is rounded differently from case to case: that is no variance either.
    b = np.linspace(0, 0.5, 41)
    result = compare(b + step, b)
    assert np.isnan(result.curve.p).all()
    assert result.remark == "the difference does not vary: no test is possible"
    assert not result.differs
    assert compare(b + step, b, test="permutation").differs


def test_an_undefined_p_does_not_undo_a_difference():
    # The three largest disagreements are equal.
    b = np.full(30, 0.25)
    a = b + np.append(np.linspace(1, 27, 27), [32, 32, 32]) / 64
    result = compare(a, b, **TO_THE_END)
    assert math.isnan(result.curve.p[-1])
    assert (result.t0, result.differs, result.better) == (0, True, "a")


def test_the_grid_ends_when_too_few_cases_remain():
    a, b = noisy_pair(2, n=1000)
    assert compare(a, b).curve.n_kept[-1] == 50
    assert compare(a, b, least_share=0.001).curve.n_kept[-1] == 20
    assert compare(a, b, least_kept=100).curve.n_kept[-1] == 100
    few = compare(a[:19], b[:19])
    assert len(few.curve.p) == 0
    assert not few.differs
    assert few.p_all == pytest.approx(stats.ttest_rel(a[:19], b[:19]).pvalue)
    assert few.remark == "too few images: 19, at least 20 are needed"


def test_cases_without_a_score_are_left_out_and_counted():
    a, b = noisy_pair(7, n=100, shift=0.1)
    gaps_a, gaps_b = a.copy(), b.copy()
    gaps_a[[3, 50]] = np.nan
    gaps_b[[3, 99]] = np.nan
    whole = np.setdiff1d(np.arange(100), [3, 50, 99])
    with_gaps, without = compare(gaps_a, gaps_b), compare(a[whole], b[whole])
    assert (with_gaps.n_cases, with_gaps.n_dropped) == (97, 3)
    np.testing.assert_array_equal(with_gaps.curve.p, without.curve.p)
    assert with_gaps.removed_rows.tolist() == whole[without.removed_rows].tolist()
    nothing = compare([np.nan] * 5, [0.5] * 5)
    assert (nothing.n_cases, nothing.n_dropped, nothing.differs) == (0, 5, False)
    assert np.isnan([nothing.p_all, nothing.t0, *nothing.mean]).all()
    assert not compare([], []).differs


def test_more_than_two_detectors_by_anova():
    rng = np.random.default_rng(4)
    scores = np.clip(rng.normal([[0.4], [0.5], [0.45]], 0.15, (3, 200)), 0, 1)
    choice = DiscriminativeChoice(test="anova")
    result = discriminate(("x", "y", "z"), scores, choice)
    disagreement = scores.max(axis=0) - scores.min(axis=0)
    for at in (0, 50, 150):
        kept = scores[:, disagreement >= result.curve.threshold[at]]
        assert result.curve.p[at] == pytest.approx(stats.f_oneway(*kept).pvalue, rel=1e-9)
    assert (result.a, result.b, result.differs, result.better) == (None, None, True, "y")
    assert math.isnan(result.mean_difference)
    assert result.to_json()["detectors"] == ["x", "y", "z"]


def test_json_says_all_and_null_for_undefined():
    a, b = noisy_pair(0, n=30, shift=0.2)
    document = json.loads(json.dumps(compare(a, b).to_json(), allow_nan=False))
    assert (document["a"], document["b"], document["test"]) == ("a", "b", "paired")
    assert (document["differs"], document["better"], document["alpha"]) == (True, "a", 0.05)
    assert document["n_kept"] + document["n_removed"] == document["n_cases"] == 30
    assert document["mean"] == {"a": pytest.approx(a.mean()), "b": pytest.approx(b.mean())}
    assert document["p_curve"][0] == {"t": 0, "p": document["p_all"], "n": 30}
    same = json.loads(json.dumps(compare(a, a).to_json(), allow_nan=False))
    undefined = ("t0", "t0_relative", "t0_share", "better", "n_kept", "n_removed", "p_all")
    assert [same[key] for key in undefined] == [None] * 7
    assert same["p_curve"] == [{"t": 0, "p": None, "n": 30}]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"alpha": 0.0}, "alpha lies between"),
        ({"alpha": math.nan}, "alpha lies between"),
        ({"largest_t0": -0.1}, "largest t0"),
        ({"test": "sign"}, "a test is one of"),
        ({"least_kept": 1}, "at least 2 cases"),
        ({"least_share": 1.5}, "a share of cases"),
        ({"seed": -1}, "seed: expected a whole number from 0"),
        ({"n_permutations": 19}, "take more"),
    ],
)
def test_impossible_choices_are_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        DiscriminativeChoice(**wrong)


def test_false_alarms_are_rarer_than_those_of_a_plain_test():
    """METHODS 5.2: 2.25 % against 5.25 % of 400 trials; bounds are what chance allows either."""
    trials = [compare(*noisy_pair(seed)) for seed in range(400)]
    alarms = sum(result.differs for result in trials)
    plain = sum(result.p_all < 0.05 for result in trials)
    low, high = stats.binom.interval(0.999, 400, 0.05)
    assert low <= plain <= high
    low, high = stats.binom.interval(0.999, 400, 0.0225)
    assert low <= alarms <= high
    assert alarms < plain


def test_a_planted_difference_is_found_with_its_direction():
    trials = [compare(*noisy_pair(seed, n=200, shift=0.08)) for seed in range(60)]
    found = [result.better for result in trials if result.differs]
    assert set(found) == {"a"}
    assert len(found) > 50


def test_removal_shows_a_difference_that_easy_cases_drown():
    # Of 300 images 270 are noise; on 30 the first is clearly better.
    rng = np.random.default_rng(11)
    b = rng.random(300) * 0.5
    a = b + np.where(np.arange(300) < 270, rng.normal(-0.012, 0.02, 300), 0.12)
    a[270:] += rng.normal(0, 0.02, 30)
    result = compare(a, b)
    assert result.p_all > 0.05
    assert result.differs
    assert result.better == "a"
    assert 0 < result.t0 <= 0.1
    assert (
        result.remark == f"they differ once {result.n_removed} images of near agreement are removed"
    )


@pytest.fixture(scope="module")
def coco():
    dataset, tables, _, _ = coco_detectors()
    return dataset, {table.name: table for table in tables}


def fda_of_both(coco, min_score):
    dataset, detections = coco
    return {
        name: image_scores(dataset, found, measure="fda", min_score=min_score)
        for name, found in detections.items()
    }


def both_apart(scores, **choice):
    return discriminate(
        list(scores), np.stack(list(scores.values())), DiscriminativeChoice(**choice)
    )


def test_a_few_survivors_do_not_undo_a_clear_difference(coco):
    """METHODS 5.2 (c): 500 images, p(0) = 5e-34, six survivors give p = .078."""
    scores = {name: values[::10] for name, values in fda_of_both(coco, 0.5).items()}
    to_the_end = both_apart(scores, **TO_THE_END)
    assert to_the_end.p_all == pytest.approx(5e-34, rel=0.15)
    six = to_the_end.curve.n_kept == 6
    assert to_the_end.curve.threshold[six][0] > 0.83
    assert to_the_end.curve.p[six][0] == pytest.approx(0.078, abs=5e-4)
    assert not to_the_end.differs
    assert to_the_end.remark.startswith("all images together differ, but not")
    ended = both_apart(scores)
    assert ended.curve.n_kept[-1] >= 25
    assert (ended.t0, ended.differs, ended.better) == (0, True, "yolox_nano")


def test_real_detectors_differ_on_all_of_coco(coco):
    scores = fda_of_both(coco, 0.3)
    result = both_apart(scores)
    assert result.mean == pytest.approx((0.496, 0.242), abs=5e-4)
    assert (result.t0, result.differs, result.better) == (0, True, "yolox_nano")
    assert result.n_cases == 5000
    assert len(result.curve.p) > 4000
    for at in (0, 1000, len(result.curve.p) - 1):
        a, b = scores.values()
        kept = np.abs(a - b) >= result.curve.threshold[at]
        expected = stats.ttest_rel(a[kept], b[kept]).pvalue
        assert result.curve.p[at] == pytest.approx(expected, rel=1e-9)
