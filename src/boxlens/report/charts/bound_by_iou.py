"""UAP and the detectors' AP over the overlap that is asked for (METHODS 4.1)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.bound_series import axis_words, series_styles
from boxlens.report.charts.method_lines import line_encoding, method_key, recall_limit
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, inline
from boxlens.studies.upper_bound.result import BOUND
from boxlens.wording import score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.report.charts.method_lines import LineStyle
    from boxlens.studies.upper_bound.result import UpperBoundResult

PLOT_PX: Final = WIDTH - 40
HEIGHT_PX: Final = 190


def bound_by_iou_chart(result: UpperBoundResult) -> alt.VConcatChart:
    """One line for the bound, and one per detector."""
    styles = series_styles(result)
    plot = _plot(_records(result), styles, axis_words(result))
    return alt.vconcat(*method_key(styles, width=PLOT_PX), plot, spacing=6)


def _records(result: UpperBoundResult) -> list[dict[str, Any]]:
    curves = [(BOUND, result.bound.by_iou)]
    curves += [(one.name, one.by_iou) for one in result.detectors]
    return [
        {"who": who, "iou": round(iou, 6), "ap": ap, "text": score(ap)}
        for who, values in curves
        for iou, ap in values.items()
        if not math.isnan(ap)
    ]


def _plot(
    rows: Sequence[Mapping[str, Any]], styles: Mapping[str, LineStyle], words: str
) -> alt.LayerChart:
    ends = [min(row["iou"] for row in rows), max(row["iou"] for row in rows)]
    # With room above a line that is flat.
    limit = recall_limit(1.02 * row["ap"] for row in rows)
    room = 0.02
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=HEIGHT_PX).encode(
        x=alt.X(
            "iou:Q",
            scale=alt.Scale(domain=[ends[0] - room, ends[1] + room], nice=False),
            axis=alt.Axis(title="IoU", labelExpr=DECIMAL_AXIS, tickCount=6),
        ),
        y=alt.Y(
            "ap:Q",
            scale=alt.Scale(domain=[0, limit], nice=False),
            axis=alt.Axis(title=words, labelExpr=DECIMAL_AXIS, tickCount=5),
        ),
        color=line_encoding(styles, "who")["color"],
        tooltip=[
            alt.Tooltip("who:N", title="of"),
            alt.Tooltip("iou:Q", title="IoU", format=".2f"),
            alt.Tooltip("text:N", title="AP"),
        ],
    )
    return alt.LayerChart(
        layer=[
            plot.mark_line(strokeWidth=1.75, strokeJoin="round"),
            plot.mark_point(filled=True, size=16, opacity=1),
        ]
    )
