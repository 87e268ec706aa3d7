"""What a study of robustness comes to, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.studies.robustness.error_growth import most_grown_error
from boxlens.studies.robustness.result import (
    CorruptionMean,
    DetectorRobustness,
    RobustnessResult,
    SetSummary,
    StepRobustness,
)
from boxlens.studies.robustness.steps import changing
from boxlens.wording import counted, score, share

CONTEXT, OBJECTS_ONLY = "white_background", "objects_only"
FIFTEEN = "the fifteen corruptions at five severities"
# What errors are called where their number is told.
ERROR_NAMES = {
    "cls": "boxes with the wrong class",
    "loc": "poorly localized boxes",
    "both": "boxes wrong in class and location",
    "dupe": "duplicates",
    "bkg": "background false positives",
    "miss": "misses",
}
# Smaller differences are not worth a word.
ALIKE = 0.01
# Titles that keep their capital inside a sentence.
PROPER = ("Gaussian", "JPEG")


def robustness_sentences(result: RobustnessResult) -> tuple[str, ...]:
    """Who keeps most, where there are several; then what hurts each detector."""
    remarks = _remarks(result)
    each = (line for one in result.detectors for line in _about(one, remarks))
    untested = result.choice.intervals is None and any(map(_worst, result.detectors))
    asked = ("Add --intervals to test which drops are beyond sampling error.",) * untested
    return (*_most_robust(result.detectors), *each, *asked)


def robustness_findings(result: RobustnessResult) -> dict[str, tuple[str, ...]]:
    """By question: what surroundings are worth, the mean under corruption, which errors grow."""
    remarks = _remarks(result)
    told = [(one, worst) for one in result.detectors if (worst := _worst(one))]
    return {
        # What hurts most is told already.
        "study": tuple(
            line
            for one, worst in told
            if worst.step.name != CONTEXT
            for line in _context(one, remarks)
        ),
        "corruptions": tuple(line for one, _ in told for line in _corruptions(one)),
        "errors": tuple(line for one, worst in told for line in _errors(one, worst)),
    }


def _remarks(result: RobustnessResult) -> _Remarks:
    level = 0.95 if result.choice.intervals is None else result.choice.intervals.level
    return _Remarks(1 - level, {one.step.slug: one for one in result.sets})


@dataclass(frozen=True, slots=True)
class _Remarks:
    """What is to be kept in mind about the numbers of a step."""

    alpha: float
    sets: Mapping[str, SetSummary]

    def left(self, detector: DetectorRobustness, one: StepRobustness) -> str:
        """AP, what share of the reference's it is, and what to keep in mind."""
        reference = detector.reference_of(one)
        whole = f" of its {score(_ap(reference))} at {reference.label}"
        remarks = [f"{share(_relative(one))}{whole * (reference is not detector.clean)}"]
        if self.may_be_chance(one):
            remarks.append("within sampling error")
        if (summary := self.sets.get(one.step.slug)) and summary.n_objects_gone:
            n_all = summary.n_objects_gone + summary.n_objects
            remarks.append(f"without {summary.n_objects_gone:,} of {n_all:,} objects")
        if TRANSFORMS[one.step.name].estimated_boxes and reference is not detector.clean:
            half = share(one.relative["AP50"])
            remarks.append(f"{half} by AP50: boxes of rotated objects are estimates")
        return f"{score(_ap(one))} ({', '.join(remarks)})"

    def may_be_chance(self, one: StepRobustness) -> bool:
        return _tested(one) and not self.is_beyond_chance(one)

    def is_beyond_chance(self, one: StepRobustness) -> bool:
        return one.drop is not None and one.drop.p_holm < self.alpha


def _about(detector: DetectorRobustness, remarks: _Remarks) -> Iterator[str]:
    clean_ap, worst = _ap(detector.clean), _worst(detector)
    if math.isnan(clean_ap):
        yield f"{detector.name}: there are no objects to find."
    elif clean_ap == 0:
        yield (
            f"{detector.name} has an AP of 0 on the unchanged pictures "
            f"({counted(detector.clean.n_detections, 'detection')}, none correct): there is "
            "nothing to lose."
        )
    elif worst is None:
        yield f"{detector.name}: no transform changes the pictures."
    else:
        steps = _changing(detector)
        yield _what_hurts(detector, worst, max(steps, key=_relative), remarks)
        if any(_tested(one) for one in steps) and len(steps) > 1:
            yield _beyond_chance(detector.name, steps, remarks)


def _worst(detector: DetectorRobustness) -> StepRobustness | None:
    """What leaves least; None where there is nothing to compare."""
    if not _ap(detector.clean) > 0:
        return None
    return min(_changing(detector), key=_relative, default=None)


def _changing(detector: DetectorRobustness) -> list[StepRobustness]:
    """Steps that do something to the pictures, and a score to be compared."""
    return [one for one in changing(detector.steps) if not math.isnan(_relative(one))]


def _most_robust(detectors: Sequence[DetectorRobustness]) -> Iterator[str]:
    """By the mean under corruption; without corruptions, by what is left of whole pictures."""
    found = {one.name: _kept(one) for one in detectors}
    kept = {name: one.share for name, one in found.items() if not math.isnan(one.share)}
    if len(kept) < 2:
        return
    best, worst = max(kept, key=kept.__getitem__), min(kept, key=kept.__getitem__)
    most, least = share(kept[best]), share(kept[worst])
    over = found[best].over
    if most == least:
        yield f"{len(kept)} detectors are equally robust: each keeps {most} of its AP over {over}."
        return
    yield (
        f"{best} is the most robust of {len(kept)} detectors: it keeps {most} of its AP over "
        f"{over}; {worst} keeps {least}."
    )


class _Kept(NamedTuple):
    """Which share of AP is left on average, and over what; NaN where there is nothing fair."""

    share: float
    over: str


def _kept(detector: DetectorRobustness) -> _Kept:
    """Pictures of single objects, or of nothing but objects, are easier: they do not count."""
    if detector.corrupted:
        whole = detector.corrupted[0]
        n_run = counted(whole.n_corruptions, "corruption")
        return _Kept(whole.relative, FIFTEEN if whole.complete else n_run)
    left = [
        _relative(one)
        for one in _changing(detector)
        if not TRANSFORMS[one.step.name].per_object and one.step.name != OBJECTS_ONLY
    ]
    over = f"{counted(len(left), 'change')} of whole pictures"
    return _Kept(fmean(left) if left else math.nan, over)


def _what_hurts(
    detector: DetectorRobustness, worst: StepRobustness, best: StepRobustness, remarks: _Remarks
) -> str:
    start = f"{detector.name} has an AP of {score(_ap(detector.clean))} on the unchanged pictures"
    low, high = (remarks.left(detector, one) for one in (worst, best))
    if not _shown_drop(detector.reference_of(worst), worst) > 0:
        return f"{start}, and no change lowers it: {_named(worst)} leaves {low}."
    if worst is best:
        return f"{start}; {_named(worst)} leaves {low}."
    reference = detector.reference_of(best)
    if _shown_drop(reference, best) > 0:
        end = f"hurts least and leaves {high}"
    elif _shown_drop(reference, best) < 0 and reference is detector.clean:
        end = f"raises it to {high}"
    else:
        end = f"does not hurt and leaves {high}"
    return f"{start}; {_named(worst)} hurts most and leaves {low}, {_named(best)} {end}."


def _shown_drop(reference: StepRobustness, one: StepRobustness) -> float:
    """By as many digits as are written."""
    return round(round(_ap(reference), 3) - round(_ap(one), 3), 3)


def _beyond_chance(name: str, steps: Sequence[StepRobustness], remarks: _Remarks) -> str:
    tested = [one for one in steps if _tested(one)]
    sure = [_drop(one) for one in tested if remarks.is_beyond_chance(one)]
    fallen, risen = sum(drop > 0 for drop in sure), sum(drop < 0 for drop in sure)
    also = f", and so {'is' if risen == 1 else 'are'} {counted(risen, 'gain')}" if risen else ""
    return (
        f"{name}: {fallen:,} of {counted(len(tested), 'drop')} {'is' if fallen == 1 else 'are'} "
        f"beyond sampling error{also} (resampling pictures, adjusted for all changes)."
    )


def _corruptions(detector: DetectorRobustness) -> Iterator[str]:
    if not detector.corrupted:
        return
    whole, *groups = detector.corrupted
    n_run, hardest = counted(whole.n_corruptions, "corruption"), _hardest(groups)
    over = FIFTEEN if whole.complete else f"{n_run} (not the whole benchmark)"
    yield (
        f"Over {over}, the mean AP of {detector.name} (mPC) is {score(whole.ap)}, "
        f"{share(whole.relative)} of its AP on the unchanged pictures (rPC){hardest}."
    )


def _hardest(groups: Sequence[CorruptionMean]) -> str:
    if len(groups) < 2:
        return ""
    low = min(groups, key=lambda one: one.ap)
    high = max(groups, key=lambda one: one.ap)
    least, most = share(low.relative), share(high.relative)
    if least == most:
        return ""
    return f"; {low.group} leaves least ({least}), {high.group} most ({most})"


def _errors(detector: DetectorRobustness, worst: StepRobustness) -> Iterator[str]:
    grown = most_grown_error(detector.reference_of(worst), worst)
    if grown is None:
        return
    before, after = score(grown.per_object_before), score(grown.per_object)
    if before != after:
        yield (
            f"Under {_named(worst)}, {ERROR_NAMES[grown.kind]} of {detector.name} rise from "
            f"{before} to {after} per object."
        )


def _context(detector: DetectorRobustness, remarks: _Remarks) -> Iterator[str]:
    """What objects' surroundings are worth (METHODS 4.6)."""
    for one in detector.steps:
        if one.step.name != CONTEXT or math.isnan(_ap(one)):
            continue
        drop = _shown_drop(detector.clean, one)
        after = score(_ap(one))
        if abs(drop) < ALIKE:
            yield f"{detector.name} finds objects alone on white as well as in place (AP {after})."
            continue
        unsure = ", within sampling error" if remarks.may_be_chance(one) else ""
        yield (
            f"{detector.name} finds objects {'worse' if drop > 0 else 'better'} alone on white "
            f"than in place (AP {after}, not {score(_ap(detector.clean))}{unsure})."
        )


def _ap(one: StepRobustness) -> float:
    return one.metrics["AP"]


def _relative(one: StepRobustness) -> float:
    return one.relative["AP"]


def _tested(one: StepRobustness) -> bool:
    return one.drop is not None and not math.isnan(one.drop.p_holm)


def _drop(one: StepRobustness) -> float:
    return math.nan if one.drop is None else one.drop.interval.value


def _named(one: StepRobustness) -> str:
    """As it is written inside a sentence: graded JPEG compression (50), Gaussian noise 5."""
    noun, _, kind = one.title.partition(", ")
    if not noun.startswith(PROPER):
        noun = noun[:1].lower() + noun[1:]
    title = f"{kind} {noun}".lstrip()
    if not one.label:
        return title
    return f"{title} {one.label}" if one.group in CORRUPTION_GROUPS else f"{title} ({one.label})"
