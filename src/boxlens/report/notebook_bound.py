"""What a notebook says of an upper bound."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.report.charts.theme import decimal, percent
from boxlens.report.notebook_summary import MOST_ROWS, Summary, more_rows
from boxlens.report.pages.markup import NOTHING, Cell, counted, score_cell, text_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.metrics.intervals import Interval
    from boxlens.recognition_bound.result import UpperBoundResult
    from boxlens.report.planning.figure_plan import Figure

# Objects count as found at this IoU, however loosely.
LOOSE = 0.5


def bound_summary(result: UpperBoundResult) -> Summary:
    """Ways to find labels, then detectors: what each reaches of the bound."""
    from boxlens.recognition_bound.result import STRATEGY_TITLES
    from boxlens.recognition_bound.verdict import bound_sentences

    uap = result.bound.uap
    rows = [
        [
            text_cell(STRATEGY_TITLES[one.strategy]),
            _with_interval(one.uap, one.interval),
            _share(one.uap, uap),
            score_cell(one.by_iou.get(LOOSE)),
            score_cell(one.accuracy),
        ]
        for one in result.strategies
    ]
    rows += [
        [
            text_cell(one.name),
            score_cell(one.ap),
            _share(one.ap, uap),
            score_cell(one.by_iou.get(LOOSE)),
            Cell(NOTHING),
        ]
        for one in result.detectors
    ]
    return Summary(
        title=f"Upper bound of {result.classifier} on {result.dataset}",
        about=f"{counted(result.n_images, 'image')}, {counted(result.n_objects, 'object')}",
        lead=" ".join(bound_sentences(result)),
        headings=["labels or detector", "UAP or AP", "of the UAP", "at IoU .5", "accuracy"],
        rows=rows[:MOST_ROWS],
        figure="bound_by_size",
        more=more_rows(len(rows)),
    )


def _with_interval(value: float, found: Interval | None) -> Cell:
    if found is None or math.isnan(found.low):
        return score_cell(value)
    return Cell(f"{decimal(value)} ({decimal(found.low)} to {decimal(found.high)})", value)


def _share(ap: float, uap: float) -> Cell:
    if math.isnan(ap) or not uap > 0:
        return Cell(NOTHING)
    return Cell(percent(ap / uap), ap / uap)


def bound_charts(result: UpperBoundResult) -> Sequence[Figure]:
    from boxlens.report.planning.bound_figures import bound_figures

    return bound_figures(result).figures
