"""How soon errors and differences are found when images are annotated in an order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boxlens.report.charts.colours import DARK_BLUE, INK, LINE, ORANGE, SKY
from boxlens.report.charts.forms.axes import SHARES, Axis
from boxlens.report.charts.forms.choosing import spread_out
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.marks import lines, spans
from boxlens.report.charts.forms.panels import below, beside, message, plot
from boxlens.report.charts.theme import WIDTH
from boxlens.studies.comparison.cases.annotation_gain import GOALS, ORDERS
from boxlens.wording import share

if TYPE_CHECKING:
    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.comparison.cases.annotation_gain import AnnotationGainResult, GoalGain

SIDE: Final = 132
MOST_STEPS: Final = 60
COLOURS: Final = {"share": DARK_BLUE, "boxes": SKY, "n_boxes": ORANGE, "best": LINE}


def annotation_gain_chart(result: AnnotationGainResult) -> Spec:
    """One panel per goal; the diagonal is what a random order finds on average."""
    panels = [
        _panel(goal, result.budgets)
        if goal.total > 0
        else message(f"no {GOALS[goal.goal]}", width=SIDE, height=SIDE)
        for goal in result.goals
    ]
    colours = {words: COLOURS[order] for order, words in ORDERS.items()} | {"random, 95%": INK}
    return below(*key(colours, width=WIDTH), beside(*panels))


def _panel(goal: GoalGain, budgets: tuple[float, ...]) -> Spec:
    by_chance = [
        {"x": budget, "low": low, "high": high}
        for budget, low, high in zip(budgets, goal.random_low, goal.random_high, strict=True)
    ]
    diagonal = [{"x": 0, "y": 0}, {"x": 1, "y": 1}]
    return plot(
        _rows(goal),
        Axis("images annotated", (0, 1), values=(0, 0.5, 1), form=SHARES),
        Axis("found", (0, 1), values=(0, 0.25, 0.5, 0.75, 1), form=SHARES),
        lines(rows=diagonal, color=INK, strokeWidth=0.75),
        lines(),
        spans(rows=by_chance, color=INK, strokeWidth=3),
        width=SIDE,
        height=SIDE,
        title=GOALS[goal.goal],
    )


def _rows(goal: GoalGain) -> list[Row]:
    n = len(goal.orders[0].curve)
    return [
        {
            "series": row.order,
            "colour": COLOURS[row.order],
            "x": step / (n - 1),
            "y": float(row.curve[step]),
            "tip": {
                "order": ORDERS[row.order],
                "images": share(step / (n - 1)),
                "found": share(float(row.curve[step])),
            },
        }
        # The best first, so that the others lie on it.
        for row in reversed(goal.orders)
        for step in spread_out(n, MOST_STEPS)
    ]
