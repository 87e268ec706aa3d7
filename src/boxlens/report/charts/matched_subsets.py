"""How many of the hardest classes are together as hard as wished: their mean against how many."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_pair import FIRST, SECOND, short
from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.system_lines import (
    MEASURE_WORDS,
    measure_text,
    panel_grid,
    spread_out,
)
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    SOFT_INK,
    WIDTH,
    decimal,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.dataset_difficulty.matched_subset import MatchedSubset

PANEL_PX: Final = 146
PLOT_PX: Final = 110
MOST_STEPS: Final = 200
MOST_PANELS: Final = 6
FEW_CLASSES: Final = 10


def matched_subsets_chart(
    subsets: Sequence[MatchedSubset], *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """One panel a subset."""
    title = "How many classes are as hard as wished"
    known = [one for one in subsets if len(one.means)]
    if not known:
        empty = message("no class has a measure to choose by", width=WIDTH, height=PLOT_PX)
        return themed(empty, title=title, about=about)
    panels = [_panel(one) for one in known[:MOST_PANELS]]
    reading = (
        "Line: the mean of the k hardest classes. Dashed: the target. Dot: the most classes that "
        "are still as hard."
    )
    if len(known) > MOST_PANELS:
        reading += f" The first {MOST_PANELS} of {len(known)} subsets."
    return themed(panel_grid((), panels, 2, spacing=18), title=title, about=about, reading=reading)


def _panel(subset: MatchedSubset) -> alt.LayerChart:
    means = subset.means
    rows: list[dict[str, Any]] = [
        {"k": int(at) + 1, "mean": float(means[at]), "text": decimal(float(means[at]), 4)}
        for at in spread_out(len(means), MOST_STEPS)
    ]
    values = [*(row["mean"] for row in rows), subset.target]
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or 0.05
    x = alt.X(
        "k:Q",
        scale=alt.Scale(domain=[0, len(means) * 1.02], nice=False),
        axis=alt.Axis(title="k hardest classes", tickCount=4, tickMinStep=1, format=",d"),
    )
    y = alt.Y(
        "mean:Q",
        scale=alt.Scale(domain=[low - room, high + room], nice=False),
        axis=alt.Axis(
            title=f"mean {MEASURE_WORDS[subset.measure]}", labelExpr=DECIMAL_AXIS, tickCount=4
        ),
    )
    line = (
        alt.Chart(inline(rows), width=PANEL_PX, height=PLOT_PX)
        .mark_line(color=FIRST, strokeWidth=1.5, point=_dot(len(rows)))
        .encode(
            x=x,
            y=y,
            tooltip=[alt.Tooltip("k:Q", title="classes"), alt.Tooltip("text:N", title="mean")],
        )
    )
    target = (
        alt.Chart(inline([{"mean": subset.target}]))
        .mark_rule(color=SOFT_INK, strokeDash=[4, 2], strokeWidth=1)
        .encode(y=y)
    )
    layers = alt.LayerChart(layer=[target, line, *_chosen(subset, x, y)])
    title = panel_title(f"Classes of {short(subset.dataset)}")
    title.subtitle = f"target {measure_text(subset.target)}"
    if subset.target_of:
        title.subtitle += f", as {short(subset.target_of)}"
    titled: alt.LayerChart = layers.properties(title=title)
    return titled


def _dot(n: int) -> alt.OverlayMarkDef | bool:
    """Of a few classes each is a dot."""
    return alt.OverlayMarkDef(size=14, color=FIRST) if n < FEW_CLASSES else False


def _chosen(subset: MatchedSubset, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """The chosen k; no class at all may be hard enough."""
    k, n = len(subset.classes), len(subset.means)
    if not k or math.isnan(subset.mean):
        at, text = {"k": n / 2, "mean": subset.target}, "none is as hard"
    else:
        at, text = {"k": k, "mean": subset.mean}, f"{k:,} of {n:,}"
    plot = alt.Chart(inline([{**at, "text": text}])).encode(x=x, y=y)
    # Beside the line, which rises or falls all the way.
    left, rises = at["k"] > n / 2, bool(subset.means[-1] >= subset.means[0])
    words: dict[str, Any] = {
        "fontSize": FONT_PX,
        "color": SECOND,
        "dy": -8 if left == rises or not k else 11,
    }
    told = plot.mark_text(align="right" if left else "left", dx=-5 if left else 5, **words).encode(
        text="text:N"
    )
    if not k:
        return [told]
    return [plot.mark_point(filled=True, size=40, opacity=1, color=SECOND), told]
