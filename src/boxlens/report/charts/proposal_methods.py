"""How proposal methods are ordered, described and told apart in every figure and table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.keys import MOST_LINES, Style, styles_of
from boxlens.studies.proposals.recall.choice import RecallChoice
from boxlens.studies.proposals.recall.result import MethodRecall
from boxlens.studies.proposals.repeatability.result import MethodRepeatability
from boxlens.wording import number

Methods = Sequence[MethodRecall] | Sequence[MethodRepeatability]


def best_first(methods: Iterable[MethodRecall]) -> list[MethodRecall]:
    """By average recall at the largest budget; undefined last."""
    return sorted(methods, key=lambda one: (math.isnan(ar := one.chosen[-1].ar), -ar))


def ar_words(choice: RecallChoice) -> str:
    """AR; with its IoU range where that is not the usual one."""
    low, high = choice.ar_range
    return "AR" if (low, high) == (0.5, 1.0) else f"AR {number(low)} to {number(high)}"


def method_styles(methods: Methods) -> dict[str, Style]:
    """The looks of methods, in every figure: baselines are dashed."""
    return styles_of([one.name for one in methods], [one.name for one in methods if one.baseline])


def line_words(methods: Methods) -> str:
    """What dashes mean, and how many methods have a line: sentences that follow others."""
    dashed = " Dashed: baselines." if any(one.baseline for one in methods) else ""
    return dashed + first_of(MOST_LINES, len(methods), "methods")
