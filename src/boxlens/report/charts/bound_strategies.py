"""UAP with labels of the true boxes, and of boxes around the objects (METHODS 4.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_pair import short_labels
from boxlens.report.charts.method_lines import column_heading, recall_limit
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    INK,
    PALE,
    fixed,
    inline,
)
from boxlens.studies.upper_bound.result import STRATEGY_TITLES
from boxlens.wording import UNDEFINED, change, interval, score

if TYPE_CHECKING:
    from boxlens.studies.upper_bound.result import StrategyBound, UpperBoundResult

PLOT_PX: Final = 130
ROW_PX: Final = 26
NAMES_PX: Final = 150
COLUMNS: Final = (("text", "UAP", 36), ("change", "change", 82), ("accuracy", "accuracy", 134))


def bound_strategies_chart(result: UpperBoundResult) -> alt.LayerChart:
    """One bar per strategy, the true boxes first."""
    return _bars([_record(one, result.bound) for one in result.strategies])


def _record(one: StrategyBound, first: StrategyBound) -> dict[str, Any]:
    found = one.interval
    sure = found is not None and not (math.isnan(found.low) or math.isnan(found.high))
    low, high = (found.low, found.high) if found is not None and sure else (one.uap, one.uap)
    same = one.strategy == first.strategy
    return {
        "strategy": STRATEGY_TITLES[one.strategy],
        "uap": one.uap,
        "low": low,
        "high": high,
        "interval": interval(low, high) if sure else UNDEFINED,
        "text": score(one.uap),
        "change": "" if same else change(one.uap - first.uap),
        "accuracy": score(one.accuracy),
        "class_accuracy": score(one.class_accuracy),
        "labelled": one.n_labelled,
    }


def _bars(rows: list[dict[str, Any]]) -> alt.LayerChart:
    scale = alt.Scale(domain=[0, recall_limit(row["high"] for row in rows)], nice=False)
    axis = alt.Axis(title="UAP", labelExpr=DECIMAL_AXIS, tickCount=4)
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=ROW_PX * len(rows)).encode(
        y=_rows_axis([row["strategy"] for row in rows]), tooltip=_tips()
    )
    numbers = [
        plot.mark_text(align="right", color=INK).encode(
            x=fixed(alt.XValue, PLOT_PX + at), text=f"{field}:N"
        )
        for field, _, at in COLUMNS
    ]
    headings = [column_heading(words, PLOT_PX + at) for _, words, at in COLUMNS]
    return alt.LayerChart(
        layer=[
            plot.mark_bar(color=PALE).encode(x=alt.X("uap:Q", scale=scale, axis=axis)),
            plot.mark_rule(color=INK, strokeWidth=1.5).encode(
                x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
            ),
            *numbers,
            *headings,
        ]
    )


def _rows_axis(names: list[str]) -> alt.Y:
    axis = alt.Axis(
        title=None,
        ticks=False,
        domain=False,
        labelLimit=NAMES_PX,
        labelExpr=short_labels(names, 40),
    )
    return alt.Y("strategy:N", scale=alt.Scale(domain=names), axis=axis)


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("strategy:N", title="labels from"),
        alt.Tooltip("text:N", title="UAP"),
        alt.Tooltip("interval:N"),
        alt.Tooltip("accuracy:N"),
        alt.Tooltip("class_accuracy:N", title="mean over classes"),
        alt.Tooltip("labelled:Q", title="objects", format=","),
    ]
