"""How near detectors come to the bound, in words: below it, at it, or beyond."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.proposals.words import fraction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.recognition_bound.result import DetectorGap, UpperBoundResult

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


def detector_sentences(result: UpperBoundResult) -> Iterator[str]:
    """Without any, what one could reach."""
    best, uap = best_detector(result), result.bound.uap
    if best is None:
        yield (
            f"A detector that finds every object and labels it as {result.classifier} does has an "
            f"AP of {fraction(uap)}."
        )
        return
    one = f"The best detector, {best.name}," if len(result.detectors) > 1 else best.name
    if math.isnan(best.share) and best.ap == 0:
        yield f"{best.name} has an AP of 0, as has the bound: nothing can be compared."
        return
    both = f"AP {fraction(best.ap)}, UAP {fraction(uap)}"
    if is_beyond(best.ap, uap):
        better = "" if _may_be_chance(best) else ": its own recognition is better"
        yield (
            f"{one} is beyond what this classifier allows ({both}){_gap(result, best)}{better}. A "
            "bound needs a stronger classifier, or more to learn from (--classifier, --train-gt)."
        )
    elif _written(best.ap) >= _written(uap):
        yield f"{one} reaches the bound ({both}){_gap(result, best)}."
    else:
        yield (
            f"{one} reaches {percent_text(best.share)} of what recognition alone allows (AP "
            f"{fraction(best.ap)} of {fraction(uap)}){_gap(result, best)}."
        )


def _written(value: float) -> float:
    """With the digits that sentences have: a last bit makes no difference."""
    return round(value, 3)


def _gap(result: UpperBoundResult, best: DetectorGap) -> str:
    """UAP minus AP: below 0 where a detector is beyond."""
    gap, choice = best.gap, result.choice.intervals
    if gap is None or choice is None or math.isnan(gap.low):
        return ""
    level = f"{100 * choice.level:g} %"
    return f"; the gap, {level} interval {fraction(gap.low)} to {fraction(gap.high)}, " + (
        "may be chance" if _may_be_chance(best) else "is beyond chance"
    )


def _may_be_chance(best: DetectorGap) -> bool:
    """Whether its interval holds 0; where there is none, nobody asked."""
    return best.gap is not None and best.gap.low <= 0 <= best.gap.high


def percent_text(share: float) -> str:
    """60 %; only nothing reads 0 %, and only everything 100 %."""
    if math.isnan(share):
        return "n/a"
    if 0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"
