"""AP gained by each fix of a scheme in every order of them, not only when it comes first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from boxlens.report.charts.kinds import kind_of
from boxlens.report.charts.panels import number_column, rows_axis
from boxlens.report.charts.selecting import picks
from boxlens.report.charts.theme import DECIMAL_AXIS, INK, PALE, inline
from boxlens.studies.diagnosis.crosswalk import DET_LABELS, GT_LABELS
from boxlens.wording import share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.studies.diagnosis.orders import RepairGain

PLOT_PX = 172
SHARE_PX = 56
ROW_PX = 22


def repair_orders_chart(orders: Sequence[RepairGain], scheme: str) -> alt.HConcatChart:
    """Lowest to highest gain of each fix, its gain first and last, and the mean."""
    known = [row for row in orders if not math.isnan(row.mean)]
    rows = [
        {
            "kind": kind_of(row.name).label,
            "colour": kind_of(row.name).colour,
            "first": row.first,
            "last": row.last,
            "lowest": row.lowest,
            "highest": row.highest,
            "mean": row.mean,
            **_picked(scheme, row.name),
        }
        for row in known
    ]
    shares = {kind_of(row.name).label: share(row.share_largest) for row in known}
    return alt.hconcat(
        _ranges(rows),
        number_column(shares, title="adds most", width=SHARE_PX, row_px=ROW_PX),
        spacing=6,
    )


def _picked(scheme: str, name: str) -> dict[str, str]:
    """The errors that a fix is of; nothing where the scheme has no such label."""
    if name in DET_LABELS.get(scheme, ()):
        return picks(kind_of(name).label, None, terms={scheme: name})
    if name in GT_LABELS.get(scheme, ()):
        return picks(kind_of(name).label, None, of="objects", terms={scheme: name})
    return {}


def _ranges(rows: list[dict[str, Any]]) -> alt.LayerChart:
    x_axis = alt.Axis(labelExpr=DECIMAL_AXIS, tickCount=5)
    # The names keep clear of a mark at 0.
    y_axis = alt.Axis(ticks=False, domain=False, labelPadding=9)
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=ROW_PX * len(rows)).encode(
        y=rows_axis("kind", [row["kind"] for row in rows], y_axis),
        tooltip=[
            alt.Tooltip("kind:N", title="fix"),
            *(
                alt.Tooltip(f"{key}:Q", format=".3f")
                for key in ("first", "last", "lowest", "highest", "mean")
            ),
        ],
    )

    def at(key: str) -> alt.X:
        return alt.X(f"{key}:Q", title="AP gained", axis=x_axis)

    return alt.LayerChart(
        layer=[
            plot.mark_bar(color=PALE, height=9).encode(x=at("lowest"), x2="highest:Q"),
            plot.mark_tick(color=INK, thickness=1.5, height=15).encode(x=at("mean")),
            plot.mark_point(filled=True, size=42, opacity=1).encode(
                x=at("first"), color=alt.Color("colour:N", scale=None)
            ),
            plot.mark_point(filled=True, fill="white", size=36, strokeWidth=1.5, opacity=1).encode(
                x=at("last"), stroke=alt.Stroke("colour:N", scale=None)
            ),
        ]
    )
