"""Which images to annotate next, and how much that finds."""

from __future__ import annotations

from functools import partial
from typing import Any

from boxlens.report.charts.colours import DARK_BLUE, INK, LINE, ORANGE, SKY
from boxlens.report.charts.forms.axes import SHARES, Axis
from boxlens.report.charts.forms.choosing import spread_out
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.forms.marks import lines, spans
from boxlens.report.charts.forms.panels import below, beside, message, plot
from boxlens.report.charts.theme import WIDTH
from boxlens.report.described.comparison.pairs import about_all
from boxlens.report.described.disagreement import disputed_images
from boxlens.report.study import COUNT, SHARE, TEXT, Plot, Section, Table, table_of
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.cases.annotation_gain import (
    GOALS,
    ORDERS,
    AnnotationGainResult,
    GoalGain,
)
from boxlens.wording import share

# Of the panel of each goal.
GOAL_PX, MOST_POINTS = 132, 60
COLOURS = {"share": DARK_BLUE, "boxes": SKY, "n_boxes": ORANGE, "best": LINE}


def annotate_section(result: ComparisonResult) -> Section:
    return Section(
        "annotate",
        "Annotate next",
        (
            _gain_plot(result),
            *disputed_images(result.disagreement, n_top=20, detail=True),
            _gain(result.annotation_gain),
        ),
        reading="Images on which the detectors disagree most, found without the ground truth; "
        "tables/images.parquet has all images.",
    )


def _gain(gain: AnnotationGainResult) -> Table[Any]:
    forms = {"goal": TEXT, "order": TEXT, "n_images": COUNT, "share": SHARE}
    rows = (
        (goal.goal, order.order, *step)
        for goal in gain.goals
        for order in goal.orders
        for step in order.points()
    )
    return table_of("annotation_gain", "", forms, rows)


def _gain_plot(result: ComparisonResult) -> Plot:
    gain = result.annotation_gain
    known = [goal for goal in gain.goals if goal.total > 0]
    goal = (known or gain.goals)[0]
    held = ", ".join(
        f"{ORDERS[name]} {share(goal.named(name).at_images[0])}"
        for name in ("share", "boxes", "n_boxes")
    )
    legend = (
        f"The first {share(gain.budgets[0])} of the images hold, of the {GOALS[goal.goal]}: "
        f"{held}; random {share(goal.random_low[0])} to {share(goal.random_high[0])}. Disputed: "
        "boxes of the detectors compared with one another, without ground truth."
    )
    return Plot(
        "annotation_gain",
        "What annotating disputed images first would find",
        "The further a curve is above the diagonal, the more it helps to annotate in its order. Do "
        "not estimate scores on images chosen this way: they are not a random sample.",
        partial(_draw, gain),
        legend=legend if known else "",
        about=about_all(result),
        absent="" if known else "there are no errors and no differences to find",
    )


def _draw(gain: AnnotationGainResult) -> Spec:
    """One panel per goal; the diagonal is what a random order finds on average."""
    panels = [
        _panel(goal, gain.budgets)
        if goal.total > 0
        else message(f"no {GOALS[goal.goal]}", width=GOAL_PX, height=GOAL_PX)
        for goal in gain.goals
    ]
    colours = {words: COLOURS[order] for order, words in ORDERS.items()} | {"random, 95%": INK}
    return below(*key(colours, width=WIDTH), beside(*panels))


def _panel(goal: GoalGain, budgets: tuple[float, ...]) -> Spec:
    by_chance = [
        {"x": budget, "low": low, "high": high}
        for budget, low, high in zip(budgets, goal.random_low, goal.random_high, strict=True)
    ]
    n = len(goal.orders[0].curve)
    found = [
        {
            "series": one.order,
            "colour": COLOURS[one.order],
            "x": x,
            "y": y,
            "tip": {"order": ORDERS[one.order], "images": share(x), "found": share(y)},
        }
        # The best first, so that the others lie on it.
        for one in reversed(goal.orders)
        for step in spread_out(n, MOST_POINTS)
        for x, y in ((step / (n - 1), float(one.curve[step])),)
    ]
    return plot(
        found,
        Axis("images annotated", (0, 1), values=(0, 0.5, 1), form=SHARES),
        Axis("found", (0, 1), values=(0, 0.25, 0.5, 0.75, 1), form=SHARES),
        lines(rows=[{"x": end, "y": end} for end in (0, 1)], color=INK, strokeWidth=0.75),
        lines(),
        spans(rows=by_chance, color=INK, strokeWidth=3),
        width=GOAL_PX,
        height=GOAL_PX,
        title=GOALS[goal.goal],
    )
