"""How soon errors and differences are found when images are annotated in an order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from boxlens.report.charts.detector_pair import key
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.theme import DARK_BLUE, INK, LINE, WIDTH, inline, percent, themed

if TYPE_CHECKING:
    from boxlens.comparison.cases.annotation_gain import AnnotationGainResult, GoalGain

PANEL_PX = 132
MOST_STEPS = 60
ORDERS = {
    "share": ("by share disputed", DARK_BLUE),
    "boxes": ("by boxes disputed", KINDS["dupe"].colour),
    "n_boxes": ("by number of boxes", KINDS["sim"].colour),
    "best": ("best possible", LINE),
}
GOALS = {"errors": "errors of all detectors", "difference": "differences of image scores"}


def annotation_gain_chart(
    result: AnnotationGainResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """One panel a goal; the diagonal is what a random order finds on average."""
    title = "What annotating disputed images first would find"
    known = [goal for goal in result.goals if goal.total > 0]
    if not known:
        empty = message("there are no errors and no differences", width=WIDTH, height=PANEL_PX)
        return themed(empty, title=title, about=about)
    panels = [
        _panel(goal, result.budgets) if goal.total > 0 else _nothing(goal) for goal in result.goals
    ]
    entries = list(ORDERS.values())
    return themed(
        alt.vconcat(
            key([*entries[:2], ("random, 95 %", INK)], width=WIDTH - 20),
            key(entries[2:], width=(WIDTH - 20) * 2 // 3),
            alt.hconcat(*panels, spacing=14),
            spacing=4,
        ),
        title=title,
        about=about,
        reading=_reading(known[0], result.budgets),
    )


def _reading(goal: GoalGain, budgets: tuple[float, ...]) -> str:
    told = [
        f"{ORDERS[name][0]} {percent(goal.named(name).at_images[0])}"
        for name in ("share", "boxes", "n_boxes")
    ]
    return (
        f"The first {percent(budgets[0])} of the images hold of the {GOALS[goal.goal]}: "
        f"{', '.join(told)}; random {percent(goal.random_low[0])} to "
        f"{percent(goal.random_high[0])}. Disputed: the detectors' boxes compared with one "
        "another, without ground truth."
    )


def _nothing(goal: GoalGain) -> alt.Chart:
    return message(f"no {GOALS[goal.goal]}", width=PANEL_PX, height=PANEL_PX)


def _panel(goal: GoalGain, budgets: tuple[float, ...]) -> alt.LayerChart:
    axis: dict[str, Any] = {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}
    scale = alt.Scale(domain=[0, 1], nice=False)
    x_axis = alt.Axis(**{**axis, "values": [0, 0.5, 1]})
    x = alt.X("images:Q", title="images annotated", scale=scale, axis=x_axis)
    y = alt.Y("found:Q", title="found", scale=scale, axis=alt.Axis(**axis))
    curves = alt.Chart(inline(_curves(goal)), width=PANEL_PX, height=PANEL_PX)
    lines = curves.mark_line(strokeWidth=1.5).encode(
        x=x,
        y=y,
        color=alt.Color("colour:N", scale=None),
        detail="order:N",
        tooltip=[
            alt.Tooltip("order:N"),
            alt.Tooltip("images:Q", title="images", format=".0%"),
            alt.Tooltip("found:Q", title="found", format=".0%"),
        ],
    )
    ends = [{"images": 0, "found": 0}, {"images": 1, "found": 1}]
    random = alt.Chart(inline(ends)).mark_line(color=INK, strokeWidth=0.75).encode(x=x, y=y)
    spans = [
        {"images": budget, "found": low, "high": high}
        for budget, low, high in zip(budgets, goal.random_low, goal.random_high, strict=True)
    ]
    by_chance = (
        alt.Chart(inline(spans)).mark_rule(color=INK, strokeWidth=3).encode(x=x, y=y, y2="high:Q")
    )
    layers = alt.LayerChart(layer=[random, lines, by_chance])
    titled: alt.LayerChart = layers.properties(title=panel_title(GOALS[goal.goal]))
    return titled


def _curves(goal: GoalGain) -> list[dict[str, Any]]:
    n = len(goal.orders[0].curve)
    at = np.unique(np.linspace(0, n - 1, MOST_STEPS).round().astype(np.int64))
    return [
        {
            "order": ORDERS[row.order][0],
            "colour": ORDERS[row.order][1],
            "images": step / (n - 1),
            "found": float(row.curve[step]),
        }
        # The best first, so that the others lie on it.
        for row in reversed(goal.orders)
        for step in at.tolist()
    ]
