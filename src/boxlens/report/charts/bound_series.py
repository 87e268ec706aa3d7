"""What figures of the upper bound share: the bound and the detectors, each in its colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.detector_lines import detector_styles
from boxlens.report.charts.method_lines import LineStyle
from boxlens.report.charts.theme import INK
from boxlens.studies.upper_bound.result import BOUND

if TYPE_CHECKING:
    from boxlens.studies.upper_bound.result import UpperBoundResult


def series_styles(result: UpperBoundResult) -> dict[str, LineStyle]:
    """The bound first, dark, then the detectors."""
    detectors = detector_styles(one.name for one in result.detectors)
    return {BOUND: LineStyle(INK, (1, 0)), **detectors}


def axis_words(result: UpperBoundResult) -> str:
    return "AP, UAP" if result.detectors else "UAP"
