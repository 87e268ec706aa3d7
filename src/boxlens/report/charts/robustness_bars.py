"""Bars of scores, one row per step, one bar per detector; strokes: the unchanged pictures."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.method_lines import above_panel
from boxlens.report.charts.panels import rows_axis
from boxlens.report.charts.theme import DECIMAL_AXIS, INK, inline
from boxlens.wording import score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.report.charts.method_lines import LineStyle

BAR_PX: Final = 8
LEAST_ROW_PX: Final = 15
LABELS_PX: Final = 150


@dataclass(frozen=True, slots=True)
class Bar:
    """A score of a detector in a row; NaN: no bar."""

    row: str
    detector: str
    value: float
    # The same number of the unchanged pictures; NaN: no stroke.
    clean: float


def bar_panel(
    bars: Sequence[Bar],
    labels: Mapping[str, str],
    styles: Mapping[str, LineStyle],
    *,
    title: str,
    number: str,
    width: int,
    named: bool,
) -> alt.LayerChart:
    """`labels` are of all rows, in their order; `named`: they are written beside the panel."""
    row_px = max(LEAST_ROW_PX, BAR_PX * len(styles) + 5)
    records = [_record(bar, labels) for bar in bars]
    plot = alt.Chart(inline(records), width=width, height=row_px * len(labels)).encode(
        y=rows_axis("row", list(labels), _names(labels, named=named)),
        yOffset=alt.YOffset(
            "detector:N", sort=list(styles), scale=alt.Scale(domain=list(styles), paddingInner=0.1)
        ),
        tooltip=[
            alt.Tooltip("what:N", title="pictures"),
            alt.Tooltip("detector:N"),
            alt.Tooltip("text:N", title=number),
            alt.Tooltip("clean_text:N", title="unchanged"),
        ],
    )
    limit = _limit([*(bar.value for bar in bars), *(bar.clean for bar in bars)])
    x = alt.X(
        "value:Q",
        scale=alt.Scale(domain=[0, limit], nice=False),
        axis=alt.Axis(title=None, labelExpr=DECIMAL_AXIS, tickCount=5),
    )
    colours = alt.Scale(domain=list(styles), range=[one.colour for one in styles.values()])
    return alt.LayerChart(
        layer=[
            plot.mark_bar().encode(x=x, color=alt.Color("detector:N", scale=colours, legend=None)),
            plot.mark_tick(color=INK, thickness=1.5, bandSize=BAR_PX).encode(x="clean:Q"),
            above_panel(title),
        ]
    )


def _record(bar: Bar, labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "row": bar.row,
        "what": labels[bar.row],
        "detector": bar.detector,
        "value": None if math.isnan(bar.value) else bar.value,
        "clean": None if math.isnan(bar.clean) else bar.clean,
        "text": score(bar.value),
        "clean_text": score(bar.clean),
    }


def _names(labels: Mapping[str, str], *, named: bool) -> alt.Axis:
    return alt.Axis(
        labels=named,
        ticks=False,
        domain=False,
        labelPadding=6,
        labelLimit=LABELS_PX,
        labelExpr=f"({json.dumps(dict(labels))})[datum.value]",
    )


def _limit(values: Sequence[float]) -> float:
    """The next tenth above all of them."""
    highest = max((value for value in values if not math.isnan(value)), default=1.0)
    return max(1, math.ceil(round(10 * highest, 9))) / 10
