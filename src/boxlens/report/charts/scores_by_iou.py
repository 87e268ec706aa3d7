"""How scores rise with the overlap of detections and objects: a line a detector (METHODS 6.8)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_lines import detector_styles, first_detectors
from boxlens.report.charts.method_lines import line_encoding, method_key
from boxlens.report.charts.panels import message
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.proposals.detection_use.oracle_result import DetectorScores
    from boxlens.report.charts.method_lines import LineStyle

PLOT_PX: Final = WIDTH
HEIGHT_PX: Final = 190
# More would cover each other.
MOST_BANDS: Final = 3


def scores_by_iou_chart(
    scores: Sequence[DetectorScores], *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """Bands between quarters of the classes, where they do not cover each other."""
    title = "How scores rise with the overlap"
    styles = detector_styles(one.detector for one in scores)
    rows = [row for one in scores if one.detector in styles for row in _records(one)]
    if not rows:
        empty = message("no detection overlaps an object", width=WIDTH, height=HEIGHT_PX // 2)
        return themed(empty, title=title, about=about)
    reading = (
        "Mean score of detections by their IoU with an object, from 0 to 1 in every class, then "
        "the mean of classes."
    )
    banded = len(styles) <= MOST_BANDS
    if banded:
        reading += " Band: half the distance between the quarters of the classes, up and down."
    reading += first_detectors(len(styles), len(scores))
    whole = alt.vconcat(
        *method_key(styles, width=PLOT_PX), _plot(rows, styles, banded=banded), spacing=6
    )
    return themed(whole, title=title, about=about, reading=reading)


def _records(one: DetectorScores) -> list[dict[str, Any]]:
    """In the middle of each bin that has detections."""
    by = one.by_iou
    edges, found = by.edges.tolist(), zip(by.mean.tolist(), by.spread.tolist(), strict=True)
    return [
        {
            "detector": one.detector,
            "iou": round((edges[at] + edges[at + 1]) / 2, 6),
            "bin": f"{edges[at]:.2f} to {edges[at + 1]:.2f}",
            "score": mean,
            "low": mean if math.isnan(spread) else max(mean - spread, 0),
            "high": mean if math.isnan(spread) else min(mean + spread, 1),
            "n": by.n_detections[at],
        }
        for at, (mean, spread) in enumerate(found)
        if not math.isnan(mean)
    ]


def _plot(
    rows: Sequence[Mapping[str, Any]], styles: Mapping[str, LineStyle], *, banded: bool
) -> alt.LayerChart:
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=HEIGHT_PX).encode(
        x=alt.X(
            "iou:Q",
            scale=alt.Scale(domain=[0.2, 1], nice=False),
            axis=alt.Axis(title="IoU with the object", labelExpr=DECIMAL_AXIS, tickCount=8),
        ),
        color=line_encoding(styles, "detector")["color"],
    )

    def up(field: str) -> alt.Y:
        axis = alt.Axis(title="scaled score", labelExpr=DECIMAL_AXIS, tickCount=5)
        return alt.Y(f"{field}:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=axis)

    band = plot.mark_area(opacity=0.15, strokeWidth=0).encode(y=up("low"), y2="high:Q")
    lines = plot.encode(
        y=up("score"),
        tooltip=[
            alt.Tooltip("detector:N"),
            alt.Tooltip("bin:N", title="IoU"),
            alt.Tooltip("score:Q", title="scaled score", format=".3f"),
            alt.Tooltip("n:Q", title="detections", format=","),
        ],
    )
    return alt.LayerChart(
        layer=[
            *([band] if banded else []),
            lines.mark_line(strokeWidth=1.75, strokeJoin="round"),
            lines.mark_point(filled=True, size=14, opacity=1),
        ]
    )
