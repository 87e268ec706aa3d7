"""How near detectors come to the bound, in words: below it, at it, or beyond."""

from __future__ import annotations

import math

from boxlens import wording
from boxlens.studies.upper_bound.result import DetectorGap, UpperBoundResult
from boxlens.wording import score

# Differences below are not worth a word.
ALIKE = 0.005


def best_detector(result: UpperBoundResult) -> DetectorGap | None:
    """None where no detector has an AP."""
    return next((one for one in result.detectors if not math.isnan(one.ap)), None)


def class_gaps(result: UpperBoundResult) -> tuple[float, ...]:
    """Of every class, from the best detector over all classes to the UAP; undefined without one."""
    best, classes = best_detector(result), result.bound.classes
    if best is None:
        return (math.nan,) * len(classes)
    return tuple(one.uap - ap for one, ap in zip(classes, best.by_class, strict=True))


def is_beyond(ap: float, uap: float) -> bool:
    """As they are written, and by more than is worth a word; nothing undefined is."""
    return round(_written(ap) - _written(uap), 3) > ALIKE


def detector_sentence(result: UpperBoundResult) -> str:
    """How near the best one comes; without any, what one could reach."""
    best, uap = best_detector(result), result.bound.uap
    if best is None:
        return (
            f"A detector that finds every object and labels it as {result.classifier} does would "
            f"have an AP of {score(uap)}, the upper bound (UAP)."
        )
    if math.isnan(best.share) and best.ap == 0:
        return f"{best.name} and the upper bound both have an AP of 0: there is nothing to compare."
    who = f"The best detector, {best.name}," if len(result.detectors) > 1 else best.name
    both = f"AP {score(best.ap)}, UAP {score(uap)}"
    if is_beyond(best.ap, uap):
        better = "" if _within_error(best) else ": it recognises objects better"
        return (
            f"{who} exceeds the upper bound of this classifier ({both}){_gap(result, best)}"
            f"{better}. Use a stronger classifier or more training data (--classifier, --train-gt)."
        )
    if _written(best.ap) >= _written(uap):
        return f"{who} reaches the upper bound ({both}){_gap(result, best)}."
    return (
        f"{who} has an AP of {score(best.ap)}, {wording.share(best.share)} of the upper bound (UAP "
        f"{score(uap)}){_gap(result, best)}."
    )


def _written(value: float) -> float:
    """With the digits that sentences have: a last bit makes no difference."""
    return round(value, 3)


def _gap(result: UpperBoundResult, best: DetectorGap) -> str:
    """UAP minus AP: below 0 where a detector exceeds the bound."""
    gap, choice = best.gap, result.choice.intervals
    if gap is None or choice is None or math.isnan(gap.low):
        return ""
    around = f"{wording.level(choice.level)} interval {wording.interval(gap.low, gap.high)}"
    is_chance = "within sampling error" if _within_error(best) else "beyond sampling error"
    return f"; the gap ({around}) is {is_chance}"


def _within_error(best: DetectorGap) -> bool:
    """Whether its interval holds 0; where there is none, nobody asked."""
    return best.gap is not None and best.gap.low <= 0 <= best.gap.high
