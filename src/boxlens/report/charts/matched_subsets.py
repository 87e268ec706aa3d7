"""How many of the hardest classes are together as hard as wished: their mean against how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.dataset_difficulty.measures import MEASURES
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

PANEL_PX: Final = 138
PLOT_PX: Final = 110
MOST_STEPS: Final = 200
MOST_PANELS: Final = 6
FEW_CLASSES: Final = 10
# From a line to the middle of a label; and between two lines with a label in between.
LABEL_PX: Final = 9
LABEL_ROOM_PX: Final = 20


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
    low, high = _ends(subset)
    x = alt.X(
        "k:Q",
        scale=alt.Scale(domain=[0, len(means) * 1.02], nice=False),
        axis=alt.Axis(title="k hardest classes", tickCount=4, tickMinStep=1, format=",d"),
    )
    y = alt.Y(
        "mean:Q",
        scale=alt.Scale(domain=[low, high], nice=False),
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


def _ends(subset: MatchedSubset) -> tuple[float, float]:
    """Of the axis: with room for a line of text above and below."""
    values = [float(subset.means.min()), float(subset.means.max()), subset.target]
    low, high = min(values), max(values)
    room = 0.18 * (high - low) or 0.05
    return low - room, high + room


def _dot(n: int) -> alt.OverlayMarkDef | bool:
    """Of a few classes each is a dot."""
    return alt.OverlayMarkDef(size=14, color=FIRST) if n < FEW_CLASSES else False


def _chosen(subset: MatchedSubset, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """The chosen k; no class at all may be hard enough."""
    k = len(subset.classes)
    label, dy = _place(subset)
    told = (
        alt.Chart(inline([{**label, "text": chosen_text(subset)}]))
        .mark_text(
            align="right" if _to_the_left(subset) else "left",
            baseline="middle",
            dx=-5 if _to_the_left(subset) else 5,
            dy=dy,
            fontSize=FONT_PX,
            color=SECOND,
        )
        .encode(x=x, y=y, text="text:N")
    )
    if not k:
        return [told]
    dot = alt.Chart(inline([{"k": k, "mean": subset.mean}])).encode(x=x, y=y)
    return [dot.mark_point(filled=True, size=40, opacity=1, color=SECOND), told]


def chosen_text(subset: MatchedSubset) -> str:
    """How many are as hard: 12 of 80; or that the target is out of reach."""
    k, n = len(subset.classes), len(subset.means)
    if not k:
        return "none is as hard"
    return f"{k:,} of {n:,}" if subset.reached else f"all {n:,}, still harder"


def _to_the_left(subset: MatchedSubset) -> bool:
    """Of the chosen k, where there is more room."""
    return len(subset.classes) > len(subset.means) / 2


def _place(subset: MatchedSubset) -> tuple[dict[str, float], int]:
    """Where the label stands, and by how much above or below: clear of the curve and the target.

    The curve leaves the hardest class towards the target and crosses it right of the chosen k, so
    left of it there is nothing beyond the target, and right of it nothing short of the dot.
    """
    low, high = _ends(subset)
    if not subset.classes:
        return {"k": 0, "mean": subset.target}, _beyond(subset, towards=False)
    at = {"k": float(len(subset.classes)), "mean": subset.mean}
    if not _to_the_left(subset):
        return at, _beyond(subset, towards=False)
    gap_px = abs(subset.target - subset.mean) / (high - low) * PLOT_PX
    if gap_px < LABEL_ROOM_PX:
        at["mean"] = subset.target
    return at, _beyond(subset, towards=True)


def _beyond(subset: MatchedSubset, *, towards: bool) -> int:
    """Pixels down: `towards` easier values, or away from them."""
    up = (MEASURES[subset.measure].harder == "low") == towards
    return -LABEL_PX if up else LABEL_PX
