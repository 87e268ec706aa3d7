"""Which figures a study of recall and mAP has, and what to make of each."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.class_correlations import class_correlations_chart
from boxlens.report.charts.detector_lines import detector_words
from boxlens.report.charts.recall_against_map import recall_against_map_chart
from boxlens.report.charts.recall_correlation import recall_correlation_chart
from boxlens.report.planning.figure_plan import Figure, FigurePlan, LeftOut, plan_of
from boxlens.report.planning.study_words import data_set_words, listed_words, number_words

if TYPE_CHECKING:
    from boxlens.proposals.detection_use.correlation_result import ProposalCorrelationResult

# Sections of the page.
OVERLAPS, METHODS, CLASSES = "overlaps", "methods", "classes"

TOO_FEW = "fewer than three methods that differ have proposals and a score"
NO_CLASSES = "the scores of classes are not known, or too few methods have them"


def correlation_figures(result: ProposalCorrelationResult) -> FigurePlan:
    """By overlap, method by method, class by class."""
    return plan_of([_overlaps(result), _methods(result), _classes(result)])


def _overlaps(result: ProposalCorrelationResult) -> Figure | LeftOut:
    title = "How recall at each overlap goes with mAP"
    overall = [one for one in result.correlations if not one.class_name]
    if all(math.isnan(r) for one in overall for r in one.at_iou.tolist()):
        return LeftOut(title, TOO_FEW, OVERLAPS)
    return Figure(
        "recall_correlation",
        title,
        "Where a line is highest, recall says most about what a detector makes of proposals. A "
        "line that falls to the left: loose boxes are of no use to it.",
        OVERLAPS,
        partial(recall_correlation_chart, result, about=correlation_about(result)),
        wide=True,
    )


def _methods(result: ProposalCorrelationResult) -> Figure | LeftOut:
    title = "Average recall against mAP"
    if all(math.isnan(one.ar) or math.isnan(one.map) for one in result.scores):
        return LeftOut(title, "no method has both numbers", METHODS)
    return Figure(
        "recall_against_map",
        title,
        "Points along the line: average recall foretells mAP. A method above it is better for "
        "this detector than its recall says.",
        METHODS,
        partial(recall_against_map_chart, result, about=correlation_about(result)),
        wide=True,
    )


def _classes(result: ProposalCorrelationResult) -> Figure | LeftOut:
    title = "r of AP with average recall, class by class"
    if all(math.isnan(one.with_ar) for one in result.correlations if one.class_name):
        return LeftOut(title, NO_CLASSES, CLASSES)
    return Figure(
        "class_correlations",
        title,
        "High everywhere: what holds for all classes holds for each. Classes at the end are "
        "limited by something other than proposals, or have too few objects to tell.",
        CLASSES,
        partial(class_correlations_chart, result, about=correlation_about(result)),
        wide=True,
    )


def correlation_about(result: ProposalCorrelationResult) -> str:
    """Who, over how many methods, on which data set."""
    detectors = [
        detector_words(name) for name in dict.fromkeys(one.detector for one in result.scores)
    ]
    n_methods = len({one.method for one in result.scores})
    where = data_set_words(result.provenance)
    return f"{listed_words(detectors, 'detector')}, {number_words(n_methods, 'method')}, {where}"
