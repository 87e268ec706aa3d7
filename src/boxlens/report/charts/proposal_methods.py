"""How proposal methods are ordered and described in figures and tables; draws nothing itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from boxlens.report.charts.forms.keys import MOST_LINES
from boxlens.wording import number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boxlens.studies.proposals.recall.choice import RecallChoice
    from boxlens.studies.proposals.recall.result import MethodRecall


class Method(Protocol):
    """Whatever proposes boxes."""

    @property
    def name(self) -> str: ...

    @property
    def baseline(self) -> bool: ...


def best_first(methods: Iterable[MethodRecall]) -> list[MethodRecall]:
    """By average recall at the largest budget; undefined last."""
    return sorted(methods, key=lambda one: (math.isnan(ar := one.chosen[-1].ar), -ar))


def ar_words(choice: RecallChoice) -> str:
    """AR; with its IoU range where that is not the usual one."""
    low, high = choice.ar_range
    return "AR" if (low, high) == (0.5, 1.0) else f"AR {number(low)} to {number(high)}"


def line_words(methods: Iterable[Method]) -> str:
    """What dashes mean, and how many methods have a line: sentences that follow others."""
    every = list(methods)
    dashed = " Dashed: baselines." if any(one.baseline for one in every) else ""
    return dashed + first_of(min(len(every), MOST_LINES), len(every), "methods")


def first_of(n_shown: int, n_all: int, noun: str) -> str:
    """A sentence that follows others, where not all are shown; else empty."""
    return f" The first {n_shown} of {n_all} {noun}." if n_shown < n_all else ""
