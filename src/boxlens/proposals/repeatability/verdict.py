"""What a study of repeatability comes to, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boxlens.images.perturbing.families import FAMILIES
from boxlens.proposals.generators.training import BLIND
from boxlens.proposals.repeatability.pooling import mean_of_defined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.proposals.repeatability.result import MethodRepeatability, RepeatabilityResult

# Below this, proposals of the changed picture are rather other ones than the same.
COLLAPSED = 0.5


class _Fall(NamedTuple):
    """A level that changes something; `step` is how many levels it is away from no change."""

    method: str
    family: str
    step: int
    label: str
    repeatability: float


def repeatability_sentences(result: RepeatabilityResult) -> list[str]:
    """The most important first."""
    judged = [one for one in result.methods if not math.isnan(overall(one))]
    if not judged:
        return ["No method proposed anything, so nothing can be said about repeatability."]
    looking = [one for one in judged if one.name not in BLIND]
    found = [
        _most_stable(looking or judged),
        _what_hurts(looking or judged),
        _collapse(looking or judged),
        _blind([one for one in judged if one.name in BLIND] if looking else []),
    ]
    return [sentence for sentence in found if sentence]


def overall(method: MethodRepeatability) -> float:
    """Mean over the families, each the mean over its levels that change something."""
    return mean_of_defined(np.array([family.mean for family in method.families]))


def _most_stable(methods: list[MethodRepeatability]) -> str:
    ordered = sorted(methods, key=overall, reverse=True)
    best, worst = ordered[0], ordered[-1]
    meaning = f"reference boxes are met again with a mean IoU of {overall(best):.2f}"
    if len(ordered) == 1:
        return f"Over all perturbations of {best.name}, {meaning}."
    return (
        f"{best.name} is the most stable of {len(ordered)} methods: over all perturbations its "
        f"{meaning}; {worst.name} is the least stable with {overall(worst):.2f}."
    )


def _what_hurts(methods: list[MethodRepeatability]) -> str:
    names = [family.family for family in methods[0].families]
    columns = {
        name: mean_of_defined(np.array([method.families[place].mean for method in methods]))
        for place, name in enumerate(names)
    }
    known = {name: mean for name, mean in columns.items() if not math.isnan(mean)}
    if len(known) < 2:
        return ""
    hardest, easiest = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    return (
        f"{FAMILIES[hardest].title} hurts most, with {known[hardest]:.2f} on average, and "
        f"{_title(easiest)} least, with {known[easiest]:.2f}."
    )


def _collapse(methods: list[MethodRepeatability]) -> str:
    """The slightest change that makes proposals other ones; else where they change most."""
    falls = [fall for method in methods for fall in _falls(method)]
    if not falls:
        return ""
    collapsed = [fall for fall in falls if fall.repeatability < COLLAPSED]
    if not collapsed:
        low = min(falls, key=lambda fall: fall.repeatability)
        return (
            f"Nothing collapses: the lowest value is {low.repeatability:.2f}, of {low.method} "
            f"under {_title(low.family)} ({low.label})."
        )
    first = min(collapsed, key=lambda fall: (fall.step, fall.repeatability))
    how = "at the slightest level measured" if first.step == 1 else "first"
    return (
        f"{first.method} falls to {first.repeatability:.2f} {how} under "
        f"{_title(first.family)} ({first.label}): below {COLLAPSED:.2f} the proposals are "
        "rather other ones than the same."
    )


def _blind(baselines: list[MethodRepeatability]) -> str:
    if not baselines:
        return ""
    names = ", ".join(one.name for one in baselines)
    look = "do not look" if len(baselines) > 1 else "does not look"
    return f"{names} {look} at the pixels: only changes of size and rotation can move the boxes."


def _falls(method: MethodRepeatability) -> Iterator[_Fall]:
    for family in method.families:
        changed = [one for one in family.levels if FAMILIES[family.family].changes(one.level)]
        start = FAMILIES[family.family].unchanged[0]
        for one in changed:
            low, high = sorted((start, one.level))
            step = sum(low <= other.level <= high for other in changed)
            if not math.isnan(one.repeatability):
                yield _Fall(method.name, family.family, step, one.label, one.repeatability)


def _title(family: str) -> str:
    """As it is written inside a sentence."""
    title = FAMILIES[family].title
    return title if title[:2].isupper() else title.lower()
