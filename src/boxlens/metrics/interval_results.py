"""A detector's result with an interval for each of its numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data import Notice
from boxlens.metrics.intervals import Interval, ResamplingChoice, interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.metrics.bootstrap import Resampled
    from boxlens.metrics.results import ClassResult, DetectorResult


def with_intervals(
    result: DetectorResult, drawn: Resampled, choice: ResamplingChoice
) -> DetectorResult:
    """The numbers themselves stay as they are."""
    whole = whole_intervals(result.metrics, drawn, choice)
    classes = tuple(
        replace(one, intervals=_of_class(one, row, drawn, choice))
        for row, one in enumerate(result.classes)
    )
    notices = (*result.notices, *_undefined(result.name, whole, choice))
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


def _undefined(
    name: str, whole: Mapping[str, Interval], choice: ResamplingChoice
) -> tuple[Notice, ...]:
    some = {key: one.n_undefined for key, one in whole.items() if one.n_undefined}
    some = {key: n for key, n in some.items() if not np.isnan(whole[key].value)}
    if not some:
        return ()
    told = ", ".join(f"{key} in {n:,}" for key, n in some.items())
    message = (
        f"{name}: undefined in some of {choice.n_replicates:,} resampled test sets, which are left "
        f"out of their intervals: {told}"
    )
    return (Notice("undefined_in_replicates", max(some.values()), message),)
