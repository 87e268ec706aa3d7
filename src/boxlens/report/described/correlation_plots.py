"""Figures of recall against mAP: by IoU, by method, by class."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.correlation import (
    class_correlations_chart,
    recall_against_map_chart,
    recall_correlation_chart,
)
from boxlens.report.charts.forms.choosing import both_ends
from boxlens.report.charts.method_words import first_of
from boxlens.report.study import Plot
from boxlens.studies.proposals.detection_use.verdict import detector_name
from boxlens.wording import counted, listed

if TYPE_CHECKING:
    from boxlens.studies.proposals.detection_use.correlation_result import (
        ProposalCorrelationResult,
        RecallCorrelation,
    )

# Detectors that have a colour, and a panel.
MOST_LINES, MOST_PANELS = 8, 4
# Classes of either end, where there are more than twice as many and one.
MOST_CLASSES = 15


def detectors_of(result: ProposalCorrelationResult) -> list[str]:
    return list(dict.fromkeys(one.detector for one in result.scores))


def overall_of(result: ProposalCorrelationResult) -> list[RecallCorrelation]:
    return [one for one in result.correlations if not one.class_name]


def r_by_class(result: ProposalCorrelationResult) -> dict[str, dict[str, float]]:
    """r with average recall by class and detector."""
    found: dict[str, dict[str, float]] = {}
    for one in result.correlations:
        if one.class_name:
            found.setdefault(one.class_name, {})[one.detector] = one.with_ar
    return found


def _about(result: ProposalCorrelationResult) -> str:
    detectors = listed([detector_name(name) for name in detectors_of(result)], 2, "detectors")
    n_methods = len({one.method for one in result.scores})
    return f"{detectors}, {counted(n_methods, 'method')}, {result.dataset['name']}"


def overlaps_plot(result: ProposalCorrelationResult) -> Plot:
    overall = overall_of(result)
    shown = overall[:MOST_LINES]
    known = any(not math.isnan(r) for one in overall for r in one.at_iou.tolist())
    return Plot(
        "recall_correlation",
        "Correlation of recall with mAP, by IoU",
        "Where a line is highest, recall predicts mAP best. A line that falls to the left: loose "
        "boxes are of no use to the detector.",
        partial(recall_correlation_chart, shown),
        legend="Pearson's r of mAP with recall at this IoU, over methods. Dashed: with average "
        "recall (AR), which needs no IoU to be chosen. Partial: AR up to IoU 0.7."
        + first_of(len(shown), len(overall), "detectors"),
        about=_about(result),
        absent="" if known else "fewer than three methods that differ have proposals and a score",
        wide=True,
    )


def methods_plot(result: ProposalCorrelationResult) -> Plot:
    known = [one for one in result.scores if not math.isnan(one.ar) and not math.isnan(one.map)]
    detectors = list(dict.fromkeys(one.detector for one in known))
    shown = detectors[:MOST_PANELS]
    return Plot(
        "recall_against_map",
        "Average recall against mAP",
        "Points along the line: average recall predicts mAP. A method above it is better for this "
        "detector than its recall suggests.",
        partial(recall_against_map_chart, result, known, shown),
        legend=f"One point per method, with at most {counted(result.budget, 'proposal')} per "
        f"image; mAP is {result.parameters.get('metric', 'AP')}. Line: least squares."
        + first_of(len(shown), len(detectors), "detectors"),
        about=_about(result),
        absent="" if known else "no method has both numbers",
        wide=True,
    )


def classes_plot(result: ProposalCorrelationResult) -> Plot:
    names = detectors_of(result)
    shown = names[:MOST_LINES]
    known = {
        name: {one: r for one, r in of.items() if one in shown and not math.isnan(r)}
        for name, of in r_by_class(result).items()
    }
    ordered = sorted(
        (name for name, of in known.items() if of),
        key=lambda name: -math.fsum(known[name].values()) / len(known[name]),
    )
    legend = (
        "Pearson's r over methods; below 0, methods that find more of a class score worse on it. "
        "Classes with few objects scatter."
    )
    classes = both_ends(ordered, MOST_CLASSES)
    if len(classes) < len(ordered):
        legend += f" The first and last {MOST_CLASSES} of {len(ordered):,} classes."
    return Plot(
        "class_correlations",
        "Correlation of AP with average recall, class by class",
        "High everywhere: what holds for all classes holds for each. Classes at the end are "
        "limited by something other than proposals, or have too few objects.",
        partial(class_correlations_chart, known, classes, shown),
        legend=legend + first_of(len(shown), len(names), "detectors"),
        about=_about(result),
        absent=""
        if ordered
        else "the scores of classes are not known, or too few methods have them",
        wide=True,
    )
