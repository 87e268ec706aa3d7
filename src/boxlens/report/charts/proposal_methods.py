"""How figures tell proposal methods apart: one look for each, and what dashes mean."""

from __future__ import annotations

from collections.abc import Sequence

from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.keys import MOST_LINES, Style, styles_of
from boxlens.studies.proposals.recall.result import MethodRecall
from boxlens.studies.proposals.repeatability.result import MethodRepeatability


def method_styles(methods: Sequence[MethodRecall | MethodRepeatability]) -> dict[str, Style]:
    """The looks of methods, in every figure: baselines are dashed."""
    return styles_of([one.name for one in methods], [one.name for one in methods if one.baseline])


def line_words(methods: Sequence[MethodRecall | MethodRepeatability]) -> str:
    """What dashes mean, and how many methods have a line: sentences that follow others."""
    dashed = " Dashed: baselines." if any(one.baseline for one in methods) else ""
    return dashed + first_of(MOST_LINES, len(methods), "methods")
