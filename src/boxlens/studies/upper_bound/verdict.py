"""What an upper bound says, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator

from boxlens.studies.upper_bound.nearness import ALIKE, best_detector, detector_sentence, is_beyond
from boxlens.studies.upper_bound.result import (
    MOST_CONFIDENT,
    MOST_FREQUENT,
    ContextAccuracy,
    StrategyBound,
    UpperBoundResult,
)
from boxlens.wording import counted, listed, number, score, share

# Accuracy explains so much of UAP: closely, or loosely.
CLOSELY, LOOSELY = 0.7, 0.3
# Fewer values lie on a line by chance.
FEWEST_VALUES = 4
# A class with so many of the objects makes accuracy cheap.
WORTH_TELLING = 0.2
# Smaller numbers are written as 0.000.
SHOWN = 0.0005
N_CLASSES_TOLD = 3
# How labels around an object are chosen, in words.
CHOSEN_BY = {MOST_CONFIDENT: "the most confident box", MOST_FREQUENT: "the most frequent label"}


def bound_sentences(result: UpperBoundResult) -> tuple[str, ...]:
    """How near detectors come to the bound, and how good the classifier is."""
    if result.n_objects == 0:
        return (f"{result.dataset} has no objects that count.",)
    if not _has_bound(result):
        return ("No object has a label, so there is no upper bound.",)
    return (detector_sentence(result), _recognition(result), *_unlabelled(result))


def bound_findings(result: UpperBoundResult) -> dict[str, tuple[str, ...]]:
    """By question: where the best detector is furthest from the bound, what recognition needs."""
    if not _has_bound(result):
        return {}
    return {
        "detectors": (*_sizes(result), *_thresholds(result)),
        "classes": tuple(_classes(result)),
        "recognition": (*_correlation(result), *_sampling(result)),
        "context": tuple(_context(result)),
    }


def _has_bound(result: UpperBoundResult) -> bool:
    return result.bound.n_labelled > 0 and not math.isnan(result.bound.uap)


def telling_correlation(bound: StrategyBound) -> bool:
    """Whether classes differ enough for a line through them to mean something."""
    known = [one for one in bound.classes if not math.isnan(one.uap + one.accuracy)]
    return not math.isnan(bound.correlation.r_squared) and all(
        len({score(value) for value in values}) >= FEWEST_VALUES
        for values in ([one.uap for one in known], [one.accuracy for one in known])
    )


def _recognition(result: UpperBoundResult) -> str:
    bound = result.bound
    mean = f" (mean over classes: {share(bound.class_accuracy)})" * (len(bound.classes) > 1)
    return (
        f"The classifier, {result.classifier}, labels {share(bound.accuracy)} of "
        f"{counted(result.n_objects, 'object')} correctly{mean}{_commonest(result)}."
    )


def _commonest(result: UpperBoundResult) -> str:
    """What is reached without looking, where that is not little."""
    if len(result.bound.classes) < 2 or not result.commonest_share >= WORTH_TELLING:
        return ""
    name, part = result.commonest_class, share(result.commonest_share)
    return f"; always answering {name} would be right for {part}"


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
            yield f"Recognition is weakest for {worst} objects (UAP {score(known[worst])})."
        return
    aps = {size: best.by_size.get(size, math.nan) for size in uaps}
    gaps = {size: uaps[size] - aps[size] for size in uaps if not math.isnan(uaps[size] - aps[size])}
    if len(gaps) < 2:
        return
    widest = max(gaps, key=gaps.__getitem__)
    if gaps[widest] > ALIKE:
        yield (
            f"By size, the gap is largest for {widest} objects (AP {score(aps[widest])} of "
            f"{score(uaps[widest])})."
        )


def _classes(result: UpperBoundResult) -> Iterator[str]:
    classes, best = result.bound.classes, best_detector(result)
    if best is None or len(classes) < 2 or is_beyond(best.ap, result.bound.uap):
        return
    pairs = zip(classes, best.by_class, strict=True)
    gaps = [(one.uap - ap, one, ap) for one, ap in pairs if one.uap - ap > ALIKE]
    widest = sorted(gaps, key=lambda gap: -gap[0])[:N_CLASSES_TOLD]
    if widest:
        told = [f"{one.name} ({score(ap)} of {score(one.uap)})" for _, one, ap in widest]
        yield f"By class, the gap is largest for {listed(told)}."
    n_beyond = sum(is_beyond(ap, one.uap) for one, ap in zip(classes, best.by_class, strict=True))
    if n_beyond:
        yield (
            f"In {n_beyond:,} of {counted(len(classes), 'class', 'classes')} {best.name} exceeds "
            "the bound: it recognises these better than the classifier does."
        )


def _thresholds(result: UpperBoundResult) -> Iterator[str]:
    """UAP stays where it is; a detector's AP falls."""
    bound = {iou: uap for iou, uap in result.bound.by_iou.items() if not math.isnan(uap)}
    if len(bound) < 2 or max(bound.values()) < SHOWN:
        return
    low, high = min(bound), max(bound)
    steady = max(bound.values()) - min(bound.values()) <= ALIKE
    said = (
        f"UAP is about {score(result.bound.uap)} at every IoU"
        if steady
        else f"UAP goes from {score(bound[low])} at IoU {number(low)} to {score(bound[high])} at "
        f"IoU {number(high)}"
    )
    best = best_detector(result)
    first, last = (
        math.nan if best is None else best.by_iou.get(end, math.nan) for end in (low, high)
    )
    if best is not None and is_beyond(best.ap, result.bound.uap):
        return
    if best is not None and first > last:
        yield (
            f"{said}, while {best.name} falls from {score(first)} at IoU {number(low)} to "
            f"{score(last)} at IoU {number(high)}: a loss to localization alone."
        )
    elif steady:
        yield f"{said}: true boxes are always well localized."


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
        f"Over {found.n_classes:,} classes, UAP follows accuracy {how} (r squared "
        f"{score(found.r_squared)})."
    )


def _sampling(result: UpperBoundResult) -> Iterator[str]:
    """What labels of boxes around the object change."""
    others = [one for one in result.strategies[1:] if not math.isnan(one.uap)]
    uaps = [result.bound.uap, *(one.uap for one in others)]
    if not others or max(uaps) < SHOWN:
        return
    told = [f"{score(one.uap)} by {CHOSEN_BY[one.strategy]}" for one in others]
    # As they are written, so that words and numbers agree.
    first, *rest = (round(uap, 3) for uap in uaps)
    if max(abs(uap - first) for uap in rest) <= ALIKE:
        what = "hardly change"
    elif max(rest) <= first:
        what = "lower"
    else:
        what = "raise" if min(rest) >= first else "change"
    yield (
        f"Labels from boxes around the object {what} UAP: from {score(result.bound.uap)} to "
        f"{listed(told)}."
    )


def _context(result: UpperBoundResult) -> Iterator[str]:
    known = [one for one in result.context if not math.isnan(one.accuracy)]
    own = next((one for one in known if one.kind == "object" and one.scale == 1), None)
    around = [one for one in known if one.kind == "object_and_context"]
    best = max(around, key=lambda one: one.accuracy, default=None)
    if own is not None and best is not None and max(best.accuracy, own.accuracy) > 0:
        alone = f"{share(own.accuracy)} of objects are labelled correctly with the box alone"
        if best.accuracy - own.accuracy > ALIKE:
            yield (
                f"Context helps: {alone}, {share(best.accuracy)} with {number(best.scale)} times "
                "the box."
            )
        else:
            yield (
                "Context does not help this classifier, which was trained on plain boxes: "
                f"{alone}, at best {share(best.accuracy)} with more."
            )
    yield from _context_alone(known, result.commonest_share)


def _context_alone(known: list[ContextAccuracy], commonest: float) -> Iterator[str]:
    """Without the object itself."""
    blank = [one for one in known if one.kind in ("context", "image_context")]
    if not blank:
        return
    best = max(blank, key=lambda one: one.accuracy)
    if best.accuracy == 0:
        return
    whole = math.isnan(best.scale)
    crop = "the whole picture" if whole else f"a crop of {number(best.scale)} times the box"
    cheap = best.accuracy <= commonest + ALIKE
    yield (
        f"With the object blanked out, {crop} {'still ' * (not cheap)}gives the right class for "
        f"{share(best.accuracy)}{': no more than always answering the commonest class' * cheap}."
    )


def _unlabelled(result: UpperBoundResult) -> Iterator[str]:
    n_left = result.n_objects - result.bound.n_labelled
    if n_left > 0:
        without = "has no label and counts" if n_left == 1 else "have no label and count"
        yield f"{n_left:,} of {counted(result.n_objects, 'object')} {without} as missed."
