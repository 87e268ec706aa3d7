"""AP of every detector against the UAP of all, small, medium and large objects."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.bound_series import axis_words, series_styles
from boxlens.report.charts.method_lines import column_heading, recall_limit
from boxlens.report.charts.system_lines import key_lines
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    INK,
    PALE,
    fixed,
    inline,
)
from boxlens.studies.upper_bound.result import BOUND
from boxlens.studies.upper_bound.verdict import SHOWN
from boxlens.wording import score, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.report.charts.method_lines import LineStyle
    from boxlens.studies.upper_bound.result import UpperBoundResult

ALL: Final = "all"
PLOT_PX: Final = 220
BAR_PX: Final = 12
# Two lines of letters.
LEAST_GROUP_PX: Final = 28
GROUP_GAP: Final = 0.22
COLUMNS: Final = (("text", "AP", 36), ("share", "of UAP", 78))
LETTERS_PX: Final = 12


def bound_by_size_chart(result: UpperBoundResult) -> alt.VConcatChart:
    """One group per size; behind the bars of the detectors, how far they could go."""
    styles = series_styles(result)
    shown = [size for size, uap in uap_by_size(result).items() if not math.isnan(uap)]
    colours = {name: style.colour for name, style in styles.items()}
    return alt.vconcat(*key_lines(colours), _groups(result, shown, styles), spacing=8)


def uap_by_size(result: UpperBoundResult) -> dict[str, float]:
    """All objects first."""
    return {ALL: result.bound.uap, **result.bound.by_size}


def _groups(
    result: UpperBoundResult, shown: Sequence[str], styles: Mapping[str, LineStyle]
) -> alt.LayerChart:
    uaps = uap_by_size(result)
    detectors = result.detectors
    group_px = max(LEAST_GROUP_PX, BAR_PX * len(detectors) + 4)
    records = _records(result, shown, styles)
    limit = recall_limit([*(uaps[size] for size in shown), *(one["ap"] for one in records)])
    y = _sizes_axis({size: [size, f"UAP {score(uaps[size])}"] for size in shown})
    x = alt.X(
        "ap:Q",
        scale=alt.Scale(domain=[0, limit], nice=False),
        axis=alt.Axis(title=axis_words(result), labelExpr=DECIMAL_AXIS, tickCount=5),
    )
    height = round(group_px / (1 - GROUP_GAP)) * len(shown)
    bounds = [
        {"size": size, "who": BOUND, "ap": uaps[size], "text": score(uaps[size]), "share": "100%"}
        for size in shown
    ]
    plot = alt.Chart(inline(bounds), width=PLOT_PX, height=height)
    behind = plot.encode(x=x, y=y, tooltip=_tips())
    layers = [
        behind.mark_bar(color=PALE),
        *([_bars(records, x, y, list(styles))] if records else []),
        behind.mark_tick(color=INK, thickness=2.5, size=group_px, opacity=1),
        *(_numbers(records, y, list(styles)) if records else []),
    ]
    return alt.LayerChart(layer=layers)


def _sizes_axis(names: Mapping[str, Sequence[str]]) -> alt.Y:
    """The lines of each size's name."""
    return alt.Y(
        "size:N",
        scale=alt.Scale(domain=list(names), paddingInner=GROUP_GAP, paddingOuter=GROUP_GAP / 2),
        axis=alt.Axis(
            title=None,
            ticks=False,
            domain=False,
            labelExpr=f"{json.dumps(names)}[datum.value]",
            labelLineHeight=LETTERS_PX,
            # The first of two lines stands above the middle.
            labelOffset=-LETTERS_PX / 2,
            labelOverlap=False,
        ),
    )


def _records(
    result: UpperBoundResult, shown: Sequence[str], styles: Mapping[str, LineStyle]
) -> list[dict[str, Any]]:
    uaps = uap_by_size(result)
    return [
        {
            "size": size,
            "who": one.name,
            "ap": ap,
            "text": score(ap),
            "share": _share_text(ap, uaps[size]),
            "colour": styles[one.name].colour,
        }
        for size in shown
        for one in result.detectors
        if not math.isnan(ap := one.ap if size == ALL else one.by_size.get(size, math.nan))
    ]


def _share_text(ap: float, uap: float) -> str:
    """Nothing can be compared with a bound that reads 0.000."""
    return share(ap / uap if uap >= SHOWN else math.nan)


def _offset(order: Sequence[str]) -> alt.YOffset:
    names = [name for name in order if name != BOUND]
    scale = alt.Scale(domain=names, paddingInner=0.15, paddingOuter=0.15)
    return alt.YOffset("who:N", sort=names, scale=scale)


def _bars(records: Sequence[dict[str, Any]], x: alt.X, y: alt.Y, order: Sequence[str]) -> alt.Chart:
    bars: alt.Chart = (
        alt.Chart(inline(records))
        .mark_bar()
        .encode(
            x=x,
            y=y,
            yOffset=_offset(order),
            color=alt.Color("colour:N", scale=None),
            tooltip=_tips(),
        )
    )
    return bars


def _numbers(records: Sequence[dict[str, Any]], y: alt.Y, order: Sequence[str]) -> list[alt.Chart]:
    """In columns: at the ends of the bars the dark end of the bound would cross them."""
    plot = alt.Chart(inline(records)).encode(y=y, yOffset=_offset(order))
    numbers = [
        plot.mark_text(align="right", fontSize=FONT_PX - 1, color=INK).encode(
            x=fixed(alt.XValue, PLOT_PX + at), text=f"{field}:N"
        )
        for field, _, at in COLUMNS
    ]
    return [*numbers, *(column_heading(words, PLOT_PX + at) for _, words, at in COLUMNS)]


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("size:N", title="objects"),
        alt.Tooltip("who:N", title="of"),
        alt.Tooltip("text:N", title="AP"),
        alt.Tooltip("share:N", title="share of UAP"),
    ]
