"""What repeatability of proposals says, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from boxlens.images.perturbing.families import FAMILIES
from boxlens.studies.proposals.generators.training import BLIND
from boxlens.studies.proposals.repeatability.measuring import mean_of_defined
from boxlens.studies.proposals.repeatability.result import (
    MethodRepeatability,
    RepeatabilityResult,
)
from boxlens.wording import listed, number, score

# Below this, most proposals of the changed picture are different ones.
COLLAPSED = 0.5
# The one blind method that draws nothing at random.
UNMOVED = "sliding-window"


class _Fall(NamedTuple):
    """A level that changes something; `step` is how many levels it is away from no change."""

    method: str
    family: str
    step: int
    label: str
    repeatability: float


def repeatability_sentences(result: RepeatabilityResult) -> list[str]:
    """The most important first."""
    judged = [one for one in result.methods if not math.isnan(one.mean)]
    if not judged:
        if result.failed and not any(one.n_images for one in result.methods):
            return ["No picture could be searched: repeatability is unknown."]
        return ["No method proposed anything: repeatability is unknown."]
    blind = [one for one in judged if is_blind(one)]
    looking = [one for one in judged if not is_blind(one)]
    found = [
        _most_stable(looking or judged, "that look at pictures" if blind and looking else ""),
        _what_hurts(looking or judged),
        _collapse(looking or judged),
        *_blind(blind, counted=not looking),
    ]
    return [sentence for sentence in found if sentence]


def is_blind(method: MethodRepeatability) -> bool:
    """It does not look at pictures."""
    return _kind(method) in BLIND


def _kind(method: MethodRepeatability) -> str:
    """The generator, whatever file its settings are from."""
    return method.name.partition(":")[0]


def _most_stable(methods: list[MethodRepeatability], kind: str) -> str:
    ordered = sorted(methods, key=lambda one: one.mean, reverse=True)
    best, worst = ordered[0], ordered[-1]
    value, least = score(best.mean), score(worst.mean)
    meaning = f"mean IoU with the original proposals {value} over all changes"
    if len(ordered) == 1:
        return f"{best.name}: {meaning}."
    several = f"{len(ordered)} methods {kind}".rstrip()
    if value == least:
        return f"{several} are equally stable: {meaning}."
    return (
        f"{best.name} is the most stable of {several}: {meaning}; {worst.name} is the least stable "
        f"({least})."
    )


def _what_hurts(methods: list[MethodRepeatability]) -> str:
    names = [family.family for family in methods[0].families]
    columns = {
        name: mean_of_defined(np.array([method.families[place].mean for method in methods]))
        for place, name in enumerate(names)
    }
    known = {name: mean for name, mean in columns.items() if not math.isnan(mean)}
    hardest, easiest = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    most, least = score(known[hardest]), score(known[easiest])
    if most == least:
        return ""
    return (
        f"{FAMILIES[hardest].title} hurts most ({most} on average), {_title(easiest)} least "
        f"({least})."
    )


def _collapse(methods: list[MethodRepeatability]) -> str:
    """The smallest change that replaces most proposals; else where they change most."""
    falls = [fall for method in methods for fall in _falls(method)]
    if not falls:
        return ""
    collapsed = [fall for fall in falls if fall.repeatability < COLLAPSED]
    if not collapsed:
        low = min(falls, key=lambda fall: fall.repeatability)
        return (
            f"No method falls below {number(COLLAPSED)}: the lowest value is "
            f"{score(low.repeatability)}, {low.method} under {_title(low.family)} ({low.label})."
        )
    first = min(collapsed, key=lambda fall: (fall.step, fall.repeatability))
    where = f"{_title(first.family)} ({first.label})"
    different = f"below {number(COLLAPSED)}, most proposals are different boxes"
    if first.step == 1:
        return (
            f"{first.method} falls to {score(first.repeatability)} at the smallest level of "
            f"{where}: {different}."
        )
    return (
        f"{first.method} falls first, to {score(first.repeatability)} under {where}: {different}."
    )


def _blind(methods: Sequence[MethodRepeatability], *, counted: bool) -> Iterator[str]:
    """Why their numbers say nothing about what they find."""
    drawn = [one.name for one in methods if _kind(one) != UNMOVED]
    still = [one.name for one in methods if _kind(one) == UNMOVED]
    for names, why in (
        (drawn, "boxes are drawn at random again for every changed picture"),
        (still, "only changes of size and rotation move the boxes"),
    ):
        if names:
            do, are = ("does", "is") if len(names) == 1 else ("do", "are")
            skipped = "" if counted else f" and {are} not counted"
            yield f"{listed(names)} {do} not look at pictures{skipped}: {why}."


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
