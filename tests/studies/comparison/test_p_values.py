"""p-curves of all tests: by hand, against SciPy at every threshold, and where digits are scarce."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from boxlens.studies.comparison.cases.discriminative import DiscriminativeChoice, discriminate
from boxlens.studies.comparison.cases.p_values import one_way_anova, paired_t, welch_t
from oracles import discriminative as oracle

TO_THE_END = {"least_kept": 2, "least_share": 0.0}


def compare(a, b, **choice):
    return discriminate(("a", "b"), np.stack([a, b]), DiscriminativeChoice(**choice))


def test_a_curve_worked_by_hand():
    # Differences 1/8, 2/8, 3/8, 4/8: their mean over its error is 5 / sqrt(5/3), then 9 / sqrt(3),
    # then 7, with three, two and one degree of freedom.
    b = np.array([0.25, 0.5, 0.125, 0.5])
    result = compare(b + np.array([1, 2, 3, 4]) / 8, b, **TO_THE_END)
    assert result.curve.threshold.tolist() == [0, 0.125, 0.25, 0.375]
    assert result.curve.n_kept.tolist() == [4, 4, 3, 2]
    t = np.array([5 / math.sqrt(5 / 3), 5 / math.sqrt(5 / 3), 9 / math.sqrt(3), 7])
    np.testing.assert_allclose(result.curve.p, 2 * stats.t.sf(t, [3, 3, 2, 1]), rtol=1e-13)
    np.testing.assert_allclose(result.curve.p, [0.0305, 0.0305, 0.0351, 0.0903], atol=5e-5)
    # The last two are too few, so that no threshold lasts; three are enough.
    assert math.isnan(result.t0)
    assert not result.differs
    assert result.remark.startswith("all images together differ, but not")
    enough = compare(b + np.array([1, 2, 3, 4]) / 8, b, least_kept=3)
    assert (enough.t0, enough.differs, enough.better) == (0, True, "a")


@pytest.mark.parametrize("test", ["paired", "welch", "anova"])
def test_curves_and_verdicts_equal_the_oracle(test):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 60))
        n_detectors = int(rng.integers(2, 5)) if test == "anova" else 2
        # Eighths repeat, so that thresholds are shared and small sets do not vary.
        steps = 8 if seed % 2 else 1024
        scores = np.clip(rng.integers(0, steps + 1, (n_detectors, n)), 0, steps) / steps
        scores[0] = np.maximum(scores[0], scores[1] * (seed % 3 > 0))
        names = [f"detector {i}" for i in range(n_detectors)]
        limits = {"least_kept": 3 + seed % 4, "least_share": 0.1 * (seed % 2), "largest_t0": 0.2}
        choice = DiscriminativeChoice(test=test, **limits)
        fast = discriminate(names, scores, choice)
        cases = [tuple(case) for case in scores.T.tolist()]
        slow = oracle.discriminate(cases, test, **limits)
        threshold, p, n_kept = (list(column) for column in zip(*slow.curve, strict=True))
        assert fast.curve.threshold.tolist() == threshold
        assert fast.curve.n_kept.tolist() == n_kept
        np.testing.assert_allclose(fast.curve.p, p, rtol=1e-9, atol=1e-300, err_msg=str(seed))
        np.testing.assert_equal(fast.t0, slow.t0)
        assert fast.differs == slow.differs
        assert fast.removed_rows.tolist() == slow.removed


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_small_variances_far_from_zero_keep_their_digits(offset):
    rng = np.random.default_rng(3)
    scores = offset + rng.random((2, 400)) * 1e-3
    n_kept = np.arange(2, 401, 7)
    exact = scores - offset
    paired = [stats.ttest_rel(*exact[:, :n]).pvalue for n in n_kept]
    welch = [stats.ttest_ind(*exact[:, :n], equal_var=False).pvalue for n in n_kept]
    np.testing.assert_allclose(paired_t(scores, n_kept), paired, rtol=1e-6)
    np.testing.assert_allclose(welch_t(scores, n_kept), welch, rtol=1e-6)
    anova = [stats.f_oneway(*exact[:, :n]).pvalue for n in n_kept]
    np.testing.assert_allclose(one_way_anova(scores, n_kept), anova, rtol=1e-6)


def test_sign_flips_approach_the_exact_permutation_test():
    rng = np.random.default_rng(8)
    scores = rng.integers(0, 9, (2, 10)) / 8
    scores[0, :6] += 0.25
    result = compare(*scores, test="permutation", n_permutations=20_000, **TO_THE_END)
    for t, p, n in zip(result.curve.threshold, result.curve.p, result.curve.n_kept, strict=True):
        kept = np.abs(scores[0] - scores[1]) >= t
        exact = oracle.exact_sign_flip_p([tuple(case) for case in scores.T[kept].tolist()])
        error = math.sqrt(exact * (1 - exact) / 20_000)
        assert abs(p - exact) < 4.5 * error + 1e-4, (t, n)


def test_permutations_depend_on_the_seed_only():
    a, b = np.random.default_rng(5).beta([[2.2], [2]], 2, (2, 78))
    first = compare(a, b, test="permutation")
    assert np.array_equal(first.curve.p, compare(a, b, test="permutation").curve.p)
    assert np.array_equal(first.curve.p, compare(b, a, test="permutation").curve.p)
    assert not np.array_equal(first.curve.p, compare(a, b, test="permutation", seed=1).curve.p)
    assert first.curve.p.min() >= 1 / 1001
    np.testing.assert_allclose(first.curve.p, compare(a, b).curve.p, atol=0.06)
