"""The first number of a protocol for each class: a dot a detector, the worst classes first."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.detector_pair import short, short_labels
from boxlens.report.charts.main_numbers import COLOURS, LABEL_CHARACTERS
from boxlens.report.charts.panels import message, rows_axis
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.metrics import DetectorResult, EvaluationResult

PLOT_PX = 230
ROW_PX = 13
# Of more classes, the worst and the best halves of so many.
MOST_CLASSES = 30


def class_scores_chart(result: EvaluationResult) -> alt.Chart:
    """At most as many detectors as there are colours."""
    detectors = result.detectors[: len(COLOURS)]
    metric = next(iter(detectors[0].metrics))
    title = f"{metric} of each class"
    who = detectors[0].name if len(result.detectors) == 1 else f"{len(result.detectors)} detectors"
    about = f"{who} on {result.dataset}, {result.protocol}"
    ranked = _ranked(detectors, metric)
    if not ranked:
        empty = message(f"{metric} of every class is undefined", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    shown = ranked
    reading = "By the best detector, the worst class first." if len(detectors) > 1 else ""
    if len(ranked) > MOST_CLASSES:
        half = MOST_CLASSES // 2
        shown = [*ranked[:half], *ranked[-half:]]
        reading += f" The worst and the best {half} of {len(ranked)} classes."
    return themed(
        _dots(detectors, metric, shown), title=title, about=about, reading=reading.strip()
    )


def _ranked(detectors: Sequence[DetectorResult], metric: str) -> list[int]:
    """Rows of classes with a number, by the best detector's."""
    best: dict[int, float] = {}
    for one in detectors:
        for row, of_class in enumerate(one.classes):
            value = of_class.metrics.get(metric, math.nan)
            if not math.isnan(value):
                best[row] = max(best.get(row, value), value)
    return sorted(best, key=lambda row: best[row])


def _dots(detectors: Sequence[DetectorResult], metric: str, shown: Sequence[int]) -> alt.Chart:
    names = [one.name for one in detectors]
    rows: list[dict[str, Any]] = [
        {
            "place": str(place),
            "class": one.classes[row].name,
            "detector": one.name,
            "value": one.classes[row].metrics[metric],
            "text": decimal(one.classes[row].metrics[metric]),
            "objects": one.classes[row].n_gt,
        }
        for one in detectors
        for place, row in enumerate(shown)
        if not math.isnan(one.classes[row].metrics.get(metric, math.nan))
    ]
    # Places, not names: two classes may be called alike.
    labels = {str(place): detectors[0].classes[row].name for place, row in enumerate(shown)}
    legend = alt.Legend(
        title=None, orient="top", columns=2, labelExpr=short_labels(names, LABEL_CHARACTERS)
    )
    chart: alt.Chart = (
        alt.Chart(inline(rows), width=PLOT_PX, height=ROW_PX * len(shown))
        .mark_point(filled=True, size=32, opacity=1)
        .encode(
            x=alt.X(
                "value:Q",
                scale=alt.Scale(zero=True, nice=True),
                axis=alt.Axis(title=metric, labelExpr=DECIMAL_AXIS, tickCount=5),
            ),
            y=rows_axis("place", list(labels), _names_axis(labels)),
            color=alt.Color(
                "detector:N",
                scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
                sort=names,
                legend=legend if len(names) > 1 else None,
            ),
            tooltip=[
                alt.Tooltip("class:N"),
                alt.Tooltip("detector:N"),
                alt.Tooltip("text:N", title=metric),
                alt.Tooltip("objects:Q", format=","),
            ],
        )
    )
    return chart


def _names_axis(labels: dict[str, str]) -> alt.Axis:
    shown = json.dumps({place: short(name, LABEL_CHARACTERS) for place, name in labels.items()})
    return alt.Axis(
        ticks=False, domain=False, grid=True, labelPadding=6, labelExpr=f"{shown}[datum.value]"
    )
