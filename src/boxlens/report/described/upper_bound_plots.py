"""Figures of an upper bound: how near detectors come, then what recognition depends on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from boxlens import wording
from boxlens.report.charts import upper_bound as charts
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.described import upper_bound_tables as tables
from boxlens.report.study import Plot
from boxlens.studies.upper_bound.nearness import best_detector, class_gaps
from boxlens.studies.upper_bound.result import BOUND, UpperBoundResult
from boxlens.studies.upper_bound.verdict import telling_correlation
from boxlens.wording import counted, listed, number, score

NO_BOUND = "no object has a label"
# As many as there are colours beside that of the bound.
MOST_DETECTORS = 7
# What can be read on a page.
MOST_CLASSES = 60
# Points with a name: the extremes and those furthest from the line, or all of a few.
MOST_NAMED = 8


def detector_plots(result: UpperBoundResult) -> Iterator[Plot]:
    """The bound alone, where there are no detectors."""
    near = bool(result.detectors)
    yield _plot(
        result,
        "bound_by_size",
        f"{_against(result)}, by object size",
        "A long pale part: objects of this size are recognised once they are found, so finding and "
        "localizing them is what to improve. A short pale bar: recognition itself fails."
        if near
        else "A short bar: objects of this size are not recognised, even when they are found.",
        "Pale, with a dark end: UAP."
        + " Bars: AP of the detectors, and its share of UAP." * near
        + _missing_sizes(result),
        lambda shown: charts.bound_by_size_chart(shown, _by_size(shown)),
    )
    yield _plot(
        result,
        "bound_by_iou",
        f"{_against(result)}, by IoU threshold",
        "The bound is nearly flat. What a detector loses from left to right is poor localization; "
        "its distance from the bound on the left is missed objects and false positives."
        if near
        else "Nearly flat: true boxes are always well localized.",
        "Dark: UAP. True boxes fit at every IoU, so only neighbours that take each other's label "
        "can change it." + " Coloured: AP of the detectors." * near,
        charts.bound_by_iou_chart,
    )


def class_plot(result: UpperBoundResult) -> Plot:
    known = [row for row, one in enumerate(result.bound.classes) if not math.isnan(one.uap)]
    shown = _shown_classes(result, known)
    return _plot(
        result,
        "bound_by_class",
        f"{_against(result)}, by class",
        "A long pale line left of its tick: a class that is recognised but not found. Points "
        "at their tick: better detection needs better recognition first. A line right of its "
        "tick: the detector recognises the class better than this classifier does."
        if result.detectors
        else "The classes at the end are not recognised, even when they are found.",
        _class_legend(result, known, shown),
        lambda drawn: charts.bound_by_class_chart(drawn, tables.classes_table(drawn, shown)),
        wide=True,
    )


def recognition_plots(result: UpperBoundResult) -> Iterator[Plot]:
    if len(result.strategies) > 1:
        yield _plot(
            result,
            "bound_strategies",
            "UAP by how labels are found",
            "Boxes around the object raise UAP where a second look helps; where they lower it, "
            "the classifier needs a tight box.",
            _strategies_legend(result),
            lambda shown: charts.bound_strategies_chart(tables.strategies_table(shown)),
            wide=True,
        )
    if len(result.bound.classes) > 1:
        classes = [
            row
            for row, one in enumerate(result.bound.classes)
            if not math.isnan(one.uap + one.accuracy)
        ]
        line = telling_correlation(result.bound)
        yield _plot(
            result,
            "bound_accuracy",
            "UAP of each class against its accuracy",
            "Below the line: classes whose label is given to other objects, too, and with "
            "confidence. Above it: wrong labels have low scores.",
            _accuracy_legend(result, len(classes)),
            lambda shown: charts.bound_accuracy_chart(
                tables.classes_table(shown, classes), MOST_NAMED, line=line
            ),
            wide=True,
        )


def context_plots(result: UpperBoundResult) -> Iterator[Plot]:
    """None where it was not asked for."""
    if not result.context:
        return
    known = [one for one in result.context if not math.isnan(one.accuracy)]
    legend = (
        f"Share of {counted(result.context[0].n_objects, 'object')} with the right label, by the "
        "side of the crop relative to that of the box. Context alone: the box itself is blank."
    )
    whole = any(math.isnan(one.scale) for one in known)
    yield Plot(
        "bound_context",
        "Accuracy with less and with more than the box",
        "Highest right of 1: the surroundings help to recognise objects. A high line of the "
        "context alone: the scene gives the class away, and objects in unusual places will get "
        "wrong labels.",
        lambda: charts.bound_context_chart(tables.context_table(result)),
        legend=legend + " Dashed, with its value: from the whole picture." * whole,
        about=_recogniser(result),
        absent="" if known else NO_BOUND,
        wide=True,
    )


def _plot(
    result: UpperBoundResult,
    name: str,
    title: str,
    reading: str,
    legend: str,
    chart: Callable[[UpperBoundResult], Spec],
    *,
    wide: bool = False,
) -> Plot:
    """With as many detectors as there are colours."""
    shown = replace(result, detectors=result.detectors[:MOST_DETECTORS])
    n_detectors = len(result.detectors)
    beside = title.startswith(_against(result)) and n_detectors > 0
    who = listed([one.name for one in result.detectors], 2, "detectors")
    about = f"{who} on {result.dataset}; UAP of {result.classifier}"
    return Plot(
        name,
        title,
        reading,
        partial(chart, shown),
        legend=legend + first_of(MOST_DETECTORS, n_detectors, "detectors") * beside,
        about=about if beside else _recogniser(result),
        absent=NO_BOUND if math.isnan(result.bound.uap) else "",
        wide=wide,
    )


def _against(result: UpperBoundResult) -> str:
    return "AP of detectors against UAP" if result.detectors else "UAP"


def _recogniser(result: UpperBoundResult) -> str:
    return f"{result.classifier} on {result.dataset}"


def _by_size(result: UpperBoundResult) -> Iterator[tuple[str, str, float, float]]:
    """All objects first: size, whose AP, the AP and its share of UAP; the bound's own first."""
    found = {BOUND: {"all": result.bound.uap, **result.bound.by_size}}
    found |= {one.name: {"all": one.ap, **one.by_size} for one in result.detectors}
    for size, uap in found[BOUND].items():
        for who, of in found.items():
            if not math.isnan(uap + (ap := of.get(size, math.nan))):
                yield size, who, ap, 1.0 if who == BOUND else tables.share_of_uap(ap, uap)


def _missing_sizes(result: UpperBoundResult) -> str:
    missing = [size for size, uap in result.bound.by_size.items() if math.isnan(uap)]
    return f" There are no {' or '.join(missing)} objects." if missing else ""


def _shown_classes(result: UpperBoundResult, known: Sequence[int]) -> list[int]:
    """By UAP, the highest first; of many, those with the largest gap, or the lowest UAP."""
    classes, gaps = result.bound.classes, class_gaps(result)

    def told_first(row: int) -> float:
        if not result.detectors:
            return classes[row].uap
        return math.inf if math.isnan(gaps[row]) else -gaps[row]

    kept = sorted(known, key=told_first)[:MOST_CLASSES]
    return sorted(kept, key=lambda row: -classes[row].uap)


def _class_legend(result: UpperBoundResult, known: Sequence[int], shown: Sequence[int]) -> str:
    legend = "Tick: UAP, what the classifier reaches on the true boxes."
    if result.detectors:
        legend += " Points: detectors."
    best = best_detector(result)
    if best is not None:
        who = best.name if len(result.detectors) == 1 else f"the best detector, {best.name},"
        legend += f" Pale: from {who} to UAP; right of the tick it exceeds the bound."
    if len(shown) < len(known):
        which = "with the largest gap" if result.detectors else "with the lowest UAP"
        legend += f" The {len(shown)} of {len(known):,} classes {which}."
    n_undefined = len(result.bound.classes) - len(known)
    return legend + f" Not shown: {counted(n_undefined, 'class', 'classes')} without objects." * (
        n_undefined > 0
    )


def _strategies_legend(result: UpperBoundResult) -> str:
    iou, choice = result.choice.sampled_iou, result.choice.intervals
    legend = []
    if iou is not None:
        legend.append(f"Boxes around: shifted, with IoU {number(iou)} to the true box.")
    if choice is not None:
        legend.append(f"Line: {wording.level(choice.level)} interval, by resampling images.")
    return " ".join(legend)


def _accuracy_legend(result: UpperBoundResult, n_classes: int) -> str:
    found = result.bound.correlation
    line = telling_correlation(result.bound)
    legend = "One point per class. Accuracy: the share of its objects that get its label."
    if line:
        legend += (
            f" Line: least squares, r squared {score(found.r_squared)} over {found.n_classes:,} "
            "classes."
        )
    if n_classes > MOST_NAMED:
        furthest = " and the classes furthest from the line" * line
        legend += f" Named: the extremes{furthest}."
    return legend
