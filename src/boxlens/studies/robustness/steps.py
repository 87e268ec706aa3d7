"""Steps of a study: what each is compared with, those of a transform, their words and means."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final

from boxlens.data import Notice, counted_notice
from boxlens.data.naming import some_names
from boxlens.images.perturbing.families import FAMILIES
from boxlens.images.transforming.catalogue import CLEAN, TRANSFORMS
from boxlens.images.transforming.transform import CORRUPTION_GROUPS, Group, Step
from boxlens.studies.robustness.result import (
    CorruptionMean,
    DetectorRobustness,
    RobustnessResult,
    StepRobustness,
)

Steps = tuple[StepRobustness, ...]

GROUP_WORDS: Final[Mapping[str, str]] = {
    "all": "All corruptions",
    "noise": "Noise",
    "blur": "Blur",
    "weather": "Weather",
    "digital": "Digital",
    "graded": "Graded",
    "study": "Study",
}
# How transforms of images.perturbing are called among all others.
GRADED_PREFIX: Final = "graded_"


def reference_of(step: Step) -> Step:
    """A transform that crops all its pictures alike is fair to compare with its crop only.

    (METHODS 6.6.) That crop itself is compared with the unchanged pictures.
    """
    level = TRANSFORMS[step.name].reference_level
    return CLEAN if level is None or step.level == level else Step(step.name, level)


def with_references(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, and before each the one it is compared with, where that is missing."""
    asked = {step.slug for step in steps}
    found: dict[str, Step] = {}
    for step in steps:
        reference = reference_of(step)
        if reference is not CLEAN and reference.slug not in asked:
            found[reference.slug] = reference
        found[step.slug] = step
    return tuple(found.values())


def reference_rows(steps: Sequence[Step]) -> tuple[list[int], tuple[Notice, ...]]:
    """Where the reference of each step is among them; 0, the unchanged pictures, where nowhere."""
    row_of = {step.slug: row for row, step in enumerate(steps)} | {CLEAN.slug: 0}
    references = [reference_of(step) for step in steps]
    missing = dict.fromkeys(one.slug for one in references if one.slug not in row_of)
    rows = [row_of.get(one.slug, 0) for one in references]
    if not missing:
        return rows, ()
    n = sum(one.slug in missing for one in references)
    told = (
        f"{{}} compared with the unchanged pictures because {{}} fair reference is missing: "
        f"{some_names(missing)}"
    )
    many, one = told.format("steps are", "their"), told.format("step is", "its")
    return rows, counted_notice("no_reference", n, many, one)


def step_words(one: StepRobustness) -> str:
    """A transform, and its level where it has several."""
    return ", ".join(filter(None, (plain_title(one), level_words(one))))


def plain_title(one: StepRobustness) -> str:
    """Beside a level, which says whether it is a graded change or a corruption."""
    return FAMILIES[family_of(one.step.name)].title if one.group == "graded" else one.title


def level_words(one: StepRobustness) -> str:
    """The level by itself: severity 3, 2 px, quality 20; empty where there is but one."""
    if one.group in CORRUPTION_GROUPS:
        return f"severity {one.label}"
    if one.group == "graded" and one.label == f"{one.step.level:g}":
        return f"{FAMILIES[family_of(one.step.name)].axis_title} {one.label}"
    return one.label


def own_references(result: RobustnessResult) -> dict[str, str]:
    """What a transform is compared with instead of the unchanged pictures: Rotation, 0 deg."""
    return {
        plain_title(one): step_words(detector.reference_of(one))
        for detector in result.detectors
        for one in detector.steps
        if one.reference.name != detector.clean.step.name
    }


def family_of(name: str) -> str:
    """The family of a graded transform."""
    return name.removeprefix(GRADED_PREFIX)


def by_transform(detector: DetectorRobustness, *groups: Group) -> dict[str, Steps]:
    """Steps of these groups by the name of their transform, levels ascending."""
    found: dict[str, list[StepRobustness]] = {}
    for one in detector.steps:
        if one.group in groups:
            found.setdefault(one.step.name, []).append(one)
    return {
        name: tuple(sorted(of, key=lambda one: one.step.level if one.step.graded else 0.0))
        for name, of in found.items()
    }


def changing(steps: Iterable[StepRobustness]) -> Steps:
    """Those whose level changes something: what a mean over levels is taken of."""
    return tuple(one for one in steps if one.step.level not in TRANSFORMS[one.step.name].unchanged)


def mean_over(steps: Sequence[StepRobustness], value: Callable[[StepRobustness], float]) -> float:
    """Of those that have the number; NaN where none has."""
    known = [number for one in steps if not math.isnan(number := value(one))]
    return math.fsum(known) / len(known) if known else math.nan


def ap_lost(detector: DetectorRobustness, one: StepRobustness) -> float:
    """How much lower AP is than that of the step's reference."""
    return detector.reference_of(one).metrics["AP"] - one.metrics["AP"]


def worst_of_transforms(
    detector: DetectorRobustness, steps: Iterable[StepRobustness]
) -> list[StepRobustness]:
    """Of each transform the level at which most AP is lost, the largest loss first."""
    worst: dict[str, StepRobustness] = {}
    for one in changing(steps):
        lost = ap_lost(detector, one)
        if math.isnan(lost):
            continue
        known = worst.get(one.step.name)
        if known is None or lost > ap_lost(detector, known):
            worst[one.step.name] = one
    return sorted(worst.values(), key=lambda one: -ap_lost(detector, one))


def corruption_means(
    clean: StepRobustness, steps: Sequence[StepRobustness]
) -> tuple[CorruptionMean, ...]:
    """Of all corruptions, then of each group; those beyond the benchmark's fifteen do not count."""
    run = {name: of for name, of in _severities(steps).items() if _counts(name)}
    if not run:
        return ()
    groups = {"all": [name for name in TRANSFORMS if _counts(name)]} | {
        group: [name for name in TRANSFORMS if _counts(name) and TRANSFORMS[name].group == group]
        for group in CORRUPTION_GROUPS
    }
    return tuple(
        _mean(group, names, run, clean.metrics["AP"])
        for group, names in groups.items()
        if any(name in run for name in names)
    )


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
    for one in changing(steps):
        if one.group in CORRUPTION_GROUPS:
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
