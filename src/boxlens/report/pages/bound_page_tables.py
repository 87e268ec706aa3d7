"""Tables of an upper bound: detectors, overlaps, classes, ways to find labels, context."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.recognition_bound.nearness import best_detector, class_gaps
from boxlens.recognition_bound.result import STRATEGY_TITLES
from boxlens.recognition_bound.verdict import SHOWN
from boxlens.report.charts.bound_by_size import uap_by_size
from boxlens.report.charts.bound_context import WORDS
from boxlens.report.charts.bound_series import BOUND
from boxlens.report.charts.theme import decimal, threshold
from boxlens.report.pages.markup import (
    NOTHING,
    Cell,
    count_cell,
    score_cell,
    share_cell,
    table,
    text_cell,
)
from boxlens.report.pages.recall_page_tables import folded_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.metrics.intervals import Interval
    from boxlens.recognition_bound.result import DetectorGap, UpperBoundResult

# More are shown at a click.
MOST_CLASSES = 20


def detectors_table(result: UpperBoundResult) -> str:
    """The bound, and a line a detector: what it reaches of it, in all and by size."""
    uaps = uap_by_size(result)
    unsure = all(one.gap is None for one in result.detectors)
    headings = ["detector", "AP", "of the UAP", "gap", *["interval of the gap"] * (not unsure)]
    headings += [f"AP, {size}" for size in result.bound.by_size]
    headings += [f"of the UAP, {size}" for size in result.bound.by_size] * bool(result.detectors)
    empty = [Cell(NOTHING)] * (2 if unsure else 3)
    sizes = [score_cell(value) for value in result.bound.by_size.values()]
    shares = [Cell(NOTHING)] * len(sizes) * bool(result.detectors)
    rows = [[text_cell(BOUND), score_cell(result.bound.uap), *empty, *sizes, *shares]]
    rows += [_detector_row(one, uaps, unsure=unsure) for one in result.detectors]
    caption = "What detectors reach of the bound" if result.detectors else "The bound"
    return table(headings, rows, caption=caption, wide=True)


def _detector_row(one: DetectorGap, uaps: Mapping[str, float], *, unsure: bool) -> list[Cell]:
    whole, *by_size = uaps.values()
    sizes = list(uaps)[1:]
    aps = [one.by_size.get(size, math.nan) for size in sizes]
    return [
        text_cell(one.name),
        score_cell(one.ap),
        _share(one.ap, whole),
        score_cell(whole - one.ap),
        *[_interval(one.gap)] * (not unsure),
        *map(score_cell, aps),
        *(_share(ap, uap) for ap, uap in zip(aps, by_size, strict=True)),
    ]


def _share(ap: float, uap: float) -> Cell:
    return share_cell(ap, uap) if uap >= SHOWN else Cell(NOTHING)


def _interval(found: Interval | None) -> Cell:
    if found is None or math.isnan(found.low) or math.isnan(found.high):
        return Cell(NOTHING)
    return Cell(f"{decimal(found.low)} to {decimal(found.high)}", found.low)


def iou_table(result: UpperBoundResult) -> str:
    """A column a threshold."""
    ious = list(result.bound.by_iou)
    curves = [(BOUND, result.bound.by_iou), *((one.name, one.by_iou) for one in result.detectors)]
    rows = [
        [text_cell(name), *(score_cell(values.get(iou)) for iou in ious)] for name, values in curves
    ]
    return folded_table(
        ["detector", *map(threshold, ious)], rows, caption="UAP and AP at every IoU"
    )


def classes_table(result: UpperBoundResult) -> str:
    """The widest gap to the best detector first; without detectors, the lowest UAP."""
    classes, detectors = result.bound.classes, result.detectors
    gaps, best = class_gaps(result), best_detector(result)
    rows = []
    for row in _in_order(result):
        one, aps = classes[row], [detector.by_class[row] for detector in detectors]
        rows.append(
            [
                text_cell(one.name),
                count_cell(one.n_objects),
                *map(score_cell, (one.accuracy, one.uap, one.uap50)),
                *map(score_cell, aps),
                *[score_cell(gaps[row])] * (best is not None),
            ]
        )
    headings = ["class", "objects", "accuracy", "UAP", "UAP at .5"]
    headings += [f"AP, {one.name}" for one in detectors]
    headings += [] if best is None else [f"gap of {best.name}" if len(detectors) > 1 else "gap"]
    if len(rows) > MOST_CLASSES:
        return folded_table(headings, rows, caption=f"All {len(rows):,} classes")
    return table(headings, rows, caption="Classes", wide=True) if rows else ""


def _in_order(result: UpperBoundResult) -> list[int]:
    """Rows of classes; undefined ones last."""
    classes = result.bound.classes

    gaps = class_gaps(result)

    def told_first(row: int) -> float:
        return -gaps[row] if result.detectors else classes[row].uap

    return sorted(range(len(classes)), key=lambda row: (math.isnan(at := told_first(row)), at))


def strategies_table(result: UpperBoundResult) -> str:
    """UAP and accuracy by how labels are found; without sizes of which there are no objects."""
    unsure = all(one.interval is None for one in result.strategies)
    sizes = [
        size
        for size in result.bound.by_size
        if not all(math.isnan(one.by_size.get(size, math.nan)) for one in result.strategies)
    ]
    rows = [
        [
            text_cell(STRATEGY_TITLES[one.strategy]),
            score_cell(one.uap),
            *[_interval(one.interval)] * (not unsure),
            score_cell(one.accuracy),
            score_cell(one.class_accuracy),
            score_cell(one.correlation.r_squared, 2),
            *(score_cell(one.by_size.get(size)) for size in sizes),
            count_cell(one.n_labelled),
        ]
        for one in result.strategies
    ]
    headings = ["labels of", "UAP", *["interval"] * (not unsure), "accuracy", "mean of classes"]
    headings += ["r squared", *(f"UAP, {size}" for size in sizes), "objects labelled"]
    return table(headings, rows, caption="Ways to find labels", wide=True)


def context_table(result: UpperBoundResult) -> str:
    """A line a kind of crop and scale."""
    rows = [
        [
            text_cell(WORDS[one.kind]),
            Cell(NOTHING) if math.isnan(one.scale) else Cell(f"{one.scale:g}", one.scale),
            score_cell(one.accuracy),
            score_cell(one.class_accuracy),
            count_cell(one.n_objects),
        ]
        for one in result.context
    ]
    headings = ["seen", "scale of the box", "accuracy", "mean of classes", "objects"]
    return folded_table(headings, rows, caption="Accuracy of every crop") if rows else ""
