"""Mean performance under corruption: over severities, then over the corruptions."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING

from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.studies.robustness.result import CorruptionMean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.studies.robustness.result import DetectorRobustness, StepRobustness

ALL = "all"


def corruption_means(
    clean: StepRobustness, steps: Sequence[StepRobustness]
) -> tuple[CorruptionMean, ...]:
    """Of all corruptions, then of each group; those beyond the benchmark's fifteen do not count."""
    run = {name: of for name, of in _severities(steps).items() if _counts(name)}
    if not run:
        return ()
    groups = {ALL: [name for name in TRANSFORMS if _counts(name)]} | {
        group: [name for name in TRANSFORMS if _counts(name) and TRANSFORMS[name].group == group]
        for group in CORRUPTION_GROUPS
    }
    return tuple(
        _mean(group, names, run, clean.metrics["AP"])
        for group, names in groups.items()
        if any(name in run for name in names)
    )


def family_means(steps: Sequence[StepRobustness]) -> dict[str, float]:
    """AP of each corruption: its mean over the severities that change something."""
    return {name: fmean(of.values()) for name, of in _severities(steps).items()}


def telling_means(detector: DetectorRobustness) -> tuple[CorruptionMean, ...]:
    """Of all, and of groups; one of a single corruption, or of all, would say the same again."""
    if not detector.corrupted:
        return ()
    whole, *groups = detector.corrupted
    n_all = whole.n_corruptions
    return (whole, *(one for one in groups if 1 < one.n_corruptions < n_all))


def _severities(steps: Sequence[StepRobustness]) -> dict[str, dict[float, float]]:
    """AP of each corruption by severity, without those that change nothing."""
    found: dict[str, dict[float, float]] = {}
    for one in steps:
        unchanged = TRANSFORMS[one.step.name].unchanged
        if one.group in CORRUPTION_GROUPS and one.step.level not in unchanged:
            found.setdefault(one.step.name, {})[one.step.level] = one.metrics["AP"]
    return found


def ratio(value: float, clean: float) -> float:
    """NaN where either is undefined, or nothing is left to lose."""
    return value / clean if clean > 0 else math.nan


def _counts(name: str) -> bool:
    transform = TRANSFORMS[name]
    return transform.group in CORRUPTION_GROUPS and not transform.extra


def _mean(
    group: str, names: Sequence[str], run: Mapping[str, Mapping[float, float]], clean_ap: float
) -> CorruptionMean:
    found = {name: run[name] for name in names if name in run}
    ap = fmean(fmean(by_level.values()) for by_level in found.values())
    return CorruptionMean(
        group=group,
        n_corruptions=len(found),
        complete=all(set(TRANSFORMS[name].levels) == set(found.get(name, ())) for name in names),
        ap=ap,
        relative=ratio(ap, clean_ap),
    )
