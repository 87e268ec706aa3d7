"""How good detectors are: the numbers of a protocol, every class, precision over recall."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.report.charts.colours import colours_of
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.marks import dots, lines, spans
from boxlens.report.charts.forms.panels import Series, below, name_rows, plot
from boxlens.wording import count, interval, score

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boxlens.metrics import DetectorResult, EvaluationResult
    from boxlens.metrics.pr_curves import PrCurvesResult
    from boxlens.report.charts.forms.layers import Row, Spec

# Of more classes, the worst and the best halves of so many.
MOST_CLASSES: Final = 30
WIDTH: Final = 230
SIDE: Final = 250


def main_numbers_chart(detectors: Sequence[DetectorResult]) -> Spec:
    """At most as many detectors as there are colours; of one, its numbers stand beside it."""
    colours = colours_of([one.name for one in detectors])
    first, *others = detectors[: len(colours)]
    rows = [_number(one, name, colours) for one in (first, *others) for name in one.metrics]
    values = {name: score(value) for name, value in first.metrics.items()}
    panel = name_rows(
        rows,
        Names.of(first.metrics, px=max(18, 9 * (len(colours) + 1)), grid=bool(others)),
        Axis(),
        spans(strokeWidth=1.75),
        dots("value"),
        width=WIDTH,
        series=Series(list(colours)) if others else None,
        columns={} if others else {"value": values},
    )
    return below(*key(colours, width=WIDTH), panel)


def _number(one: DetectorResult, name: str, colours: dict[str, str]) -> Row:
    found = (one.intervals or {}).get(name)
    low, high = (None, None) if found is None else (found.low, found.high)
    value = one.metrics[name]
    return {
        "row": name,
        "series": one.name,
        "colour": colours[one.name],
        "value": value,
        "low": low,
        "high": high,
        "tip": {
            "detector": one.name,
            "number": name,
            "value": score(value),
            "interval": interval(low, high),
        },
    }


def class_scores_chart(result: EvaluationResult) -> Spec:
    """At most as many detectors as there are colours."""
    colours = colours_of([one.name for one in result.detectors])
    detectors = result.detectors[: len(colours)]
    metric = next(iter(detectors[0].metrics))
    ranked = ranked_classes(detectors)
    half = MOST_CLASSES // 2
    shown = [*ranked[:half], *ranked[-half:]] if len(ranked) > MOST_CLASSES else ranked
    rows = [
        {
            "row": str(at),
            "value": (value := one.classes[at].metrics.get(metric)),
            "colour": colours[one.name],
            "tip": {
                "class": one.classes[at].name,
                "detector": one.name,
                metric: score(value),
                "objects": count(one.classes[at].n_gt),
            },
        }
        for one in detectors
        for at in shown
    ]
    # By their place, since two classes may have the same name.
    labels = {str(at): detectors[0].classes[at].name for at in shown}
    names = Names(labels, px=13, grid=True)
    panel = name_rows(rows, names, Axis(metric), dots("value"), width=WIDTH)
    return below(*key(colours, width=WIDTH), panel)


def ranked_classes(detectors: Sequence[DetectorResult]) -> list[int]:
    """Places of classes with a number, by the best detector's, the worst first."""
    best: dict[int, float] = {}
    for one in detectors:
        metric = next(iter(one.metrics))
        for row, of_class in enumerate(one.classes):
            value = of_class.metrics.get(metric, math.nan)
            if not math.isnan(value):
                best[row] = max(best.get(row, value), value)
    return sorted(best, key=lambda row: best[row])


def mean_curves_chart(curves: Mapping[str, PrCurvesResult]) -> Spec:
    """By the detectors' names; at most as many as there are colours."""
    colours = colours_of(list(curves))
    rows = [
        {**row, "series": name, "colour": colour}
        for name, colour in colours.items()
        for row in _means(name, curves[name])
    ]
    recall, precision = Axis("recall", (0, 1)), Axis("precision", (0, 1))
    panel = plot(rows, recall, precision, lines(strokeWidth=1.75), width=SIDE, height=SIDE)
    return below(*key(colours, width=SIDE), panel)


def _means(name: str, found: PrCurvesResult) -> Iterator[Row]:
    sampled = [row.sampled()[0] for row in found.classes if row.points.n_positive > 0]
    for recall, precision in zip(COCO_RECALLS, np.mean(sampled, axis=0), strict=True):
        tip = {"detector": name, "recall": score(recall, 2), "precision": score(precision)}
        yield {"x": round(float(recall), 4), "y": float(precision), "tip": tip}
