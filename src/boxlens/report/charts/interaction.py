"""Two characteristics at once: AP_N of every pair of subsets as a heat map."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from boxlens.report.charts.panels import cell, cell_scale, heat_map, message
from boxlens.report.charts.selecting import characteristic_terms, picks
from boxlens.report.charts.theme import FONT_PX, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.object_sensitivity.results import Interaction

ROW_PX = 26
COLUMN_PX = 60
MOST_WIDTH = WIDTH - 70
# Numbers in more rows or columns are not legible.
MOST_SUBSETS = 10


def interaction_chart(result: Interaction, *, about: str = "") -> alt.LayerChart | alt.Chart:
    """Cells without enough objects in any class stay empty."""
    title = f"How well objects are found by {result.first} and {result.second}"
    lines, columns = (_frequent(result.n_objects.sum(axis=axis)) for axis in (1, 0))
    rows = [
        cell(
            ap_n,
            decimal(ap_n, 2),
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
    if not rows:
        why = "no pair of subsets has enough objects"
        return themed(message(why, width=WIDTH, height=80), title=title, about=about)
    first = [result.first_names[line] for line in lines]
    second = [result.second_names[column] for column in columns]
    reading = ["AP_N, mean over the classes with enough such objects."]
    for name, shown, names in (
        (result.first, first, result.first_names),
        (result.second, second, result.second_names),
    ):
        if len(shown) < len(names):
            reading.append(f"The {len(shown)} most frequent of {len(names)} {name}.")
    n_empty = len(first) * len(second) - len(rows)
    if n_empty:
        reading.append(f"Empty: too few objects ({n_empty} cells).")
    return themed(
        _map(result, rows, first, second), title=title, about=about, reading=" ".join(reading)
    )


def _picked(result: Interaction, line: int, column: int) -> dict[str, str]:
    """Nothing for flags, of which an object has several."""
    first, second = result.first_names[line], result.second_names[column]
    if {result.first, result.second} & {"parts", "sides"}:
        return {}
    terms = characteristic_terms(result.first, first) | characteristic_terms(result.second, second)
    label = f"{result.first} {first}, {result.second} {second}"
    return picks(label, int(result.n_objects[line, column]), of="objects", terms=terms)


def _frequent(n_objects: npt.NDArray[np.integer]) -> list[int]:
    """Places of the subsets with the most objects, in their order."""
    order = np.argsort(-n_objects.astype(np.int64), kind="stable")
    return sorted(order[:MOST_SUBSETS].tolist())


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
            alt.Tooltip("ap_n:Q", title="AP_N", format=".4f"),
            alt.Tooltip("n:Q", title="objects", format=","),
        ],
    )
    return heat_map(plot)
