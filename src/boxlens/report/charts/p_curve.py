"""p over the disagreement that is asked of an image, and how many images have it (METHODS 5.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from boxlens.report.charts.panels import message
from boxlens.report.charts.theme import (
    DARK_BLUE,
    DECIMAL_AXIS,
    FONT_PX,
    INK,
    LINE,
    PALE,
    SOFT_INK,
    decimal,
    fixed,
    inline,
    themed,
    threshold,
)

if TYPE_CHECKING:
    from boxlens.comparison.cases.discriminative import DiscriminativeResult

PLOT_PX = 290
P_PX, KEPT_PX = 120, 48
# So many steps are enough for a curve; its ends and t0 are kept.
MOST_STEPS = 250
FEW_STEPS = 25
# Smaller values of p are drawn here.
LEAST_P = 1e-6


def p_curve_chart(
    result: DiscriminativeResult, *, measure: str = "FDA", about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """p above, the images that are left below, on one axis of thresholds."""
    title = "Do they differ on the images that can tell them apart?"
    if np.isnan(result.curve.p).all():
        empty = message(result.remark, width=PLOT_PX, height=P_PX)
        return themed(empty, title=title, about=about)
    return themed(
        alt.vconcat(_p_panel(result), _kept_panel(result, measure), spacing=6),
        title=title,
        about=about,
        reading=_reading(result),
    )


def _reading(result: DiscriminativeResult) -> str:
    alpha = decimal(result.choice.alpha, 2)
    text = (
        f"They differ if p falls below {alpha} and stays there from a threshold within the grey "
        f"band on (up to {threshold(result.choice.largest_t0)}). "
    )
    if result.differs:
        text += f"They do: t0 = {decimal(result.t0)}, {result.n_kept:,} of {result.n_cases:,} kept."
    else:
        text += f"They do not: {result.remark}."
    if np.nanmin(result.curve.p) < LEAST_P:
        text += " Values of p below a millionth are drawn at the lower edge."
    return text


def _records(result: DiscriminativeResult) -> list[dict[str, Any]]:
    curve = result.curve
    steps = np.linspace(0, len(curve.p) - 1, MOST_STEPS).round().astype(np.int64)
    at = curve.first_lasting(result.choice.alpha)
    kept = np.unique(np.append(steps, [] if at is None else [at]).astype(np.int64))
    kept = kept[kept < len(curve.p)]
    return [
        {"t": t, "p": p, "drawn": max(p, LEAST_P), "n": n}
        for t, p, n in zip(
            curve.threshold[kept].tolist(),
            curve.p[kept].tolist(),
            curve.n_kept[kept].tolist(),
            strict=True,
        )
        if not math.isnan(p)
    ]


def _x(result: DiscriminativeResult, axis: alt.Axis | None) -> alt.X:
    last = max(float(result.curve.threshold[-1]), 1.2 * result.choice.largest_t0, 0.01)
    return alt.X("t:Q", scale=alt.Scale(domain=[0, last], nice=False), axis=axis)


def _p_panel(result: DiscriminativeResult) -> alt.LayerChart:
    rows = _records(result)
    lowest = min(*(row["drawn"] for row in rows), result.choice.alpha / 5)
    floor = 10 ** math.floor(math.log10(lowest))
    decades = [10**power for power in range(round(math.log10(floor)), 1)]
    scale = alt.Scale(type="log", domain=[floor, 1], nice=False)
    labels = "datum.value >= .001 ? replace(format(datum.value, '~g'), /^0\\./, '.')"
    axis = alt.Axis(title="p", values=decades, labelExpr=f"{labels} : format(datum.value, '~e')")
    x = _x(result, None)
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=P_PX)
    line = plot.mark_line(color=DARK_BLUE, strokeWidth=1.5, interpolate="step-before").encode(
        x=x, y=alt.Y("drawn:Q", scale=scale, axis=axis), tooltip=_tooltip()
    )
    # A curve of one step is no line.
    size = 12 if len(rows) <= FEW_STEPS else 0
    points = plot.mark_point(filled=True, size=size, color=DARK_BLUE, opacity=1).encode(
        x=x, y=alt.Y("drawn:Q", scale=scale), tooltip=_tooltip()
    )
    alpha = [{"p": result.choice.alpha, "text": f"α = {decimal(result.choice.alpha, 2)}"}]
    rule = alt.Chart(inline(alpha)).encode(y=alt.Y("p:Q", scale=scale))
    layers = [
        _band(result).encode(x=x),
        rule.mark_rule(color=INK, strokeDash=[4, 3], strokeWidth=0.75),
        rule.mark_text(align="right", dy=-6, color=SOFT_INK, fontSize=FONT_PX - 1).encode(
            x=fixed(alt.XValue, PLOT_PX), text="text:N"
        ),
        line,
        points,
        *_t0(result, x),
    ]
    return alt.LayerChart(layer=layers)


def _band(result: DiscriminativeResult) -> alt.Chart:
    small = inline([{"t": 0, "end": result.choice.largest_t0}])
    band: alt.Chart = alt.Chart(small).mark_rect(color=PALE, opacity=0.5).encode(x2="end:Q")
    return band


def _t0(result: DiscriminativeResult, x: alt.X) -> list[alt.Chart]:
    if math.isnan(result.t0):
        return []
    place = inline([{"t": result.t0, "text": f"t0 = {decimal(result.t0)}"}])
    plot = alt.Chart(place).encode(x=x)
    words = plot.mark_text(align="left", dx=4, fontWeight="bold").encode(
        y=fixed(alt.YValue, FONT_PX - 2), text="text:N"
    )
    return [plot.mark_rule(color=INK, strokeWidth=1), words]


def _kept_panel(result: DiscriminativeResult, measure: str) -> alt.LayerChart:
    axis = alt.Axis(
        title=f"threshold t: images that differ by less in {measure} are left out",
        labelExpr=DECIMAL_AXIS,
    )
    x = _x(result, axis)
    y = alt.Y(
        "n:Q",
        title="images",
        scale=alt.Scale(domain=[0, max(result.n_cases, 1)]),
        axis=alt.Axis(tickCount=2, format=",d"),
    )
    kept = alt.Chart(inline(_records(result)), width=PLOT_PX, height=KEPT_PX).mark_area(
        color=PALE, line={"color": LINE, "strokeWidth": 1}, interpolate="step-before"
    )
    return alt.LayerChart(layer=[kept.encode(x=x, y=y, tooltip=_tooltip()), *_t0(result, x)[:1]])


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("t:Q", title="threshold", format=".3f"),
        alt.Tooltip("p:Q", title="p", format=".3g"),
        alt.Tooltip("n:Q", title="images kept", format=","),
    ]
