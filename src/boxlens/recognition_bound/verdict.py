"""What an upper bound says, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.proposals.words import counted, enumerated, fraction
from boxlens.recognition_bound.nearness import (
    ALIKE,
    best_detector,
    detector_sentences,
    is_beyond,
    percent_text,
)
from boxlens.recognition_bound.result import MOST_CONFIDENT, MOST_FREQUENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.recognition_bound.result import (
        ContextAccuracy,
        StrategyBound,
        UpperBoundResult,
    )

# Accuracy explains so much of UAP: closely, or loosely.
CLOSELY, LOOSELY = 0.7, 0.3
# Fewer values lie on a line by chance.
FEWEST_VALUES = 4
# A class with so many of the objects makes accuracy cheap.
WORTH_TELLING = 0.2
# Smaller numbers are written as .000.
SHOWN = 0.0005
N_CLASSES_TOLD = 3
# How labels around an object are chosen, in words.
CHOSEN_BY = {MOST_CONFIDENT: "the most confident box", MOST_FREQUENT: "the most frequent label"}


def bound_sentences(result: UpperBoundResult) -> tuple[str, ...]:
    """How near detectors come, where they lack most, and what recognition itself depends on."""
    if result.n_objects == 0:
        return (f"{result.dataset} has no objects that count.",)
    if result.bound.n_labelled == 0 or math.isnan(result.bound.uap):
        return ("No object got a label, so there is no bound.",)
    return (
        *detector_sentences(result),
        *_sizes(result),
        *_classes(result),
        *_thresholds(result),
        *_recognition(result),
        *_correlation(result),
        *_sampling(result),
        *_context(result),
        *_unlabelled(result),
    )


def telling_correlation(bound: StrategyBound) -> bool:
    """Whether classes differ enough for a line through them to mean something."""
    known = [one for one in bound.classes if not math.isnan(one.uap + one.accuracy)]
    return not math.isnan(bound.correlation.r_squared) and all(
        len({fraction(value) for value in values}) >= FEWEST_VALUES
        for values in ([one.uap for one in known], [one.accuracy for one in known])
    )


def _recognition(result: UpperBoundResult) -> Iterator[str]:
    bound = result.bound
    mean = f" ({percent_text(bound.class_accuracy)} in the mean of classes)"
    yield (
        f"The classifier, {result.classifier}, names {percent_text(bound.accuracy)} of "
        f"{counted(result.n_objects, 'object')} rightly{mean if len(bound.classes) > 1 else ''}"
        f"{_commonest(result)}."
    )


def _commonest(result: UpperBoundResult) -> str:
    """What is reached without looking, where that is not little."""
    if len(result.bound.classes) < 2 or not result.commonest_share >= WORTH_TELLING:
        return ""
    share, name = percent_text(result.commonest_share), result.commonest_class
    return f"; always saying {name} would name {share}"


def _sizes(result: UpperBoundResult) -> Iterator[str]:
    """Where the best detector lacks most; without one, where recognition does."""
    best, uaps = best_detector(result), result.bound.by_size
    if best is not None and is_beyond(best.ap, result.bound.uap):
        return
    if best is None:
        known = {size: uap for size, uap in uaps.items() if not math.isnan(uap)}
        # By size other classes may count: a part that is above the whole is not weak.
        if known and result.bound.uap - min(known.values()) > ALIKE:
            worst = min(known, key=known.__getitem__)
            yield f"Recognition is weakest for {worst} objects (UAP {fraction(known[worst])})."
        return
    aps = {size: best.by_size.get(size, math.nan) for size in uaps}
    gaps = {size: uaps[size] - aps[size] for size in uaps if not math.isnan(uaps[size] - aps[size])}
    if len(gaps) < 2:
        return
    widest = max(gaps, key=gaps.__getitem__)
    if gaps[widest] > ALIKE:
        yield (
            f"By size its gap is widest for {widest} objects (AP {fraction(aps[widest])} of "
            f"{fraction(uaps[widest])})."
        )


def _classes(result: UpperBoundResult) -> Iterator[str]:
    classes, best = result.bound.classes, best_detector(result)
    if best is None or len(classes) < 2 or is_beyond(best.ap, result.bound.uap):
        return
    pairs = zip(classes, best.by_class, strict=True)
    gaps = [(one.uap - ap, one, ap) for one, ap in pairs if one.uap - ap > ALIKE]
    widest = sorted(gaps, key=lambda gap: -gap[0])[:N_CLASSES_TOLD]
    if widest:
        told = [f"{one.name} ({fraction(ap)} of {fraction(one.uap)})" for _, one, ap in widest]
        yield f"By class it is widest for {enumerated(told)}."
    n_beyond = sum(is_beyond(ap, one.uap) for one, ap in zip(classes, best.by_class, strict=True))
    if n_beyond:
        yield (
            f"In {n_beyond:,} of {counted(len(classes), 'class', 'classes')} it is beyond the "
            "bound: it recognises these better than the classifier does."
        )


def _thresholds(result: UpperBoundResult) -> Iterator[str]:
    """UAP stays where it is; a detector's AP falls."""
    bound = {iou: uap for iou, uap in result.bound.by_iou.items() if not math.isnan(uap)}
    if len(bound) < 2 or max(bound.values()) < SHOWN:
        return
    low, high = min(bound), max(bound)
    steady = max(bound.values()) - min(bound.values()) <= ALIKE
    said = (
        f"UAP is about {fraction(result.bound.uap)} at every IoU"
        if steady
        else f"UAP goes from {fraction(bound[low])} at an IoU of {fraction(low, 2)} to "
        f"{fraction(bound[high])} at {fraction(high, 2)}"
    )
    best = best_detector(result)
    first, last = (
        math.nan if best is None else best.by_iou.get(end, math.nan) for end in (low, high)
    )
    if best is not None and is_beyond(best.ap, result.bound.uap):
        return
    if best is not None and first > last:
        yield (
            f"{said}, while {best.name} falls from {fraction(first)} at {fraction(low, 2)} to "
            f"{fraction(last)} at {fraction(high, 2)}: that loss is placement."
        )
    elif steady:
        yield f"{said}: true boxes are never badly placed."


def _correlation(result: UpperBoundResult) -> Iterator[str]:
    found = result.bound.correlation
    if not telling_correlation(result.bound):
        return
    how = (
        "closely"
        if found.r_squared >= CLOSELY
        else "loosely"
        if found.r_squared >= LOOSELY
        else "hardly"
    )
    yield (
        f"Over {found.n_classes:,} classes UAP follows accuracy {how} (r squared "
        f"{fraction(found.r_squared, 2)})."
    )


def _sampling(result: UpperBoundResult) -> Iterator[str]:
    """What labels of boxes around the object change."""
    others = [one for one in result.strategies[1:] if not math.isnan(one.uap)]
    uaps = [result.bound.uap, *(one.uap for one in others)]
    if not others or max(uaps) < SHOWN:
        return
    told = [f"{fraction(one.uap)} by {CHOSEN_BY[one.strategy]}" for one in others]
    # As they are written, so that words and numbers agree.
    first, *rest = (round(uap, 3) for uap in uaps)
    if max(abs(uap - first) for uap in rest) <= ALIKE:
        what = "hardly change"
    elif max(rest) <= first:
        what = "lower"
    else:
        what = "raise" if min(rest) >= first else "change"
    yield (
        f"Labels of boxes around the object {what} the UAP: from {fraction(result.bound.uap)} to "
        f"{enumerated(told)}."
    )


def _context(result: UpperBoundResult) -> Iterator[str]:
    known = [one for one in result.context if not math.isnan(one.accuracy)]
    own = next((one for one in known if one.kind == "object" and one.scale == 1), None)
    around = [one for one in known if one.kind == "object_and_context"]
    best = max(around, key=lambda one: one.accuracy, default=None)
    if own is not None and best is not None and max(best.accuracy, own.accuracy) > 0:
        alone = f"{percent_text(own.accuracy)} with the box alone"
        if best.accuracy - own.accuracy > ALIKE:
            yield (
                f"Context helps: {percent_text(best.accuracy)} are named rightly with "
                f"{best.scale:g} times the box, {alone}."
            )
        else:
            yield (
                f"Context does not help this classifier, which knows plain boxes: {alone}, at best "
                f"{percent_text(best.accuracy)} with more."
            )
    yield from _context_alone(known, result.commonest_share)


def _context_alone(known: list[ContextAccuracy], commonest: float) -> Iterator[str]:
    """How far one comes without seeing the object."""
    blank = [one for one in known if one.kind in ("context", "image_context")]
    if not blank:
        return
    best = max(blank, key=lambda one: one.accuracy)
    if best.accuracy == 0:
        return
    where = "the whole picture" if math.isnan(best.scale) else f"{best.scale:g} times the box"
    share = percent_text(best.accuracy)
    if best.accuracy <= commonest + ALIKE:
        yield (
            f"Without the object itself, {where} tells the class of {share}: no more than always "
            "naming the commonest one."
        )
        return
    yield f"Without the object itself, {where} still tells the class of {share}."


def _unlabelled(result: UpperBoundResult) -> Iterator[str]:
    n_left = result.n_objects - result.bound.n_labelled
    if n_left > 0:
        without = "has no label and counts" if n_left == 1 else "have no label and count"
        yield f"{n_left:,} of {counted(result.n_objects, 'object')} {without} as missed."
