"""What is wrong with the top false positives of each class, and which classes they fall on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import number_column, rows_axis
from boxlens.report.charts.selecting import TOP, picks
from boxlens.report.charts.theme import fixed, inline
from boxlens.studies.diagnosis.hoiem_types import FP_TYPES
from boxlens.wording import count, share

if TYPE_CHECKING:
    from boxlens.studies.diagnosis.hoiem import HoiemClass

PLOT_PX = 110
NAMES_PX = 150
ROW_PX = 15
TYPES = tuple(kind.label for kind in FP_TYPES)


def fp_by_class_chart(shown: list[HoiemClass]) -> alt.HConcatChart:
    """A bar per class, and beside it the classes that take a tenth or more of its errors."""
    return alt.hconcat(
        _bars(shown),
        number_column(
            {row.name: count(sum(row.top_fp.values())) for row in shown},
            title="errors",
            width=34,
            row_px=ROW_PX,
        ),
        _confusions(shown),
        spacing=4,
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
            "text": ", ".join(f"{item.other} {share(item.share)}" for item in row.confusions),
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
