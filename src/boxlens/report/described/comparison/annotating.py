"""What to annotate next, and what annotating in that order would find."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from boxlens.report.charts.annotation_gain import annotation_gain_chart
from boxlens.report.described.comparison.pairs import GUIDE, about_all
from boxlens.report.described.disagreement import disputed_images
from boxlens.report.study import COUNT, SHARE, TEXT, Plot, Section, Table, table_of
from boxlens.studies.comparison.cases.annotation_gain import GOALS, ORDERS
from boxlens.wording import share

if TYPE_CHECKING:
    from boxlens.studies.comparison import ComparisonResult
    from boxlens.studies.comparison.cases.annotation_gain import AnnotationGainResult

N_DISPUTED = 20


def annotate_section(result: ComparisonResult) -> Section:
    return Section(
        "annotate",
        "Annotate next",
        (
            _gain_plot(result),
            *disputed_images(result.disagreement, N_DISPUTED, detail=True),
            _gain(result.annotation_gain),
        ),
        reading="Images on which the detectors disagree most, found without the ground truth; "
        "tables/images.parquet has all images.",
        guide=GUIDE,
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
    return Plot(
        "annotation_gain",
        "What annotating disputed images first would find",
        "The further a curve is above the diagonal, the more it helps to annotate in its order. Do "
        "not estimate scores on images chosen this way: they are not a random sample.",
        partial(annotation_gain_chart, gain),
        legend=_legend(gain) if known else "",
        about=about_all(result),
        absent="" if known else "there are no errors and no differences to find",
    )


def _legend(gain: AnnotationGainResult) -> str:
    goal = next(goal for goal in gain.goals if goal.total > 0)
    held = ", ".join(
        f"{ORDERS[name]} {share(goal.named(name).at_images[0])}"
        for name in ("share", "boxes", "n_boxes")
    )
    return (
        f"The first {share(gain.budgets[0])} of the images hold, of the {GOALS[goal.goal]}: "
        f"{held}; random {share(goal.random_low[0])} to {share(goal.random_high[0])}. Disputed: "
        "boxes of the detectors compared with one another, without ground truth."
    )
