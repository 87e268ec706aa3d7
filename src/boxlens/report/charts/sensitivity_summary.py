"""All characteristics at once: from the worst subset to the best, on average (METHODS 2.5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

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

PLOT_PX = 150
NUMBER_PX = 76
ROW_PX = 20
NUMBER_ROOM_PX = 23
NOTHING_KNOWN = "no characteristic has subsets of enough objects"


def sensitivity_summary_chart(
    result: SensitivityResult, *, about: str | None = None
) -> alt.HConcatChart | alt.Chart:
    """A bar a characteristic, the widest first, with its sensitivity and impact as numbers."""
    title = "What the detector is sensitive to"
    if about is None:
        about = f"{result.detector} on {result.dataset}"
    known = widest_first(result.characteristics)
    if not known:
        return themed(message(NOTHING_KNOWN, width=WIDTH, height=80), title=title, about=about)
    unknown = [row.name for row in result.characteristics if math.isnan(row.sensitivity)]
    return themed(
        spread_panels(known),
        title=title,
        about=about,
        reading=(
            "Bar: AP_N of the worst and the best subset; stroke: of all objects of the same "
            f"classes. Means over {_n_classes(known)} with enough objects. Sensitivity: best - "
            "worst, beside it what chance alone would give; impact: best - all."
            + (f" Too few objects: {', '.join(unknown)}." if unknown else "")
        ),
    )


def widest_first(characteristics: Sequence[Characteristic]) -> list[Characteristic]:
    """Those whose spread is known."""
    known = (row for row in characteristics if not math.isnan(row.sensitivity))
    return sorted(known, key=lambda row: -row.sensitivity)


def spread_panels(
    known: Sequence[Characteristic],
    *,
    plot_px: int = PLOT_PX,
    row_px: int = ROW_PX,
    names_px: int = 0,
) -> alt.HConcatChart:
    """Bars and numbers without their heading; chance is told where it is known."""
    has_chance = not all(math.isnan(row.chance) for row in known)
    sensitivities = {
        row.name: decimal(row.sensitivity) + f" ({decimal(row.chance, 2)})" * has_chance
        for row in known
    }
    impacts = {row.name: decimal(row.impact) for row in known}
    title = "sensitivity (chance)" if has_chance else "sensitivity"
    return alt.hconcat(
        _bars(known, plot_px, row_px, names_px),
        number_column(sensitivities, title=title, width=NUMBER_PX, row_px=row_px),
        number_column(impacts, title="impact", width=NUMBER_PX // 2, row_px=row_px),
        spacing=4,
    )


def _n_classes(known: Sequence[Characteristic]) -> str:
    fewest, most = (pick(row.n_classes for row in known) for pick in (min, max))
    classes = "class" if most == 1 else "classes"
    return f"the {most} {classes}" if fewest == most else f"the {fewest} to {most} {classes}"


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
            alt.Tooltip("lowest:Q", title="AP_N of the worst subset", format=".4f"),
            alt.Tooltip("highest:Q", title="AP_N of the best subset", format=".4f"),
            alt.Tooltip("ap_n:Q", title="AP_N of all objects", format=".4f"),
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
        "low_text": decimal(row.lowest, 2),
        "high_text": decimal(row.highest, 2),
        "chance": decimal(row.chance),
        "n_classes": row.n_classes,
    }
