"""UAP with labels of the true boxes, and of boxes around the objects (METHODS 4.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.recognition_bound.result import STRATEGY_TITLES
from boxlens.report.charts.detector_pair import short_labels, signed
from boxlens.report.charts.method_lines import column_heading, recall_limit
from boxlens.report.charts.panels import message
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    INK,
    PALE,
    WIDTH,
    decimal,
    fixed,
    inline,
    themed,
    threshold,
)

if TYPE_CHECKING:
    from boxlens.recognition_bound.result import StrategyBound, UpperBoundResult

PLOT_PX: Final = 130
ROW_PX: Final = 26
NAMES_PX: Final = 150
COLUMNS: Final = (("text", "UAP", 32), ("change", "change", 74), ("accuracy", "accuracy", 122))


def bound_strategies_chart(
    result: UpperBoundResult, *, about: str = ""
) -> alt.LayerChart | alt.Chart:
    """A bar a strategy, the true boxes first."""
    title = "UAP by how labels are found"
    rows = [_record(one, result.bound) for one in result.strategies if not math.isnan(one.uap)]
    if not rows:
        empty = message("UAP is undefined", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    iou = result.choice.sampled_iou
    reading = ""
    if len(rows) > 1 and iou is not None:
        reading = f"Boxes around: shifted, with an IoU of {threshold(iou)} to the true box."
    if any(row["interval"] != "n/a" for row in rows):
        level = (
            "" if result.choice.intervals is None else f"{100 * result.choice.intervals.level:g} % "
        )
        reading += f" Line: {level}interval, by resampling images."
    return themed(_bars(rows), title=title, about=about, reading=reading.strip())


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
        "interval": f"{decimal(low)} to {decimal(high)}" if sure else "n/a",
        "text": decimal(one.uap),
        "change": "" if same else signed(one.uap - first.uap),
        "accuracy": decimal(one.accuracy),
        "class_accuracy": decimal(one.class_accuracy),
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
        alt.Tooltip("strategy:N", title="labels of"),
        alt.Tooltip("text:N", title="UAP"),
        alt.Tooltip("interval:N"),
        alt.Tooltip("accuracy:N"),
        alt.Tooltip("class_accuracy:N", title="mean of classes"),
        alt.Tooltip("labelled:Q", title="objects", format=","),
    ]
