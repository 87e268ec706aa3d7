"""AP of every detector against the UAP of each class: a row a class (METHODS 4.6)."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.recognition_bound.nearness import best_detector, class_gaps
from boxlens.report.charts.bound_series import (
    BOUND,
    BY_CLASS,
    against_title,
    axis_words,
    detectors_left_out,
    series_styles,
    shown_detectors,
)
from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.method_lines import PAGE_PX, recall_limit
from boxlens.report.charts.panels import message
from boxlens.report.charts.system_lines import KEY_CHARACTERS, key_lines
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    INK,
    PALE,
    WIDTH,
    decimal,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boxlens.recognition_bound.result import UpperBoundResult
    from boxlens.report.charts.method_lines import LineStyle

# What can be read on a page.
MOST_CLASSES: Final = 60
# From here on in two columns.
TWO_COLUMNS: Final = 25
NAME_CHARACTERS: Final = 18
NAMES_PX: Final = 104
ROW_PX: Final = 13
GAP_PX: Final = 18


def bound_by_class_chart(
    result: UpperBoundResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """Classes by their UAP, the highest first; of many, those with the widest gap."""
    title = against_title(result, BY_CLASS)
    known = [row for row, one in enumerate(result.bound.classes) if not math.isnan(one.uap)]
    if not known:
        empty = message("UAP of every class is undefined", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    shown = _shown(result, known)
    styles = series_styles(result)
    n_columns = 2 if len(shown) >= TWO_COLUMNS else 1
    n_lines = -(-len(shown) // n_columns)
    parts = [shown[at : at + n_lines] for at in range(0, len(shown), n_lines)]
    limit = recall_limit(_values(result, shown))
    panels = [_panel(result, part, styles, limit, n_columns) for part in parts]
    colours = {name: style.colour for name, style in styles.items()}
    whole = alt.vconcat(
        *key_lines(colours, width=PAGE_PX - 2 * NAMES_PX),
        alt.hconcat(*panels, spacing=GAP_PX),
        spacing=8,
    )
    return themed(whole, title=title, about=about, reading=_reading(result, known, shown))


def _reading(result: UpperBoundResult, known: Sequence[int], shown: Sequence[int]) -> str:
    reading = "Tick: UAP, what the classifier reaches on the true boxes."
    if result.detectors:
        reading += " Points: detectors."
    best = best_detector(result)
    if best is not None:
        name = short(best.name, KEY_CHARACTERS)
        whom = name if len(result.detectors) == 1 else f"the best, {name},"
        reading += f" Pale: from {whom} to the UAP; right of the tick it is beyond the bound."
    if len(shown) < len(known):
        which = "with the widest gap" if result.detectors else "with the lowest UAP"
        reading += f" The {len(shown)} of {len(known):,} classes {which}."
    n_undefined = len(result.bound.classes) - len(known)
    if n_undefined:
        reading += f" Without objects: {n_undefined:,} more."
    return reading + detectors_left_out(result)


def _shown(result: UpperBoundResult, known: Sequence[int]) -> list[int]:
    classes = result.bound.classes

    gaps = class_gaps(result)

    def told_first(row: int) -> float:
        if not result.detectors:
            return classes[row].uap
        return math.inf if math.isnan(gaps[row]) else -gaps[row]

    kept = sorted(known, key=told_first)[:MOST_CLASSES]
    return sorted(kept, key=lambda row: -classes[row].uap)


def _values(result: UpperBoundResult, shown: Sequence[int]) -> list[float]:
    uaps = [result.bound.classes[row].uap for row in shown]
    return [*uaps, *(one.by_class[row] for one in shown_detectors(result) for row in shown)]


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
        for one in shown_detectors(result)
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
        "text": decimal(value),
        "uap": decimal(one.uap),
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
