"""Mean performance under corruption: over severities, then over the corruptions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.detector_robustness.result import CorruptionMean
from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.transform import CORRUPTION_GROUPS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.detector_robustness.result import StepRobustness

ALL = "all"
# By corruption: AP by severity.
BySeverity = dict[str, dict[float, float]]


def corruption_means(
    clean: StepRobustness, steps: Sequence[StepRobustness]
) -> tuple[CorruptionMean, ...]:
    """Of all corruptions, then of each group; those beyond the benchmark's fifteen do not count."""
    run: BySeverity = {}
    for one in steps:
        transform = TRANSFORMS[one.step.name]
        if _counts(one.step.name) and one.step.level not in transform.unchanged:
            run.setdefault(one.step.name, {})[one.step.level] = one.metrics["AP"]
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
    means = [sum(by_level.values()) / len(by_level) for by_level in found.values()]
    ap = sum(means) / len(means)
    return CorruptionMean(
        group=group,
        n_corruptions=len(found),
        complete=all(set(TRANSFORMS[name].levels) == set(found.get(name, ())) for name in names),
        ap=ap,
        relative=ratio(ap, clean_ap),
    )
