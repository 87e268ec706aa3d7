"""The verdict on every rule: is it kept, broken within chance, broken beyond it, or not known?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data.columns import Floats
from boxlens.metrics.bootstrap import FEWEST_IMAGES
from boxlens.metrics.intervals import (
    Interval,
    ResamplingChoice,
    detectable_errors,
    holm,
    interval,
    normal_chance_below,
)
from boxlens.studies.comparison.gating.questions import Measured, Question
from boxlens.studies.comparison.gating.result import RuleOutcome, Verdict
from boxlens.studies.comparison.gating.rules import Rule
from boxlens.wording import p_value, score

# A margin below this is rounding: the value is at its limit.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class _Estimate:
    """A question with its numbers, before the verdict."""

    question: Question
    n_images: int
    baseline: float
    candidate: float
    limit: float
    difference: Interval
    margin: Interval
    # Why nothing can be said; empty: something can.
    problem: str
    p: float

    @property
    def kept(self) -> bool:
        margin = self.margin.value
        return margin > 0 or (margin == 0 and not self.question.rule.strict)


def decide(
    answers: Sequence[tuple[Question, Measured]],
    choice: ResamplingChoice,
    *,
    fail_on_estimate: bool,
) -> tuple[RuleOutcome, ...]:
    """Chances are adjusted for the number of all rules that could be computed (Holm)."""
    estimates = [_estimate(question, found, choice) for question, found in answers]
    p = np.array([estimate.p for estimate in estimates])
    adjusted = holm(p).tolist()
    chance = 1 - choice.level
    # One-sided, at the strictest level that Holm asks for.
    n_tests = max(int(np.count_nonzero(~np.isnan(p))), 1)
    errors_apart = detectable_errors(chance, n_tests, sides=1)
    return tuple(
        _outcome(estimate, p_holm, chance, errors_apart, fail_on_estimate=fail_on_estimate)
        for estimate, p_holm in zip(estimates, adjusted, strict=True)
    )


def _estimate(question: Question, found: Measured, choice: ResamplingChoice) -> _Estimate:
    rule, old, new = question.rule, found.baseline, found.candidate
    sign = 1 if rule.lower else -1

    def of_both(number: Callable[[Floats, Floats], Floats], *, absolute: bool = False) -> Interval:
        around = interval(
            float(number(old.value, new.value)[0]),
            number(old.bootstrap, new.bootstrap),
            number(old.jackknife, new.jackknife),
            choice,
            difference=True,
        )
        # The bias of a single number is removed; of a difference most of it cancels.
        moved = -around.bias if absolute else 0.0
        return replace(
            around,
            low=around.low + moved,
            high=around.high + moved,
            centre=around.centre + moved,
        )

    margin = of_both(
        lambda one, other: _rounded(sign * (other - rule.limit.at(one))),
        absolute=rule.limit.share == 0,
    )
    estimate = _Estimate(
        question,
        n_images=found.n_images,
        baseline=float(old.value[0]),
        candidate=float(new.value[0]),
        limit=float(rule.limit.at(old.value)[0]),
        difference=of_both(lambda one, other: other - one),
        margin=margin,
        problem="",
        p=float("nan"),
    )
    problem = _problem(estimate)
    if problem:
        return replace(estimate, problem=problem)
    # From the other side of 0, where the law keeps its digits.
    turned = replace(margin, centre=-margin.centre)
    return replace(estimate, p=normal_chance_below(turned, n_images=found.n_images))


def _rounded(margin: Floats) -> Floats:
    return np.where(np.abs(margin) < ROUNDING, 0.0, margin)


def _problem(estimate: _Estimate) -> str:
    """Why a rule cannot be decided: then it does not pass."""
    question, metric = estimate.question, estimate.question.rule.metric
    if question.of.kind == "each class":
        return f"no class has objects in {FEWEST_IMAGES} images or more, so that none is tested"
    if estimate.n_images == 0:
        return f"{metric} is undefined: there are no objects that count"
    if estimate.n_images < FEWEST_IMAGES:
        if question.rule.of.kind == "each class" and estimate.kept:
            return ""
        return (
            f"too few images: objects that count are in {estimate.n_images} of them, and with "
            f"fewer than {FEWEST_IMAGES} nothing can be said about chance"
        )
    for role, value in (("candidate", estimate.candidate), ("limit", estimate.limit)):
        if math.isnan(value):
            return f"{metric} is undefined: the {role} has no value"
    # A class that the baseline hardly finds is nothing unusual.
    each = question.rule.of.kind == "each class" and question.rule.limit.share != 0
    if not each and _unbreakable(question.rule, estimate.limit):
        return (
            f"the limit is {score(estimate.limit, 4)}: the rule holds whatever the candidate does "
            f"(the baseline has {score(estimate.baseline, 4)})"
        )
    if math.isnan(estimate.margin.se):
        n_undefined = estimate.margin.n_undefined
        return f"{metric} is undefined in most replicates ({n_undefined:,} of them)"
    return ""


def _unbreakable(rule: Rule, limit: float) -> bool:
    """No number from 0 to 1 lies beyond the limit."""
    end = 0.0 if rule.lower else 1.0
    beyond = limit < end if rule.lower else limit > end
    return beyond or (limit == end and not rule.strict)


def _outcome(
    estimate: _Estimate,
    p_holm: float,
    chance: float,
    errors_apart: float,
    *,
    fail_on_estimate: bool,
) -> RuleOutcome:
    verdict: Verdict
    if estimate.problem:
        verdict = "error"
    elif estimate.kept:
        verdict = "pass"
    else:
        verdict = "fail" if fail_on_estimate or p_holm < chance else "warning"
    outcome = RuleOutcome(
        rule=estimate.question.rule,
        of=estimate.question.of,
        verdict=verdict,
        n_images=estimate.n_images,
        baseline=estimate.baseline,
        candidate=estimate.candidate,
        limit=estimate.limit,
        difference=estimate.difference,
        margin=estimate.margin,
        p=estimate.p,
        p_holm=p_holm,
        detectable=errors_apart * estimate.margin.se,
        reason=estimate.problem,
    )
    return outcome if estimate.problem else replace(outcome, reason=_reason(outcome, chance))


def _reason(outcome: RuleOutcome, chance: float) -> str:
    if outcome.verdict == "pass":
        kept = f"{score(outcome.candidate, 4)} keeps to the limit {score(outcome.limit, 4)}"
        few = f" (not tested: objects in {outcome.n_images} images)"
        return kept + (few if outcome.n_images < FEWEST_IMAGES else "")
    breach = f"{score(outcome.candidate, 4)} is {outcome.side} the limit {score(outcome.limit, 4)}"
    if outcome.margin.value:
        breach += f" by {score(-outcome.margin.value, 4)}"
    p = f"p {p_value(outcome.p)}, after Holm {p_value(outcome.p_holm)}"
    if outcome.p_holm < chance:
        return f"{breach}, beyond chance ({p})"
    within = (
        f"{breach}, within chance ({p}); these images show a breach from about "
        f"{score(outcome.detectable, 4)} on"
    )
    if outcome.verdict == "fail":
        return f"{within}; every estimate that breaks its rule fails"
    return within
