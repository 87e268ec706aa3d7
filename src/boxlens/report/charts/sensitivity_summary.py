"""All characteristics at once: from the worst subset to the best, on average (METHODS 2.5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.panels import number_column, rows_axis
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    INK,
    PALE,
    SOFT_INK,
    inline,
)
from boxlens.wording import score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.studies.sensitivity.result import Characteristic

PLOT_PX = 150
NUMBER_PX = 76
ROW_PX = 20
NUMBER_ROOM_PX = 34


def sensitivity_summary_chart(
    known: Sequence[Characteristic],
    *,
    plot_px: int = PLOT_PX,
    row_px: int = ROW_PX,
    names_px: int = 0,
) -> alt.HConcatChart:
    """A bar per characteristic, with its sensitivity and impact as numbers; chance where known."""
    has_chance = not all(math.isnan(row.chance) for row in known)
    sensitivities = {
        row.name: score(row.sensitivity) + f" ({score(row.chance)})" * has_chance for row in known
    }
    impacts = {row.name: score(row.impact) for row in known}
    title = "sensitivity (chance)" if has_chance else "sensitivity"
    return alt.hconcat(
        _bars(known, plot_px, row_px, names_px),
        number_column(sensitivities, title=title, width=NUMBER_PX, row_px=row_px),
        number_column(impacts, title="impact", width=NUMBER_PX // 2, row_px=row_px),
        spacing=4,
    )


def _bars(
    known: Sequence[Characteristic], plot_px: int, row_px: int, names_px: int
) -> alt.LayerChart:
    # Numbers stand at both ends of a bar; one that begins near 0 needs room beside the names.
    limit = max(max(row.highest for row in known) * 1.25, 0.05)
    begins_px = min(row.lowest for row in known) / limit * plot_px
    padding = max(3, round(NUMBER_ROOM_PX - begins_px))
    y_axis = alt.Axis(ticks=False, domain=False, labelPadding=padding, minExtent=names_px)
    x_axis = alt.Axis(title="AP_N", labelExpr=DECIMAL_AXIS, tickCount=4)

    def at(key: str) -> alt.X:
        return alt.X(f"{key}:Q", scale=alt.Scale(domain=[0, limit], nice=False), axis=x_axis)

    plot = alt.Chart(inline(map(_record, known)), width=plot_px, height=row_px * len(known)).encode(
        y=rows_axis("name", [row.name for row in known], y_axis),
        tooltip=[
            alt.Tooltip("name:N", title="characteristic"),
            alt.Tooltip("lowest:Q", title="AP_N of the worst subset", format=".3f"),
            alt.Tooltip("highest:Q", title="AP_N of the best subset", format=".3f"),
            alt.Tooltip("ap_n:Q", title="AP_N of all objects", format=".3f"),
            alt.Tooltip("chance:N", title="sensitivity by chance"),
            alt.Tooltip("n_classes:Q", title="classes", format=","),
        ],
    )
    words: dict[str, Any] = {"fontSize": FONT_PX - 1, "color": SOFT_INK}
    return alt.LayerChart(
        layer=[
            plot.mark_bar(color=PALE, height=11).encode(x=at("lowest"), x2="highest:Q"),
            plot.mark_tick(color=INK, thickness=1.5, height=11).encode(x=at("ap_n")),
            plot.mark_text(align="right", dx=-3, **words).encode(x=at("lowest"), text="low_text:N"),
            plot.mark_text(align="left", dx=3, **words).encode(x=at("highest"), text="high_text:N"),
        ]
    )


def _record(row: Characteristic) -> dict[str, Any]:
    return {
        "name": row.name,
        "lowest": row.lowest,
        "highest": row.highest,
        "ap_n": row.ap_n,
        "low_text": score(row.lowest),
        "high_text": score(row.highest),
        "chance": score(row.chance),
        "n_classes": row.n_classes,
    }
