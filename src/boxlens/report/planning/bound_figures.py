"""Which figures an upper bound has, and what to make of each."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.bound_accuracy import bound_accuracy_chart
from boxlens.report.charts.bound_by_class import bound_by_class_chart
from boxlens.report.charts.bound_by_iou import bound_by_iou_chart
from boxlens.report.charts.bound_by_size import bound_by_size_chart
from boxlens.report.charts.bound_context import bound_context_chart
from boxlens.report.charts.bound_series import BY_CLASS, BY_IOU, BY_SIZE, against_title
from boxlens.report.charts.bound_strategies import bound_strategies_chart
from boxlens.report.planning.figure_plan import Figure, FigurePlan, LeftOut, plan_of
from boxlens.report.planning.study_words import listed_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from altair.typing import ChartType

    from boxlens.recognition_bound.result import UpperBoundResult

# Sections of the page.
DETECTORS, CLASSES, RECOGNITION, CONTEXT = "detectors", "classes", "recognition", "context"

NO_BOUND = "no object has a label"


def bound_figures(result: UpperBoundResult) -> FigurePlan:
    """How near detectors come, then what recognition depends on."""
    return plan_of([*_against_detectors(result), *_recognition(result), *_context(result)])


def _about(result: UpperBoundResult, section: str) -> str:
    """Who, on which data set."""
    if section not in (DETECTORS, CLASSES) or not result.detectors:
        return f"{result.classifier} on {result.dataset}"
    who = listed_words([one.name for one in result.detectors], "detector")
    return f"{who} on {result.dataset}; UAP of {result.classifier}"


def _against_detectors(result: UpperBoundResult) -> Iterator[Figure | LeftOut]:
    """The bound alone, where there are none."""
    near = bool(result.detectors)
    yield _figure(
        result,
        "bound_by_size",
        against_title(result, BY_SIZE),
        "Much pale beyond the bars: objects of this size are recognised once they are found, so "
        "finding and placing them is the work. A short pale bar: recognition itself fails."
        if near
        else "A short bar: objects of this size are not recognised, even where they are found.",
        DETECTORS,
        bound_by_size_chart,
    )
    yield _figure(
        result,
        "bound_by_iou",
        against_title(result, BY_IOU),
        "The bound is nearly flat. What a detector loses from left to right are badly placed "
        "boxes; what lies between it and the bound on the left, missed objects and false alarms."
        if near
        else "Nearly flat: true boxes are never badly placed.",
        DETECTORS,
        bound_by_iou_chart,
    )
    yield _figure(
        result,
        "bound_by_class",
        against_title(result, BY_CLASS),
        "A long pale line left of its tick: a class that is recognised but not found. Points at "
        "their tick: a better detector needs better recognition first. A line right of its tick: "
        "the detector recognises the class better than this classifier does."
        if near
        else "Classes at the end are not recognised, even where they are found.",
        CLASSES,
        bound_by_class_chart,
        wide=True,
    )


def _recognition(result: UpperBoundResult) -> Iterator[Figure | LeftOut]:
    if len(result.strategies) > 1:
        yield _figure(
            result,
            "bound_strategies",
            "UAP by how labels are found",
            "Boxes around the object raise the UAP where a second look helps; where they lower it, "
            "its own box is the best place to look.",
            RECOGNITION,
            bound_strategies_chart,
            wide=True,
        )
    if len(result.bound.classes) > 1:
        yield _figure(
            result,
            "bound_accuracy",
            "UAP of classes against how often they are named rightly",
            "Below the line: classes whose name is given to other objects, too, and with "
            "confidence. Above it: mistakes come with low scores.",
            RECOGNITION,
            bound_accuracy_chart,
            wide=True,
        )


def _context(result: UpperBoundResult) -> Iterator[Figure | LeftOut]:
    """Nothing where it was not asked for."""
    if not result.context:
        return
    title = "Accuracy with less and with more than the box"
    if all(math.isnan(one.accuracy) for one in result.context):
        yield LeftOut(title, NO_BOUND, CONTEXT)
        return
    yield Figure(
        "bound_context",
        title,
        "Highest right of 1: the surroundings help to name objects. A high line of the context "
        "alone: the scene gives the class away, and objects in unusual places will be misnamed.",
        CONTEXT,
        partial(bound_context_chart, result, about=_about(result, CONTEXT)),
        wide=True,
    )


def _figure(
    result: UpperBoundResult,
    name: str,
    title: str,
    reading: str,
    section: str,
    chart: Callable[..., ChartType],
    *,
    wide: bool = False,
) -> Figure | LeftOut:
    if math.isnan(result.bound.uap):
        return LeftOut(title, NO_BOUND, section)
    draw = partial(chart, result, about=_about(result, section))
    return Figure(name, title, reading, section, draw, wide=wide)
