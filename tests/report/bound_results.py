"""Upper bounds made up with a seed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np

from boxlens.data import Notice
from boxlens.detectors.run_result import Failure
from boxlens.metrics.intervals import Interval, ResamplingChoice
from boxlens.metrics.results import Provenance
from boxlens.studies.upper_bound.choice import CONTEXT_SCALES, UpperBoundChoice
from boxlens.studies.upper_bound.result import (
    MOST_CONFIDENT,
    MOST_FREQUENT,
    OWN_BOX,
    ClassBound,
    ContextAccuracy,
    Correlation,
    DetectorGap,
    Mistake,
    StrategyBound,
    UpperBoundResult,
)
from report.toy_diagnosis import NASTY_NAMES

NAN = math.nan
IOUS = [round(0.5 + 0.05 * at, 2) for at in range(10)]
SIZES = ("small", "medium", "large")


def about(value: float, reach: float = 0.02) -> Interval:
    return Interval(value, value - reach, value + reach, reach / 2, reach / 2, 0.0)


def strategy_of(name: str, names: list[str], uap: float, seed: int, *, sure: bool) -> StrategyBound:
    """Classes scatter about the whole, UAP about accuracy."""
    rng = np.random.default_rng(seed)
    accuracy = rng.uniform(0.2, 0.95, len(names))
    uaps = np.clip(0.9 * accuracy + rng.normal(0, 0.05, len(names)), 0, 1)
    classes = [
        ClassBound(one, int(rng.integers(1, 4000)), float(ap), float(ap), float(right))
        for one, ap, right in zip(names, uaps, accuracy, strict=True)
    ]
    r = float(np.corrcoef(accuracy, uaps)[0, 1]) if len(names) > 1 else NAN
    return StrategyBound(
        name,
        uap,
        {iou: uap - 0.002 * (iou > 0.8) for iou in IOUS},
        {size: uap * share for size, share in zip(SIZES, (0.6, 1.0, 1.2), strict=True)},
        uap + 0.1,
        uap + 0.05,
        Correlation(r, r * r, len(names)),
        412,
        tuple(classes),
        interval=about(uap) if sure else None,
    )


def detector_of(name: str, ap: float, bound: StrategyBound, *, sure: bool) -> DetectorGap:
    share = ap / bound.uap
    return DetectorGap(
        name,
        ap,
        share,
        {iou: ap * (1.6 - 1.5 * (iou - 0.5) / 0.45) for iou in IOUS},
        {size: value * share for size, value in bound.by_size.items()},
        tuple(share * one.uap for one in bound.classes),
        gap=about(bound.uap - ap) if sure else None,
    )


def context_of(accuracy: float) -> tuple[ContextAccuracy, ...]:
    def seen(kind: str, scale: float, share: float) -> ContextAccuracy:
        return ContextAccuracy(kind, scale, 400, accuracy * share, 0.9 * accuracy * share)

    scales = [one for one in CONTEXT_SCALES if one > 1]
    return (
        *(seen("object", one, 0.5 + one / 2) for one in CONTEXT_SCALES if one <= 1),
        *(seen("object_and_context", one, 1 + 0.1 * one) for one in scales),
        *(seen("context", one, 0.2 + 0.1 * one) for one in scales),
        seen("image", NAN, 0.7),
        seen("image_context", NAN, 0.5),
    )


def mistakes_of(names: list[str]) -> tuple[Mistake, ...]:
    return tuple(
        Mistake(
            100 + at,
            at % 3 + 1,
            f"{at % 3 + 1}.png",
            np.array([2.0 + at, 3.0, 9.5, 7.0]),
            names[at % len(names)],
            names[(at + 1) % len(names)],
            0.95 - 0.1 * at,
        )
        for at in range(5)
    )


def bound_of(
    names: list[str],
    detectors: dict[str, float],
    *,
    context: bool = True,
    sampled: bool = True,
    sure: bool = True,
) -> UpperBoundResult:
    strategies = [strategy_of(OWN_BOX, names, 0.5, 3, sure=sure)]
    if sampled:
        strategies.append(strategy_of(MOST_CONFIDENT, names, 0.48, 4, sure=sure))
        strategies.append(strategy_of(MOST_FREQUENT, names, 0.47, 5, sure=sure))
    return UpperBoundResult(
        UpperBoundChoice(
            sampled_iou=0.5 if sampled else None,
            context_scales=CONTEXT_SCALES if context else (),
            intervals=ResamplingChoice() if sure else None,
        ),
        "street",
        60,
        420,
        "hog",
        "cross-validated in 5 folds",
        tuple(strategies),
        tuple(detector_of(name, ap, strategies[0], sure=sure) for name, ap in detectors.items()),
        context_of(0.6) if context else (),
        mistakes_of(names),
        (Failure("7.png", "cannot be read (truncated)"),),
        Provenance("1.0", None, tuple(None for _ in detectors)),
        (Notice("object_without_crop", 2, "2 objects have no pixel in their picture"),),
    )


def numbered(n: int) -> list[str]:
    return [f"class {row}" for row in range(n)]


def undefined() -> UpperBoundResult:
    """No object got a label."""
    known = bound_of(numbered(3), {"window": 0.3}, sampled=False, sure=False)
    bound = known.bound
    nothing = replace(
        bound,
        uap=NAN,
        by_iou=dict.fromkeys(IOUS, NAN),
        by_size=dict.fromkeys(SIZES, NAN),
        accuracy=NAN,
        class_accuracy=NAN,
        classes=tuple(
            replace(one, uap=NAN, uap50=NAN, accuracy=NAN, n_objects=0) for one in bound.classes
        ),
        correlation=Correlation(NAN, NAN, 0),
        n_labelled=0,
    )
    return replace(
        known,
        n_objects=0,
        strategies=(nothing,),
        detectors=(
            replace(
                known.detectors[0],
                ap=NAN,
                share=NAN,
                by_iou=dict.fromkeys(IOUS, NAN),
                by_size=dict.fromkeys(SIZES, NAN),
                by_class=(NAN,) * 3,
            ),
        ),
        context=tuple(replace(one, accuracy=NAN, class_accuracy=NAN) for one in known.context),
        mistakes=(),
    )


def half_undefined() -> UpperBoundResult:
    """Some classes have no objects, there are no large ones, and one detector found nothing."""
    known = bound_of(numbered(6), {"window": 0.3, "region": 0.2})
    first = known.bound
    classes = tuple(
        replace(one, uap=NAN, uap50=NAN, accuracy=NAN, n_objects=0) if row % 3 == 0 else one
        for row, one in enumerate(first.classes)
    )
    bound = replace(first, classes=classes, by_size={**first.by_size, "large": NAN})
    gaps = [
        replace(
            one,
            by_size={**one.by_size, "large": NAN},
            by_class=tuple(NAN if row % 3 == 0 else ap for row, ap in enumerate(one.by_class)),
        )
        for one in known.detectors
    ]
    gaps[1] = replace(gaps[1], ap=0.0, share=0.0, gap=None, by_class=(NAN, 0, 0, NAN, 0, NAN))
    return replace(
        known, strategies=(bound, *known.strategies[1:]), detectors=tuple(gaps), failed=()
    )


BOUND_WORLDS = {
    "detectors and context": cache(
        lambda: bound_of(["car", "van", "bus", "tree", "person"], {"window": 0.3, "region": 0.2})
    ),
    "no detectors": cache(lambda: bound_of(numbered(5), {}, sure=False)),
    "no context, one way": cache(
        lambda: bound_of(numbered(5), {"window": 0.3}, context=False, sampled=False, sure=False)
    ),
    "one class": cache(lambda: bound_of(["car"], {"window": 0.3})),
    "undefined": cache(undefined),
    "half undefined": cache(half_undefined),
    "beyond the bound": cache(lambda: bound_of(numbered(5), {"window": 0.7})),
    "many of all": cache(
        lambda: bound_of(numbered(80), {f"net {at}": 0.4 - at / 50 for at in range(10)})
    ),
    "nasty names": cache(
        lambda: replace(
            bound_of(list(NASTY_NAMES), dict.fromkeys(NASTY_NAMES, 0.25)),
            classifier=NASTY_NAMES[0],
            dataset=NASTY_NAMES[-1],
        )
    ),
}
