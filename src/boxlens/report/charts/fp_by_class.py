"""What is wrong with the top false positives of each class, and which classes they fall on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from boxlens.diagnosis.hoiem_types import FP_TYPES
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import message, number_column, rows_axis
from boxlens.report.charts.selecting import TOP, picks
from boxlens.report.charts.theme import (
    WIDTH,
    fixed,
    inline,
    percent,
    themed,
)

if TYPE_CHECKING:
    from boxlens.diagnosis.hoiem import HoiemClass, HoiemResult

MOST_CLASSES = 24
PLOT_PX = 110
NAMES_PX = 150
ROW_PX = 15
TYPES = tuple(kind.label for kind in FP_TYPES)


def fp_by_class_chart(
    result: HoiemResult, *, about: str = "", most_classes: int = MOST_CLASSES
) -> alt.HConcatChart | alt.Chart:
    """A bar a class, and beside it the classes that take a tenth or more of its errors."""
    title = "What is wrong with each class"
    known = [row for row in result.classes if sum(row.top_fp.values())]
    if not known:
        empty = message("no false positives among the top detections", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    most = sorted(known, key=lambda row: -sum(row.top_fp.values()))[:most_classes]
    shown = [row for row in known if row in most]
    reading = "Kinds of the top false positives; right: their number, and who takes 10% or more."
    if len(shown) < len(known):
        reading += f" The {len(shown)} of {len(known)} classes with most of them."
    return themed(
        alt.hconcat(
            _bars(shown),
            number_column(
                {row.name: f"{sum(row.top_fp.values()):,}" for row in shown},
                title="errors",
                width=34,
                row_px=ROW_PX,
            ),
            _confusions(shown),
            spacing=4,
        ),
        title=title,
        about=about,
        reading=reading,
    )


def _bars(shown: list[HoiemClass]) -> alt.Chart:
    rows = [
        {
            "class": row.name,
            "kind": KINDS[kind].label,
            "n": row.top_fp[kind],
            "share": row.top_fp[kind] / sum(row.top_fp.values()),
            "order": order,
            **picks(
                f"{row.name}, {KINDS[kind].label}",
                row.top_fp[kind],
                terms={"class": row.name, "hoiem": kind, "top": TOP},
            ),
        }
        for row in shown
        for order, kind in enumerate(TYPES)
    ]
    chosen = alt.selection_point(name="chosen_kind", fields=["kind"], bind="legend")
    bars: alt.Chart = (
        alt.Chart(inline(rows), width=PLOT_PX, height=ROW_PX * len(shown), name="bars")
        .mark_bar()
        .encode(
            y=rows_axis("class", [row.name for row in shown], alt.Axis(ticks=False, domain=False)),
            x=alt.X(
                "share:Q",
                title="share of the top false positives",
                axis=alt.Axis(format="%", tickCount=4),
                scale=alt.Scale(domain=[0, 1]),
            ),
            order="order:Q",
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(
                    domain=[KINDS[kind].label for kind in TYPES],
                    range=[KINDS[kind].colour for kind in TYPES],
                ),
                legend=alt.Legend(title=None, orient="bottom", columns=4),
            ),
            opacity=alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.2)),
            tooltip=["class:N", "kind:N", "n:Q", alt.Tooltip("share:Q", format=".1%")],
        )
        .add_params(chosen)
    )
    return bars


def _confusions(shown: list[HoiemClass]) -> alt.Chart:
    rows = [
        {
            "class": row.name,
            "text": ", ".join(f"{item.other} {percent(item.share)}" for item in row.confusions),
        }
        for row in shown
    ]
    column: alt.Chart = (
        alt.Chart(inline(rows), width=NAMES_PX, height=ROW_PX * len(shown))
        .mark_text(align="left", limit=NAMES_PX)
        .encode(
            y=rows_axis("class", [row.name for row in shown], None),
            x=fixed(alt.XValue, 0),
            text="text:N",
            tooltip=["class:N", "text:N"],
        )
    )
    return column
