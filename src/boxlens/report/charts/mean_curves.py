"""Precision over recall, the mean over classes, a line a detector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.report.charts.detector_pair import short_labels
from boxlens.report.charts.main_numbers import COLOURS, LABEL_CHARACTERS
from boxlens.report.charts.panels import message
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, decimal, inline, themed, threshold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boxlens.metrics.pr_curves import PrCurvesResult

PLOT_PX = 250


def mean_curves_chart(
    curves: Mapping[str, PrCurvesResult], *, about: str = ""
) -> alt.LayerChart | alt.Chart:
    """By the detectors' names; at most as many as there are colours."""
    shown = dict(list(curves.items())[: len(COLOURS)])
    iou = next(iter(shown.values())).iou
    title = f"Precision over recall at IoU {threshold(iou)}"
    rows = [row for name, one in shown.items() for row in _records(name, one)]
    if not rows:
        empty = message("there are no objects that count", width=WIDTH, height=90)
        return themed(empty, title=title, about=about)
    names = list(shown)
    scale = alt.Scale(domain=[0, 1], nice=False)

    def axis(what: str) -> alt.Axis:
        return alt.Axis(title=what, labelExpr=DECIMAL_AXIS, tickCount=5)

    lines = (
        alt.Chart(inline(rows), width=PLOT_PX, height=PLOT_PX)
        .mark_line(strokeWidth=1.75)
        .encode(
            x=alt.X("recall:Q", scale=scale, axis=axis("recall")),
            y=alt.Y("precision:Q", scale=scale, axis=axis("precision")),
            color=alt.Color(
                "detector:N",
                sort=names,
                scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
                legend=alt.Legend(
                    title=None, labelExpr=short_labels(names, LABEL_CHARACTERS), columns=2
                )
                if len(names) > 1
                else None,
            ),
            tooltip=[
                alt.Tooltip("detector:N"),
                alt.Tooltip("recall:Q", format=".2f"),
                alt.Tooltip("text:N", title="precision"),
            ],
        )
    )
    reading = (
        "The best precision at each recall or a higher one, the mean over classes with objects; "
        "a class that never gets so far counts 0."
    )
    return themed(alt.LayerChart(layer=[lines]), title=title, about=about, reading=reading)


def _records(name: str, found: PrCurvesResult) -> Iterator[dict[str, Any]]:
    sampled = [row.sampled()[0] for row in found.classes if row.points.n_positive > 0]
    if not sampled:
        return
    for recall, precision in zip(COCO_RECALLS, np.mean(sampled, axis=0), strict=True):
        yield {
            "detector": name,
            "recall": round(float(recall), 4),
            "precision": float(precision),
            "text": decimal(float(precision)),
        }
