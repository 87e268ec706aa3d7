"""The way from one protocol's number to another's, a bar a change of convention."""

from __future__ import annotations

import json
import math
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.panels import message, number_column
from boxlens.report.charts.theme import (
    DARK_BLUE,
    DECIMAL_AXIS,
    INK,
    LINE,
    NEUTRAL,
    WIDTH,
    decimal,
    inline,
    themed,
)

if TYPE_CHECKING:
    from boxlens.comparison.conventions.results import ProtocolNumber, ReconciliationResult

PLOT_PX = 150
COLUMN_PX = 38
DIGITS = 4
ROW_PX = 30
LABEL_PX = 190
LABEL_CHARACTERS = 38
# Of the whole range, left and right of the outermost marks.
MARGIN = 0.06


def convention_steps_chart(
    result: ReconciliationResult, *, about: str = ""
) -> alt.HConcatChart | alt.Chart:
    """Each bar keeps the changes before it; beside it what the change does alone at either end."""
    start, end = result.start, result.end
    title = f"From {start.protocol.title} to {end.protocol.title}"
    if any(math.isnan(step.after) for step in result.steps) or math.isnan(start.value):
        empty = message("no objects count: AP is undefined", width=WIDTH, height=ROW_PX * 4)
        return themed(empty, title=title, about=about)
    rows = _records(result)
    columns = [
        number_column(
            {str(row["place"]): row[key] for row in rows},
            title=heading,
            width=COLUMN_PX,
            row_px=ROW_PX,
        )
        for key, heading in (("change", "change"), ("first", "first"), ("last", "last"))
    ]
    return themed(
        alt.hconcat(_bars(rows), *columns, spacing=4),
        title=title,
        about=about,
        reading=_reading(result),
    )


def _reading(result: ReconciliationResult) -> str:
    text = (
        "Blue raises, grey lowers. Each step keeps those above it: its size depends on the order. "
        "First, last: the change alone, at the first and at the last number."
    )
    still = [step.title for step in result.steps if not step.moves]
    return f"{text} Of no effect here: {', '.join(still)}." if still else text


def _records(result: ReconciliationResult) -> list[dict[str, Any]]:
    rows = [_end_record(0, result.start)]
    for step in (step for step in result.steps if step.moves):
        rows.append(
            {
                "place": len(rows),
                "label": [step.title, _shortened(f"{step.from_text} → {step.to_text}")],
                "from": step.before,
                "to": step.after,
                "colour": DARK_BLUE if step.change > 0 else NEUTRAL,
                "change": _signed(step.change),
                "first": _signed(step.first_alone),
                "last": _signed(step.last_alone),
                "about": step.sentence,
            }
        )
    rows.append(_end_record(len(rows), result.end))
    for row in rows:
        row["next"] = min(row["place"] + 1, len(rows) - 1)
    return rows


def _end_record(place: int, end: ProtocolNumber) -> dict[str, Any]:
    return {
        "place": place,
        "label": [_shortened(end.protocol.title), _shortened(end.protocol.name)],
        "from": end.value,
        "to": end.value,
        "colour": INK,
        "change": decimal(end.value, DIGITS),
        "first": "",
        "last": "",
        "about": end.protocol.title,
        "end": end.value,
    }


def _shortened(text: str) -> str:
    return shorten(text, LABEL_CHARACTERS, placeholder=" ...")


def _signed(change: float) -> str:
    """+.0123; 0 is nothing at all, a change too small for the digits is about 0."""
    if round(change, DIGITS) == 0:
        return "≈0" if change else "0"
    return f"+{decimal(change, DIGITS)}" if change > 0 else decimal(change, DIGITS)


def _bars(rows: list[dict[str, Any]]) -> alt.LayerChart:
    values = [row[key] for row in rows for key in ("from", "to")]
    margin = MARGIN * (max(values) - min(values)) or 0.01
    labels = json.dumps([row["label"] for row in rows])
    y = alt.Y(
        "place:O",
        title=None,
        axis=alt.Axis(
            labelExpr=f"{labels}[datum.value]",
            labelLimit=LABEL_PX,
            labelLineHeight=11,
            # All have two lines: up by half a line, so that both are level with the bar.
            labelOffset=-5,
            ticks=False,
            domain=False,
        ),
    )
    x = alt.X(
        "from:Q",
        title="AP",
        # The bars float, and their ends are marks: nothing has to begin at 0.
        scale=alt.Scale(
            domain=[max(min(values) - margin, 0), max(values) + margin], nice=False, zero=False
        ),
        axis=alt.Axis(labelExpr=DECIMAL_AXIS, tickCount=4),
    )
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=ROW_PX * len(rows)).encode(
        y=y,
        tooltip=[
            alt.Tooltip("about:N", title="step"),
            alt.Tooltip("from:Q", title="AP before", format=".4f"),
            alt.Tooltip("to:Q", title="AP then", format=".4f"),
        ],
    )
    colour = alt.Color("colour:N", scale=None)
    bars = plot.mark_bar(height=11).encode(x=x, x2="to:Q", color=colour)
    # A change too small for a bar still has a place.
    places = plot.mark_tick(height=11, thickness=1).encode(x="to:Q", color=colour)
    ends = plot.mark_point(filled=True, size=46, opacity=1, color=INK).encode(x="end:Q")
    links = plot.mark_rule(color=LINE, strokeWidth=0.5).encode(x="to:Q", y2="next:O")
    return alt.LayerChart(layer=[links, bars, places, ends])
