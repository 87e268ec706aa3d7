"""All characteristics at once: from the worst subset to the best, on average (METHODS 2.5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import altair as alt

from boxlens.report.charts.panels import message, number_column, rows_axis
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    INK,
    PALE,
    SOFT_INK,
    WIDTH,
    decimal,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.object_sensitivity.results import Characteristic, SensitivityResult

PLOT_PX = 164
NUMBER_PX = 54
ROW_PX = 20
NUMBER_ROOM_PX = 23


def sensitivity_summary_chart(
    result: SensitivityResult, *, about: str | None = None
) -> alt.HConcatChart | alt.Chart:
    """A bar a characteristic, with its sensitivity and impact as numbers."""
    title = "What the detector is sensitive to"
    if about is None:
        about = f"{result.detector} on {result.dataset}"
    known = [row for row in result.characteristics if not math.isnan(row.sensitivity)]
    if not known:
        why = "no characteristic has subsets of enough objects"
        return themed(message(why, width=WIDTH, height=80), title=title, about=about)
    unknown = [row.name for row in result.characteristics if math.isnan(row.sensitivity)]
    sensitivities = {row.name: decimal(row.sensitivity) for row in known}
    impacts = {row.name: decimal(row.impact) for row in known}
    return themed(
        alt.hconcat(
            _bars(known, result.ap_n),
            number_column(sensitivities, title="sensitivity", width=NUMBER_PX, row_px=ROW_PX),
            number_column(impacts, title="impact", width=NUMBER_PX, row_px=ROW_PX),
            spacing=4,
        ),
        title=title,
        about=f"{about}, AP_N {decimal(result.ap_n)}",
        reading=(
            "Bar: AP_N of the worst and the best subset, mean over classes. Dashed: all objects. "
            "Sensitivity: best - worst; impact: best - all."
            + (f" Too few objects: {', '.join(unknown)}." if unknown else "")
        ),
    )


def _bars(known: Sequence[Characteristic], overall: float) -> alt.LayerChart:
    rows = [
        {
            "name": row.name,
            "lowest": row.lowest,
            "highest": row.highest,
            "ap_n": row.ap_n,
            "low_text": decimal(row.lowest, 2),
            "high_text": decimal(row.highest, 2),
        }
        for row in known
    ]
    # Numbers stand at both ends of a bar; one that begins near 0 needs room beside the names.
    limit = max(max(row.highest for row in known) * 1.2, 0.05)
    begins_px = min(row.lowest for row in known) / limit * PLOT_PX
    padding = max(3, round(NUMBER_ROOM_PX - begins_px))
    y_axis = alt.Axis(ticks=False, domain=False, labelPadding=padding)
    x_axis = alt.Axis(title="AP_N", labelExpr=DECIMAL_AXIS, tickCount=4)

    def at(key: str) -> alt.X:
        return alt.X(f"{key}:Q", scale=alt.Scale(domain=[0, limit], nice=False), axis=x_axis)

    plot = alt.Chart(inline(rows), width=PLOT_PX, height=ROW_PX * len(rows)).encode(
        y=rows_axis("name", [row.name for row in known], y_axis),
        tooltip=[
            alt.Tooltip("name:N", title="characteristic"),
            alt.Tooltip("lowest:Q", title="AP_N of the worst subset", format=".4f"),
            alt.Tooltip("highest:Q", title="AP_N of the best subset", format=".4f"),
            alt.Tooltip("ap_n:Q", title="AP_N of all objects", format=".4f"),
        ],
    )
    line = alt.Chart(inline([] if math.isnan(overall) else [{"ap_n": overall}]))
    return alt.LayerChart(
        layer=[
            plot.mark_bar(color=PALE, height=11).encode(x=at("lowest"), x2="highest:Q"),
            line.mark_rule(color=INK, strokeDash=[3, 2], strokeWidth=0.75).encode(x=at("ap_n")),
            # Of the classes with enough objects, which may be fewer than all.
            plot.mark_tick(color=INK, thickness=1.5, height=11).encode(x=at("ap_n")),
            plot.mark_text(align="right", dx=-3, fontSize=FONT_PX - 1, color=SOFT_INK).encode(
                x=at("lowest"), text="low_text:N"
            ),
            plot.mark_text(align="left", dx=3, fontSize=FONT_PX - 1, color=SOFT_INK).encode(
                x=at("highest"), text="high_text:N"
            ),
        ]
    )
