"""What figures of the upper bound share: the bound and the detectors, each in its colour."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from boxlens.recognition_bound.verdict import SHOWN
from boxlens.report.charts.detector_lines import detector_styles, first_detectors
from boxlens.report.charts.method_lines import METHOD_COLOURS, LineStyle
from boxlens.report.charts.theme import INK, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.recognition_bound.result import DetectorGap, UpperBoundResult

BOUND: Final = "UAP (bound)"
BY_SIZE, BY_IOU, BY_CLASS = "by size of objects", "by overlap asked for", "class by class"
# One colour is as dark as the bound.
MOST_DETECTORS: Final = len(METHOD_COLOURS) - 1


def shown_detectors(result: UpperBoundResult) -> Sequence[DetectorGap]:
    """The best ones, as many as there are colours."""
    return result.detectors[:MOST_DETECTORS]


def series_styles(result: UpperBoundResult) -> dict[str, LineStyle]:
    """The bound first, dark, then the detectors."""
    detectors = detector_styles(one.name for one in shown_detectors(result))
    return {BOUND: LineStyle(INK, (1, 0)), **detectors}


def detectors_left_out(result: UpperBoundResult) -> str:
    """A sentence, or nothing."""
    return first_detectors(len(shown_detectors(result)), len(result.detectors))


def against_title(result: UpperBoundResult, by: str) -> str:
    """Of a figure whose parts are told by `by`."""
    return f"AP of detectors against UAP, {by}" if result.detectors else f"UAP, {by}"


def axis_words(result: UpperBoundResult) -> str:
    return "AP, UAP" if result.detectors else "UAP"


def share_text(ap: float, uap: float) -> str:
    """61%: how much of the bound is reached; nothing can be compared with one of .000."""
    return percent(ap / uap if uap >= SHOWN else math.nan)
