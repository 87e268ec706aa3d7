"""The first number of a protocol for each class: one dot per detector, the worst classes first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from boxlens.report.charts.colours import colours_of
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.marks import dots
from boxlens.report.charts.forms.panels import below, name_rows
from boxlens.wording import count, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.metrics import DetectorResult, EvaluationResult
    from boxlens.report.charts.forms.layers import Spec

# Of more classes, the worst and the best halves of so many.
MOST_CLASSES: Final = 30
WIDTH: Final = 230


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
