"""Detectors from best to worst with intervals, and letters of those that cannot be told apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.detector_pair import short_labels
from boxlens.report.charts.panels import message, number_column, rows_axis
from boxlens.report.charts.theme import (
    DARK_BLUE,
    DECIMAL_AXIS,
    SOFT_INK,
    WIDTH,
    decimal,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.comparison.league import League, LeagueRow

PLOT_PX = 150
NUMBER_PX = 36
LETTER_PX = 6
ROW_PX = 16
MOST_ROWS = 20
LABEL_PX = 120
LABEL_CHARACTERS = 22
# Of the whole range, left and right of the outermost ends.
MARGIN = 0.06


def league_chart(league: League, *, about: str = "") -> alt.HConcatChart | alt.Chart:
    """A row a detector, the best first."""
    title = f"{league.metric} of each detector, and who can be told apart"
    known = [row for row in league.rows if not math.isnan(row.score.value)]
    if not known:
        empty = message(f"{league.metric} is undefined", width=WIDTH, height=ROW_PX * 4)
        return themed(empty, title=title, about=about)
    shown = known[:MOST_ROWS]
    values = {row.name: decimal(row.score.value) for row in shown}
    letters = {row.name: row.letters for row in shown}
    longest = max(len(text) for text in letters.values())
    return themed(
        alt.hconcat(
            _points(shown, league.metric),
            number_column(values, title=league.metric, width=NUMBER_PX, row_px=ROW_PX),
            number_column(
                letters, title="group", width=max(30, LETTER_PX * longest), row_px=ROW_PX
            ),
            spacing=4,
        ),
        title=title,
        about=about,
        reading=_reading(league, n_known=len(known), n_shown=len(shown)),
    )


def _reading(league: League, *, n_known: int, n_shown: int) -> str:
    text = (
        "Line: interval. Detectors that share a letter cannot be told apart: the p of their "
        f"difference, adjusted for all pairs, is not below {decimal(league.alpha, 2)}."
    )
    if n_shown < n_known:
        text += f" The best {n_shown} of {n_known}."
    n_undefined = len(league.rows) - n_known
    return f"{text} Undefined for {n_undefined} more." if n_undefined else text


def _points(rows: Sequence[LeagueRow], metric: str) -> alt.LayerChart:
    ends = [
        end
        for row in rows
        for end in (row.score.value, row.score.low, row.score.high)
        if not math.isnan(end)
    ]
    margin = MARGIN * (max(ends) - min(ends)) or 0.01
    scale = alt.Scale(domain=[min(ends) - margin, max(ends) + margin], nice=False, zero=False)
    axis = alt.Axis(title=metric, labelExpr=DECIMAL_AXIS, tickCount=4)

    def at(key: str) -> alt.X:
        return alt.X(f"{key}:Q", scale=scale, axis=axis)

    names = [row.name for row in rows]
    plot = alt.Chart(inline(map(_record, rows)), width=PLOT_PX, height=ROW_PX * len(rows)).encode(
        y=rows_axis(
            "name",
            names,
            alt.Axis(
                ticks=False,
                domain=False,
                labelLimit=LABEL_PX,
                labelExpr=short_labels(names, LABEL_CHARACTERS),
            ),
        ),
        tooltip=[
            alt.Tooltip("name:N", title="detector"),
            alt.Tooltip("text:N", title=metric),
            alt.Tooltip("interval:N", title="interval"),
            alt.Tooltip("letters:N", title="group"),
        ],
    )
    return alt.LayerChart(
        layer=[
            plot.mark_rule(color=SOFT_INK, strokeWidth=1.5).encode(x=at("low"), x2="high:Q"),
            plot.mark_point(filled=True, size=44, opacity=1, color=DARK_BLUE).encode(x=at("value")),
        ]
    )


def _record(row: LeagueRow) -> dict[str, Any]:
    known = not math.isnan(row.score.low)
    return {
        "name": row.name,
        "value": row.score.value,
        "low": row.score.low if known else None,
        "high": row.score.high if known else None,
        "text": decimal(row.score.value, 4),
        "interval": f"{decimal(row.score.low)} to {decimal(row.score.high)}" if known else "n/a",
        "letters": row.letters,
    }
