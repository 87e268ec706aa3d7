"""Differences between two detectors as points with intervals, a row each, around zero."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_pair import FIRST, SECOND, UNDECIDED, short, signed
from boxlens.report.charts.panels import number_column, rows_axis
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    INK,
    PALE,
    fixed,
    inline,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PLOT_PX: Final = 148
COLUMN_PX: Final = 44
# Of the widest reach, left and right of the outermost marks.
MARGIN: Final = 0.06
# Even where no difference lies there.
LEAST_SIDE: Final = 0.12
# Below the rows: ticks, their labels and the axis' title.
SIDES_PX: Final = 44


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A difference, first detector less second; `decided` is where chance would not give it."""

    name: str
    value: float
    low: float
    high: float
    decided: bool
    # Numbers right of the plot, by their headings.
    columns: tuple[str, ...] = ()
    # The smallest difference that would probably have been shown.
    detectable: float = math.nan
    # Another reading of the same difference.
    other: float = math.nan
    about: str = ""
    # Further fields of its record.
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def colour(self) -> str:
        if not self.decided:
            return UNDECIDED
        return FIRST if self.value > 0 else SECOND


def forest(
    rows: Sequence[ForestRow],
    names: tuple[str, str],
    *,
    unit: str,
    headings: Sequence[str] = (),
    row_px: int = 14,
) -> alt.HConcatChart:
    """Rows from the top; who is better stands at either side of zero."""
    columns = [
        number_column(
            {row.name: row.columns[at] for row in rows},
            title=heading,
            width=COLUMN_PX,
            row_px=row_px,
        )
        for at, heading in enumerate(headings)
    ]
    # Flush: the words below the axis may reach under the columns.
    return alt.hconcat(_plot(rows, names, unit, row_px), *columns, spacing=4, bounds="flush")


def _plot(
    rows: Sequence[ForestRow], names: tuple[str, str], unit: str, row_px: int
) -> alt.LayerChart:
    low, high = _ends(rows)
    scale = alt.Scale(domain=[low, high], nice=False)
    axis = alt.Axis(title=unit, labelExpr=DECIMAL_AXIS, tickCount=5)

    def at(key: str) -> alt.X:
        return alt.X(f"{key}:Q", scale=scale, axis=axis)

    plot = alt.Chart(inline(map(_record, rows)), width=PLOT_PX, height=row_px * len(rows)).encode(
        y=rows_axis("name", [row.name for row in rows], alt.Axis(ticks=False, domain=False)),
        tooltip=[
            alt.Tooltip("name:N", title="of"),
            alt.Tooltip("text:N", title="difference"),
            alt.Tooltip("interval:N", title="interval"),
            alt.Tooltip("about:N", title="tested"),
        ],
    )
    colour = alt.Color("colour:N", scale=None)
    zero = (
        alt.Chart(inline([{"zero": 0}])).mark_rule(color=INK, strokeWidth=0.75).encode(x=at("zero"))
    )
    band = plot.mark_bar(color=PALE, opacity=0.55, height=row_px).encode(
        x=at("undetectable"), x2="detectable:Q"
    )
    return alt.LayerChart(
        layer=[
            band,
            zero,
            plot.mark_rule(strokeWidth=1.5).encode(x=at("low"), x2="high:Q", color=colour),
            plot.mark_point(filled=True, size=34, opacity=1).encode(x=at("value"), color=colour),
            plot.mark_point(filled=True, fill="white", size=18, strokeWidth=1, opacity=1).encode(
                x=at("other"), stroke=alt.Stroke("colour:N", scale=None)
            ),
            *_sides(
                names, zero_px=-low / (high - low) * PLOT_PX, y_px=row_px * len(rows) + SIDES_PX
            ),
        ]
    )


def _sides(names: tuple[str, str], *, zero_px: float, y_px: float) -> list[alt.Chart]:
    """Below the axis, who is better left and right of zero."""
    left, right = (
        alt.Chart(inline([{"text": text}])).encode(
            x=fixed(alt.XValue, zero_px), y=fixed(alt.YValue, y_px), text="text:N"
        )
        for text in (f"← {short(names[1])} better", f"{short(names[0])} better →")
    )
    return [
        left.mark_text(align="right", dx=-5, color=SECOND),
        right.mark_text(align="left", dx=5, color=FIRST),
    ]


def _ends(rows: Sequence[ForestRow]) -> tuple[float, float]:
    """With zero inside, and some room to either side of it."""
    values = [
        end
        for row in rows
        for end in (row.value, row.low, row.high, row.other, row.detectable, -row.detectable)
        if not math.isnan(end)
    ]
    low, high = min(0.0, *values, 0.0), max(0.0, *values, 0.0)
    room = LEAST_SIDE * (high - low) or 0.01
    return (1 + MARGIN) * min(low, -room), (1 + MARGIN) * max(high, room)


def _record(row: ForestRow) -> dict[str, Any]:
    known = not math.isnan(row.low) and not math.isnan(row.high)
    numbers = {
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "other": row.other,
        "detectable": row.detectable,
        "undetectable": -row.detectable,
    }
    return {
        "name": row.name,
        "text": signed(row.value),
        "interval": f"{signed(row.low)} to {signed(row.high)}" if known else "n/a",
        "about": row.about,
        "colour": row.colour,
        **row.more,
        **{key: None if math.isnan(value) else value for key, value in numbers.items()},
    }
