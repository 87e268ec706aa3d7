"""Two characteristics at once: AP_N of every pair of subsets as a heat map."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.panels import cell, cell_scale, heat_map
from boxlens.report.charts.selecting import characteristic_terms, picks
from boxlens.report.charts.theme import FONT_PX, WIDTH, inline
from boxlens.wording import score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.studies.sensitivity.result import Interaction

ROW_PX = 26
COLUMN_PX = 60
MOST_WIDTH = WIDTH - 70


def interaction_chart(
    result: Interaction, lines: Sequence[int], columns: Sequence[int]
) -> alt.LayerChart:
    """The given subsets of both; cells without enough objects in any class stay empty."""
    rows = [
        cell(
            ap_n,
            score(ap_n),
            first=result.first_names[line],
            second=result.second_names[column],
            ap_n=ap_n,
            n=int(result.n_objects[line, column]),
            **_picked(result, line, column),
        )
        for line in lines
        for column in columns
        if not math.isnan(ap_n := float(result.ap_n[line, column]))
    ]
    first = [result.first_names[line] for line in lines]
    second = [result.second_names[column] for column in columns]
    return _map(result, rows, first, second)


def _picked(result: Interaction, line: int, column: int) -> dict[str, str]:
    """Nothing for flags, of which an object has several."""
    first, second = result.first_names[line], result.second_names[column]
    if {result.first, result.second} & {"parts", "sides"}:
        return {}
    terms = characteristic_terms(result.first, first) | characteristic_terms(result.second, second)
    label = f"{result.first} {first}, {result.second} {second}"
    return picks(label, int(result.n_objects[line, column]), of="objects", terms=terms)


def _map(
    result: Interaction, rows: list[dict[str, Any]], first: list[str], second: list[str]
) -> alt.LayerChart:
    width = min(COLUMN_PX * len(second), MOST_WIDTH)
    column_px = width / len(second)
    level = column_px >= max(map(len, second)) * FONT_PX / 2
    plot = alt.Chart(inline(rows), width=width, height=ROW_PX * len(first)).encode(
        x=alt.X(
            "second:N",
            title=result.second,
            scale=cell_scale(second),
            axis=alt.Axis(labelAngle=0 if level else -45, ticks=False),
        ),
        y=alt.Y("first:N", title=result.first, scale=cell_scale(first), axis=alt.Axis(ticks=False)),
        tooltip=[
            alt.Tooltip("first:N", title=result.first),
            alt.Tooltip("second:N", title=result.second),
            alt.Tooltip("ap_n:Q", title="AP_N", format=".3f"),
            alt.Tooltip("n:Q", title="objects", format=","),
        ],
    )
    return heat_map(plot)
