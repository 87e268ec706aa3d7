"""Removal by disagreement (METHODS 5.2), one threshold after the other, every test by SciPy."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from scipy import stats

Case = tuple[float, ...]


@dataclass(frozen=True)
class Verdict:
    """`curve` holds (t, p, n); p is NaN where nothing varies. `t0` is NaN if there is none."""

    curve: list[tuple[float, float, int]]
    t0: float
    differs: bool
    removed: list[int]


def discriminate(
    cases: list[Case],
    test: str,
    *,
    alpha: float = 0.05,
    largest_t0: float = 0.1,
    least_kept: int = 20,
    least_share: float = 0.05,
) -> Verdict:
    """A case is one score per detector; none is NaN."""
    disagreement = [max(case) - min(case) for case in cases]
    grid = sorted({0.0, *disagreement})
    curve = []
    for t in grid:
        kept = [case for case, d in zip(cases, disagreement, strict=True) if not d < t]
        if len(kept) < max(least_kept, least_share * len(cases)):
            break
        curve.append((t, p_value(kept, test), len(kept)))
    t0 = smallest_lasting(curve, alpha)
    removed = [i for i, d in enumerate(disagreement) if d < t0]
    return Verdict(curve, t0, t0 <= largest_t0, removed)


def smallest_lasting(curve: list[tuple[float, float, int]], alpha: float) -> float:
    for i, (t, p, _) in enumerate(curve):
        later = [p_later for _, p_later, _ in curve[i + 1 :] if not math.isnan(p_later)]
        if p < alpha and all(p_later < alpha for p_later in later):
            return t
    return math.nan


def p_value(cases: list[Case], test: str) -> float:
    """Two-sided; NaN without variance."""
    columns = list(zip(*cases, strict=True))
    if test == "paired":
        differences = {a - b for a, b in cases}
        return math.nan if len(differences) == 1 else float(stats.ttest_rel(*columns).pvalue)
    if all(len(set(column)) == 1 for column in columns):
        return math.nan
    if test == "welch":
        return float(stats.ttest_ind(*columns, equal_var=False).pvalue)
    anova = stats.f_oneway(*columns)
    # With equal means SciPy's F may round below 0, where it has no p.
    return 1.0 if anova.statistic <= 0 else float(anova.pvalue)


def exact_sign_flip_p(cases: list[Case]) -> float:
    """Every way to exchange the two detectors case by case, not a sample of them."""
    differences = [a - b for a, b in cases]
    observed = abs(sum(differences))
    ways = list(itertools.product((1, -1), repeat=len(differences)))
    as_large = 0
    for signs in ways:
        total = abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        as_large += total >= observed
    return as_large / len(ways)
