"""Precision over recall, the mean over classes, one line per detector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.report.charts.colours import colours_of
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.marks import lines
from boxlens.report.charts.forms.panels import below, plot
from boxlens.wording import score

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boxlens.metrics.pr_curves import PrCurvesResult
    from boxlens.report.charts.forms.layers import Row, Spec

SIDE: Final = 250


def mean_curves_chart(curves: Mapping[str, PrCurvesResult]) -> Spec:
    """By the detectors' names; at most as many as there are colours."""
    colours = colours_of(list(curves))
    rows = [
        {**row, "series": name, "colour": colour}
        for name, colour in colours.items()
        for row in _rows(name, curves[name])
    ]
    recall, precision = Axis("recall", (0, 1)), Axis("precision", (0, 1))
    panel = plot(rows, recall, precision, lines(strokeWidth=1.75), width=SIDE, height=SIDE)
    return below(*key(colours, width=SIDE), panel)


def _rows(name: str, found: PrCurvesResult) -> Iterator[Row]:
    sampled = [row.sampled()[0] for row in found.classes if row.points.n_positive > 0]
    for recall, precision in zip(COCO_RECALLS, np.mean(sampled, axis=0), strict=True):
        tip = {"detector": name, "recall": score(recall, 2), "precision": score(precision)}
        yield {"x": round(float(recall), 4), "y": float(precision), "tip": tip}
