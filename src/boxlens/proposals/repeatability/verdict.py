"""What a study of repeatability comes to, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boxlens.images.perturbing.families import FAMILIES
from boxlens.proposals.generators.training import BLIND
from boxlens.proposals.repeatability.pooling import mean_of_defined
from boxlens.proposals.words import enumerated, fraction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.proposals.repeatability.result import MethodRepeatability, RepeatabilityResult

# Below this, proposals of the changed picture are rather other ones than the same.
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
    judged = [one for one in result.methods if not math.isnan(overall(one))]
    if not judged:
        if result.failed and not any(one.n_images for one in result.methods):
            return ["No picture could be searched, so nothing can be said about repeatability."]
        return ["No method proposed anything, so nothing can be said about repeatability."]
    blind = [one for one in judged if _kind(one) in BLIND]
    looking = [one for one in judged if _kind(one) not in BLIND]
    found = [
        _most_stable(looking or judged, "that look at pictures" if blind and looking else ""),
        _what_hurts(looking or judged),
        _collapse(looking or judged),
        *_blind(blind, counted=not looking),
    ]
    return [sentence for sentence in found if sentence]


def overall(method: MethodRepeatability) -> float:
    """Mean over the families, each the mean over its levels that change something."""
    return mean_of_defined(np.array([family.mean for family in method.families]))


def _kind(method: MethodRepeatability) -> str:
    """The generator, whatever file its settings are from."""
    return method.name.partition(":")[0]


def _most_stable(methods: list[MethodRepeatability], kind: str) -> str:
    ordered = sorted(methods, key=overall, reverse=True)
    best, worst = ordered[0], ordered[-1]
    value, least = _value(overall(best)), _value(overall(worst))
    meaning = f"reference boxes are met again with a mean IoU of {value}"
    if len(ordered) == 1:
        return f"Over all perturbations of {best.name}, {meaning}."
    several = f"{len(ordered)} methods {kind}".rstrip()
    if value == least:
        return f"{several} are equally stable: over all perturbations {meaning}."
    return (
        f"{best.name} is the most stable of {several}: over all perturbations its "
        f"{meaning}; {worst.name} is the least stable with {least}."
    )


def _what_hurts(methods: list[MethodRepeatability]) -> str:
    names = [family.family for family in methods[0].families]
    columns = {
        name: mean_of_defined(np.array([method.families[place].mean for method in methods]))
        for place, name in enumerate(names)
    }
    known = {name: mean for name, mean in columns.items() if not math.isnan(mean)}
    hardest, easiest = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    most, least = _value(known[hardest]), _value(known[easiest])
    if most == least:
        return ""
    return (
        f"{FAMILIES[hardest].title} hurts most, with {most} on average, and {_title(easiest)} "
        f"least, with {least}."
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
            f"Nothing collapses: the lowest value is {_value(low.repeatability)}, of {low.method} "
            f"under {_title(low.family)} ({low.label})."
        )
    first = min(collapsed, key=lambda fall: (fall.step, fall.repeatability))
    how = "at the slightest level measured" if first.step == 1 else "first"
    return (
        f"{first.method} falls to {_value(first.repeatability)} {how} under "
        f"{_title(first.family)} ({first.label}): below {_value(COLLAPSED)} the proposals are "
        "rather other ones than the same."
    )


def _blind(methods: Sequence[MethodRepeatability], *, counted: bool) -> Iterator[str]:
    """Why their numbers say nothing about what they find."""
    drawn = [one.name for one in methods if _kind(one) != UNMOVED]
    still = [one.name for one in methods if _kind(one) == UNMOVED]
    for names, why in (
        (drawn, "boxes are drawn anew for every changed picture"),
        (still, "only changes of size and rotation move the boxes"),
    ):
        if names:
            do, are = ("does", "is") if len(names) == 1 else ("do", "are")
            left_out = "" if counted else f" and {are} not counted"
            yield f"{enumerated(names)} {do} not look at pictures{left_out}: {why}."


def _falls(method: MethodRepeatability) -> Iterator[_Fall]:
    for family in method.families:
        changed = [one for one in family.levels if FAMILIES[family.family].changes(one.level)]
        start = FAMILIES[family.family].unchanged[0]
        for one in changed:
            low, high = sorted((start, one.level))
            step = sum(low <= other.level <= high for other in changed)
            if not math.isnan(one.repeatability):
                yield _Fall(method.name, family.family, step, one.label, one.repeatability)


def _value(repeatability: float) -> str:
    return fraction(repeatability, 2)


def _title(family: str) -> str:
    """As it is written inside a sentence."""
    title = FAMILIES[family].title
    return title if title[:2].isupper() else title.lower()
