"""A detector's result with an interval for each of its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from boxlens.data import Notice
from boxlens.metrics.bootstrap import FEWEST_IMAGES, Resampled
from boxlens.metrics.intervals import Interval, ResamplingChoice, interval
from boxlens.metrics.results import ClassResult, DetectorResult
from boxlens.wording import counted

# From this share of rare classes on, the bias of AP that resampling does not see matters.
MANY_RARE = 0.1


def with_intervals(
    result: DetectorResult, drawn: Resampled, choice: ResamplingChoice
) -> DetectorResult:
    """The numbers themselves stay as they are."""
    whole = whole_intervals(result.metrics, drawn, choice)
    classes = tuple(
        replace(one, intervals=_of_class(one, row, drawn, choice))
        for row, one in enumerate(result.classes)
    )
    notices = (*result.notices, *_too_few(drawn), *_undefined(drawn, whole, choice))
    return replace(result, intervals=whole, classes=classes, notices=notices)


def whole_intervals(
    metrics: Mapping[str, float], drawn: Resampled, choice: ResamplingChoice
) -> dict[str, Interval]:
    return {
        name: interval(value, drawn.bootstrap.whole[name], drawn.jackknife.whole[name], choice)
        for name, value in metrics.items()
    }


def _of_class(
    one: ClassResult, row: int, drawn: Resampled, choice: ResamplingChoice
) -> dict[str, Interval]:
    return {
        name: interval(
            value,
            drawn.bootstrap.by_class[name][:, row],
            drawn.jackknife.by_class[name][:, row],
            choice,
        )
        for name, value in one.metrics.items()
    }


def _too_few(drawn: Resampled) -> tuple[Notice, ...]:
    """Which numbers, and how many classes, have no interval."""
    told = [*drawn.too_few]
    if drawn.n_rare_classes:
        told.append(counted(drawn.n_rare_classes, "class", "classes"))
    if not told:
        return ()
    message = (
        f"{drawn.name}: no interval where fewer than {FEWEST_IMAGES} images have objects: "
        f"{', '.join(told)}"
    )
    notices = (Notice("too_few_images", len(told), message),)
    if drawn.n_rare_classes < MANY_RARE * drawn.n_classes:
        return notices
    share = f"{drawn.n_rare_classes:,} of {drawn.n_classes:,} classes"
    message = (
        f"{drawn.name}: {share} are that rare, and AP of few objects is too high by more than "
        "resampling shows: the interval of a mean over classes is then too high (differences "
        "between detectors are less affected)"
    )
    return (*notices, Notice("rare_classes_bias", drawn.n_rare_classes, message))


def _undefined(
    drawn: Resampled, whole: Mapping[str, Interval], choice: ResamplingChoice
) -> tuple[Notice, ...]:
    name = drawn.name
    some = {
        key: one.n_undefined
        for key, one in whole.items()
        if one.n_undefined and key not in drawn.too_few and not np.isnan(one.value)
    }
    if not some:
        return ()
    told = ", ".join(f"{key} in {n:,}" for key, n in some.items())
    message = (
        f"{name}: undefined in some of {choice.n_replicates:,} resampled test sets, which are "
        f"skipped in their intervals: {told}"
    )
    return (Notice("undefined_in_replicates", max(some.values()), message),)
