"""Which figures an evaluation has, and what to make of each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.class_scores import class_scores_chart
from boxlens.report.charts.confusion_matrix import confusion_matrix_chart
from boxlens.report.charts.main_numbers import main_numbers_chart
from boxlens.report.charts.mean_curves import mean_curves_chart
from boxlens.report.planning.figure_plan import (
    SCORES,
    Figure,
    FigurePlan,
    LeftOut,
    file_name,
    plan_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.metrics import EvaluationResult


def evaluation_figures(result: EvaluationResult) -> FigurePlan:
    """The numbers with intervals where there are any, then the readings that were asked for."""
    return plan_of([_numbers(result), _classes(result), *_curves(result), *_confusions(result)])


def _numbers(result: EvaluationResult) -> Figure | LeftOut:
    title = "The main numbers, and how sure they are"
    if result.detectors[0].intervals is None:
        return LeftOut(title, "intervals were not asked for (--intervals)", SCORES)
    return Figure(
        "main_numbers",
        title,
        "How far the numbers of another test set of this kind would lie from these. Of two "
        "detectors, lines that overlap do not mean that they are alike: compare tells.",
        SCORES,
        partial(
            main_numbers_chart,
            result.detectors,
            level=result.parameters["intervals"]["level"],
            about=_about(result),
        ),
    )


def _classes(result: EvaluationResult) -> Figure:
    return Figure(
        "class_scores",
        "How good the detectors are on each class",
        "Classes far below the others are the ones to look at.",
        SCORES,
        partial(class_scores_chart, result),
    )


def _curves(result: EvaluationResult) -> Iterator[Figure]:
    curves = {
        one.name: one.extras.curves for one in result.detectors if one.extras.curves is not None
    }
    if curves:
        yield Figure(
            "mean_curves",
            "Precision over recall",
            "The area under a line is AP at this overlap; where it ends is what is found at all.",
            SCORES,
            partial(mean_curves_chart, curves, about=_about(result)),
        )


def _confusions(result: EvaluationResult) -> Iterator[Figure]:
    several = len(result.detectors) > 1
    for one in result.detectors:
        if one.extras.confusion is not None:
            of = f": {one.name}" if several else ""
            yield Figure(
                f"confusion_matrix_{file_name(one.name)}" if several else "confusion_matrix",
                f"What is taken for what{of}",
                "Dark cells off the diagonal are pairs of classes to tell apart; the last column "
                "is what is not found.",
                SCORES,
                partial(
                    confusion_matrix_chart,
                    one.extras.confusion,
                    about=f"{one.name} on {result.dataset}",
                ),
                one.name,
            )


def _about(result: EvaluationResult) -> str:
    names = [one.name for one in result.detectors]
    who = names[0] if len(names) == 1 else f"{len(names)} detectors"
    return f"{who} on {result.dataset}"
