"""AP of every detector against the UAP of each class: one row per class (METHODS 4.6)."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.bound_series import axis_words, series_styles
from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.method_lines import PAGE_PX, recall_limit
from boxlens.report.charts.system_lines import key_lines
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    INK,
    PALE,
    inline,
)
from boxlens.studies.upper_bound.nearness import best_detector
from boxlens.studies.upper_bound.result import BOUND
from boxlens.wording import score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boxlens.report.charts.method_lines import LineStyle
    from boxlens.studies.upper_bound.result import UpperBoundResult

# From here on in two columns.
TWO_COLUMNS: Final = 25
NAME_CHARACTERS: Final = 18
NAMES_PX: Final = 104
ROW_PX: Final = 13
GAP_PX: Final = 18


def bound_by_class_chart(result: UpperBoundResult, shown: Sequence[int]) -> alt.VConcatChart:
    """`shown` are rows of classes, in their order."""
    styles = series_styles(result)
    n_columns = 2 if len(shown) >= TWO_COLUMNS else 1
    n_lines = -(-len(shown) // n_columns)
    parts = [shown[at : at + n_lines] for at in range(0, len(shown), n_lines)]
    limit = recall_limit(_values(result, shown))
    panels = [_panel(result, part, styles, limit, n_columns) for part in parts]
    colours = {name: style.colour for name, style in styles.items()}
    return alt.vconcat(
        *key_lines(colours, width=PAGE_PX - 2 * NAMES_PX),
        alt.hconcat(*panels, spacing=GAP_PX),
        spacing=8,
    )


def _values(result: UpperBoundResult, shown: Sequence[int]) -> list[float]:
    uaps = [result.bound.classes[row].uap for row in shown]
    return [*uaps, *(one.by_class[row] for one in result.detectors for row in shown)]


def _panel(
    result: UpperBoundResult,
    rows: Sequence[int],
    styles: dict[str, LineStyle],
    limit: float,
    n_columns: int,
) -> alt.LayerChart:
    width = (PAGE_PX - GAP_PX * (n_columns - 1)) // n_columns - NAMES_PX
    y, words = _rows_axis(result, rows), axis_words(result)

    def across(field: str) -> alt.X:
        ticks = alt.Axis(title=words, labelExpr=DECIMAL_AXIS, tickCount=5)
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, limit], nice=False), axis=ticks)

    def marks(records: Sequence[dict[str, Any]]) -> alt.Chart:
        plot = alt.Chart(inline(records), width=width, height=ROW_PX * len(rows))
        return plot.encode(y=y, tooltip=_tips())

    bounds = [_record(result, row, BOUND, result.bound.classes[row].uap) for row in rows]
    best = best_detector(result)
    gaps = [
        {**one, "best": best.by_class[row]}
        for one, row in zip(bounds, rows, strict=True)
        if best is not None and not math.isnan(best.by_class[row])
    ]
    layers = []
    if gaps:
        pale = marks(gaps).mark_rule(strokeWidth=4, color=PALE)
        layers.append(pale.encode(x=across("best"), x2="value:Q"))
    tick = marks(bounds).mark_tick(thickness=2.5, size=ROW_PX - 2, color=INK, opacity=1)
    layers += [tick.encode(x=across("value")), *_points(result, rows, styles, marks, across)]
    return alt.LayerChart(layer=layers)


def _rows_axis(result: UpperBoundResult, rows: Sequence[int]) -> alt.Y:
    # Places, not names: two classes may be called alike.
    names = {str(row): short(result.bound.classes[row].name, NAME_CHARACTERS) for row in rows}
    axis = alt.Axis(
        ticks=False,
        domain=False,
        grid=True,
        labelPadding=6,
        labelOverlap=False,
        labelExpr=f"{json.dumps(names)}[datum.value]",
        # Both columns begin at the same distance, however long their names are.
        minExtent=NAMES_PX - 6,
        maxExtent=NAMES_PX - 6,
    )
    return alt.Y("place:N", scale=alt.Scale(domain=list(names)), title=None, axis=axis)


def _points(
    result: UpperBoundResult,
    rows: Sequence[int],
    styles: dict[str, LineStyle],
    marks: Callable[[Sequence[dict[str, Any]]], alt.Chart],
    across: Callable[[str], alt.X],
) -> list[alt.Chart]:
    records = [
        {**_record(result, row, one.name, one.by_class[row]), "colour": styles[one.name].colour}
        for row in rows
        for one in result.detectors
        if not math.isnan(one.by_class[row])
    ]
    if not records:
        return []
    points = marks(records).mark_point(filled=True, size=32, opacity=1)
    return [points.encode(x=across("value"), color=alt.Color("colour:N", scale=None))]


def _record(result: UpperBoundResult, row: int, who: str, value: float) -> dict[str, Any]:
    one = result.bound.classes[row]
    return {
        "place": str(row),
        "class": one.name,
        "who": who,
        "value": value,
        "text": score(value),
        "uap": score(one.uap),
        "objects": one.n_objects,
    }


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("class:N"),
        alt.Tooltip("who:N", title="of"),
        alt.Tooltip("text:N", title="AP"),
        alt.Tooltip("uap:N", title="UAP"),
        alt.Tooltip("objects:Q", format=","),
    ]
