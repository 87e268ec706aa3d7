"""Do systems fail on classes that are hard? A dot a class, a line a system (METHODS 3.7)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.system_lines import (
    MEASURE_WORDS,
    columns_of,
    defined_measures,
    key_lines,
    panel_grid,
    score_words,
    system_colours,
    titled_score,
    without_score,
)
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    LINE,
    WIDTH,
    decimal,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.dataset_difficulty.accuracy import ScoreName
    from boxlens.dataset_difficulty.correlations import Correlation
    from boxlens.dataset_difficulty.measures import MeasureName
    from boxlens.dataset_difficulty.result import DifficultyResult

PANEL_PX: Final = 92
# Correlations above a panel, side by side.
PER_LINE: Final = 2
R_PX: Final = 46
LINE_PX: Final = 11
MANY_CLASSES: Final = 200


def score_by_measure_chart(
    result: DifficultyResult, score: ScoreName, *, linked: bool, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """`linked`: in the app a click on a dot shows the objects of its class."""
    title = f"{titled_score(result, score)} of classes against every measure of difficulty"
    colours = system_colours(result)
    rows = _records(result, score, colours, linked=linked)
    measures = [
        name
        for name in defined_measures(result.datasets[:1])
        if any(row[name] is not None for row in rows)
    ]
    if not rows or not measures:
        empty = message("no class has both a score and a measure", width=WIDTH, height=PANEL_PX)
        return themed(empty, title=title, about=about)
    n_columns = columns_of(len(measures))
    panels = [
        _panel(rows, result, score, measure, colours, first=at % n_columns == 0)
        for at, measure in enumerate(measures)
    ]
    reading = (
        "A dot a class; line: least squares; above each panel Pearson's r of every system, in its "
        "colour. Hard are low scale and CPL, and high values of all others."
    )
    if len(colours) < len(result.systems):
        reading += f" The first {len(colours)} of {len(result.systems)} systems."
    reading += without_score(result, score)
    drawn = {row["system"] for row in rows}
    key = key_lines({name: colour for name, colour in colours.items() if name in drawn})
    return themed(panel_grid(key, panels, n_columns), title=title, about=about, reading=reading)


def _records(
    result: DifficultyResult, score: ScoreName, colours: Mapping[str, str], *, linked: bool
) -> list[dict[str, Any]]:
    """One a class and system, with all its measures, since all panels share them."""
    measures = defined_measures(result.datasets[:1])
    rows: list[dict[str, Any]] = []
    # Class by class, so that no system lies on top of all others.
    for row, one in enumerate(result.datasets[0].classes):
        address = picks(one.name, None, of="objects", terms={"class": one.name})
        links = address if linked else {}
        for system in result.systems[: len(colours)]:
            value = system.classes[row].scores.get(score, math.nan)
            if math.isnan(value):
                continue
            values = {name: one.value(name) for name in measures}
            rows.append(
                {
                    "class": one.name,
                    "system": system.name,
                    "colour": colours[system.name],
                    "score": value,
                    "text": decimal(value),
                    "objects": one.n_objects,
                    **{name: None if math.isnan(at) else at for name, at in values.items()},
                    **links,
                }
            )
    return rows


def _panel(
    rows: Sequence[Mapping[str, Any]],
    result: DifficultyResult,
    score: ScoreName,
    measure: MeasureName,
    colours: Mapping[str, str],
    *,
    first: bool,
) -> alt.LayerChart:
    words = score_words(result, score)
    known = [row[measure] for row in rows if row[measure] is not None]
    ends = min(known), max(known)
    found = [
        one
        for one in result.correlations
        if one.score == score and one.measure == measure and one.system in colours
    ]
    x, y = _axes(ends, max(row["score"] for row in rows), words if first else None)
    many = len(result.datasets[0].classes) > MANY_CLASSES
    lines = (
        alt.Chart(inline(_lines(found, ends, colours)))
        .mark_line(strokeWidth=1.75, clip=True)
        .encode(
            x=alt.X("x:Q", **x),
            y=alt.Y("y:Q", **y),
            color=alt.Color("colour:N", scale=None),
            detail="system:N",
        )
    )
    n_lines = -(-len(found) // PER_LINE)
    layers = alt.LayerChart(
        layer=[_dots(rows, words, measure, x, y, many=many), lines, _told(found, colours, n_lines)]
    )
    title = panel_title(MEASURE_WORDS[measure])
    title.offset = 2
    titled: alt.LayerChart = layers.properties(
        title=title, view=alt.ViewConfig(stroke=LINE, strokeWidth=0.5)
    )
    return titled


def _axes(
    ends: tuple[float, float], highest: float, y_title: str | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Scales and axes of both directions, which dots and lines share."""
    room = 0.04 * (ends[1] - ends[0]) or 0.05
    x_scale = alt.Scale(domain=[ends[0] - room, ends[1] + room], nice=False)
    y_scale = alt.Scale(domain=[0, 1.02 * max(1e-6, highest)], nice=False, clamp=True)
    x_axis = alt.Axis(title=None, labelExpr=DECIMAL_AXIS, tickCount=3)
    y_axis = alt.Axis(
        title=y_title, labelExpr=DECIMAL_AXIS, tickCount=4, labels=y_title is not None
    )
    return {"scale": x_scale, "axis": x_axis}, {"scale": y_scale, "axis": y_axis}


def _dots(
    rows: Sequence[Mapping[str, Any]],
    words: str,
    measure: MeasureName,
    x: Mapping[str, Any],
    y: Mapping[str, Any],
    *,
    many: bool,
) -> alt.Chart:
    """One a class and system."""
    dots: alt.Chart = (
        alt.Chart(inline(rows), width=PANEL_PX, height=PANEL_PX)
        .transform_filter(f"isValid(datum.{measure})")
        .mark_point(filled=True, size=6 if many else 14, opacity=0.35 if many else 0.55)
        .encode(
            x=alt.X(f"{measure}:Q", **x),
            y=alt.Y("score:Q", **y),
            color=alt.Color("colour:N", scale=None),
            tooltip=[
                alt.Tooltip("class:N"),
                alt.Tooltip("system:N"),
                alt.Tooltip("text:N", title=words),
                alt.Tooltip(f"{measure}:Q", title=MEASURE_WORDS[measure], format=".3f"),
                alt.Tooltip("objects:Q", format=","),
            ],
        )
    )
    return dots


def _lines(
    found: Sequence[Correlation], ends: tuple[float, float], colours: Mapping[str, str]
) -> list[dict[str, Any]]:
    return [
        {
            "system": one.system,
            "colour": colours[one.system],
            "x": x,
            "y": one.intercept + one.slope * x,
        }
        for one in found
        if not math.isnan(one.slope)
        for x in ends
    ]


def _told(found: Sequence[Correlation], colours: Mapping[str, str], n_lines: int) -> alt.Chart:
    """Between the panel and its title."""
    rows = [
        {
            "text": f"r {decimal(one.pearson, 2)}",
            "colour": colours[one.system],
            "x": R_PX * (at % PER_LINE),
            "y": -LINE_PX * (n_lines - at // PER_LINE) + 6,
            "system": one.system,
            "interval": f"{decimal(one.pearson_low)} to {decimal(one.pearson_high)}",
            "spearman": decimal(one.spearman),
            "classes": one.n_classes,
        }
        for at, one in enumerate(found)
    ]
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_text(align="left", fontSize=FONT_PX - 1, baseline="middle")
        .encode(
            x=alt.X("x:Q", scale=None),
            y=alt.Y("y:Q", scale=None),
            text="text:N",
            color=alt.Color("colour:N", scale=None),
            tooltip=[
                alt.Tooltip("system:N"),
                alt.Tooltip("interval:N", title="r, 95 %"),
                alt.Tooltip("spearman:N"),
                alt.Tooltip("classes:Q", format=","),
            ],
        )
    )
    return chart
