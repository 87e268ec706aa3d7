"""Which recall foretells mAP? Their correlation at every overlap, a line a detector."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_lines import detector_styles, detector_words, first_detectors
from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.method_lines import LINE_PX, column_heading, line_encoding, line_samples
from boxlens.report.charts.panels import message
from boxlens.report.charts.theme import DECIMAL_AXIS, LINE, WIDTH, decimal, fixed, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.proposals.detection_use.correlation_result import (
        ProposalCorrelationResult,
        RecallCorrelation,
    )
    from boxlens.report.charts.method_lines import LineStyle

PLOT_PX: Final = 340
HEIGHT_PX: Final = 220
COLUMN_PX: Final = 60
NAME_CHARACTERS: Final = 30
# The axis begins at a multiple of this: most correlations are high.
STEP: Final = 0.25


def recall_correlation_chart(
    result: ProposalCorrelationResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """Below the lines the correlations with average recall, the highest first."""
    title = "How recall at each overlap goes with mAP"
    overall = [one for one in result.correlations if not one.class_name]
    styles = detector_styles(one.detector for one in overall)
    shown = [one for one in overall if detector_words(one.detector) in styles]
    rows = _records(shown)
    if not rows:
        empty = message("fewer than three methods have a score", width=WIDTH, height=HEIGHT_PX // 2)
        return themed(empty, title=title, about=about)
    reading = (
        "Pearson's r of mAP with recall at this IoU, over methods. Dashed: with average recall "
        "(AR), which needs no overlap to be chosen. Partial: AR up to an IoU of .7."
    ) + first_detectors(len(shown), len(overall))
    # A list beside them would be out of sight where the page is narrow.
    whole = alt.vconcat(_plot(rows, shown, styles), _list(shown, styles), spacing=14)
    return themed(whole, title=title, about=about, reading=reading)


def _records(shown: Sequence[RecallCorrelation]) -> list[dict[str, Any]]:
    return [
        {
            "detector": detector_words(one.detector),
            "iou": round(iou, 6),
            "r": r,
            "methods": one.n_methods,
        }
        for one in shown
        for iou, r in zip(one.ious.tolist(), one.at_iou.tolist(), strict=True)
        if not math.isnan(r)
    ]


def _plot(
    rows: Sequence[Mapping[str, Any]],
    shown: Sequence[RecallCorrelation],
    styles: Mapping[str, LineStyle],
) -> alt.LayerChart:
    with_ar = [
        {"detector": detector_words(one.detector), "r": one.with_ar}
        for one in shown
        if not math.isnan(one.with_ar)
    ]
    lowest = min(row["r"] for row in (*rows, *with_ar))
    floor = min(STEP * math.floor(lowest / STEP), 1 - STEP)
    y = alt.Y(
        "r:Q",
        scale=alt.Scale(domain=[floor, 1], nice=False),
        axis=alt.Axis(title="r with mAP", labelExpr=DECIMAL_AXIS, tickCount=5),
    )
    colour = line_encoding(styles, "detector")["color"]
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=HEIGHT_PX).encode(
        x=alt.X(
            "iou:Q",
            scale=alt.Scale(domain=[0.5, 1], nice=False),
            axis=alt.Axis(title="recall at an IoU of", labelExpr=DECIMAL_AXIS, tickCount=5),
        ),
        y=y,
        color=colour,
        tooltip=[
            alt.Tooltip("detector:N"),
            alt.Tooltip("iou:Q", title="IoU", format=".3f"),
            alt.Tooltip("r:Q", format=".3f"),
            alt.Tooltip("methods:Q"),
        ],
    )
    average = (
        alt.Chart(inline(with_ar))
        .mark_rule(strokeWidth=1.25, strokeDash=[4, 3])
        .encode(y=y, color=colour, tooltip=[alt.Tooltip("detector:N"), _with_ar_tip()])
    )
    return alt.LayerChart(
        layer=[
            *([average] if with_ar else []),
            plot.mark_line(strokeWidth=1.5, strokeJoin="round"),
            plot.mark_point(filled=True, size=10, opacity=1),
        ],
        view=alt.ViewConfig(stroke=LINE, strokeWidth=0.5),
    )


def _with_ar_tip() -> alt.Tooltip:
    return alt.Tooltip("r:Q", title="r with AR", format=".3f")


def _list(shown: Sequence[RecallCorrelation], styles: Mapping[str, LineStyle]) -> alt.LayerChart:
    height = LINE_PX * len(shown)
    ordered = sorted(shown, key=lambda one: (math.isnan(one.with_ar), -one.with_ar))
    rows = [
        {
            "method": detector_words(one.detector),
            "text": short(detector_words(one.detector), NAME_CHARACTERS),
            "ar": decimal(one.with_ar),
            "partial": decimal(one.with_partial_ar),
            "x": 0,
            "y": LINE_PX * (at + 0.5),
        }
        for at, one in enumerate(ordered)
    ]
    plot = alt.Chart(inline(rows)).encode(
        y=alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[height, 0], nice=False))
    )
    columns = (("ar", "r with AR", PLOT_PX - COLUMN_PX), ("partial", "partial", PLOT_PX))
    listed: alt.LayerChart = alt.LayerChart(
        layer=[
            *line_samples(rows, styles, width=PLOT_PX, height=height),
            *(
                plot.mark_text(align="right", baseline="middle").encode(
                    x=fixed(alt.XValue, x), text=f"{field}:N"
                )
                for field, _, x in columns
            ),
            *(column_heading(words, x) for _, words, x in columns),
        ]
    ).properties(width=PLOT_PX, height=height)
    return listed
