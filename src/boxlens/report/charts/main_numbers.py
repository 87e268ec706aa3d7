"""The numbers of a benchmark as points with intervals, a row each, detectors below one another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.detector_pair import FIRST, SECOND, short_labels
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import message, number_column, rows_axis
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boxlens.metrics import DetectorResult

# Of the same palette, as every pair of detectors has them, and some more.
COLOURS = (FIRST, SECOND, *(KINDS[kind].colour for kind in ("correct", "both", "sim", "bg")))
PLOT_PX = 200
NUMBER_PX = 36
ROW_PX = 18
LINE_PX = 9
LABEL_CHARACTERS = 26


def main_numbers_chart(
    detectors: Sequence[DetectorResult], *, level: float, about: str = ""
) -> alt.HConcatChart | alt.LayerChart | alt.Chart:
    """At most as many detectors as there are colours."""
    title = "The main numbers, and how sure they are"
    shown = detectors[: len(COLOURS)]
    metrics = list(shown[0].metrics)
    rows = [row for one in shown for row in _records(one)]
    if not rows:
        empty = message("every number is undefined", width=WIDTH, height=ROW_PX * 4)
        return themed(empty, title=title, about=about)
    reading = (
        f"Dot: the number. Line: {100 * level:g} % interval, by resampling images; it is moved by "
        "the estimated bias, so the dot may lie off its middle."
    )
    if len(shown) < len(detectors):
        reading += f" The first {len(shown)} of {len(detectors)} detectors."
    plot = _points(rows, [one.name for one in shown], metrics)
    if len(shown) > 1:
        return themed(plot, title=title, about=about, reading=reading)
    texts = {name: decimal(value) for name, value in shown[0].metrics.items()}
    column = number_column(texts, title="value", width=NUMBER_PX, row_px=ROW_PX)
    return themed(alt.hconcat(plot, column, spacing=4), title=title, about=about, reading=reading)


def _points(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], metrics: Sequence[str]
) -> alt.LayerChart:
    height = max(ROW_PX, LINE_PX * (len(names) + 1)) * len(metrics)
    scale = alt.Scale(domain=list(names), range=list(COLOURS[: len(names)]))
    legend = alt.Legend(
        title=None,
        orient="top",
        columns=2,
        labelExpr=short_labels(names, LABEL_CHARACTERS),
    )
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=height).encode(
        y=rows_axis("metric", metrics, alt.Axis(ticks=False, domain=False, grid=len(names) > 1)),
        yOffset=alt.YOffset("detector:N", sort=list(names), scale=alt.Scale(paddingOuter=0.6)),
        color=alt.Color(
            "detector:N", scale=scale, sort=list(names), legend=legend if len(names) > 1 else None
        ),
        tooltip=[
            alt.Tooltip("detector:N"),
            alt.Tooltip("metric:N", title="number"),
            alt.Tooltip("text:N", title="value"),
            alt.Tooltip("interval:N"),
        ],
    )

    def at(key: str) -> alt.X:
        axis = alt.Axis(title=None, labelExpr=DECIMAL_AXIS, tickCount=5)
        return alt.X(f"{key}:Q", scale=alt.Scale(zero=True, nice=True), axis=axis)

    return alt.LayerChart(
        layer=[
            plot.mark_rule(strokeWidth=1.75).encode(x=at("low"), x2="high:Q"),
            plot.mark_point(filled=True, size=34, opacity=1).encode(x=at("value")),
        ]
    )


def _records(detector: DetectorResult) -> Iterator[dict[str, Any]]:
    for name, value in detector.metrics.items():
        if math.isnan(value):
            continue
        found = (detector.intervals or {}).get(name)
        known = found is not None and not math.isnan(found.low)
        low, high = (found.low, found.high) if found is not None and known else (value, value)
        yield {
            "detector": detector.name,
            "metric": name,
            "value": value,
            "low": low,
            "high": high,
            "text": decimal(value, 4),
            "interval": f"{decimal(low)} to {decimal(high)}" if known else "n/a",
        }
