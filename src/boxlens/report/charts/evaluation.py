"""How good detectors are: the numbers of a protocol, every class, precision over recall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from boxlens.metrics.average_precision import COCO_RECALLS
from boxlens.metrics.pr_curves import PrCurvesResult
from boxlens.report.charts.colours import colours_of
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots, lines, spans
from boxlens.report.charts.forms.panels import Series, below, name_rows, plot
from boxlens.report.charts.forms.tables import coloured, table_columns, table_rows
from boxlens.report.study import Table
from boxlens.wording import score

WIDTH: Final = 230
SIDE: Final = 250


def main_numbers_chart(table: Table[Any]) -> Spec:
    """At most as many detectors as there are colours; of one, its numbers stand beside it."""
    ends = {"value": "value", "low": "low", "high": "high"}
    tips = ("detector", "metric", *ends)
    found = table_rows(table, tips, row="metric", series="detector", **ends)
    colours = colours_of(list(dict.fromkeys(row["series"] for row in found)))
    several = len(colours) > 1
    names = (row["row"] for row in found)
    panel = name_rows(
        coloured(found, colours),
        Names.of(names, px=max(18, 9 * (len(colours) + 1)), grid=several),
        Axis(),
        spans(strokeWidth=1.75),
        dots("value"),
        width=WIDTH,
        series=Series(list(colours)) if several else None,
        columns={} if several else table_columns(table, "metric", "value"),
    )
    return below(*key(colours, width=WIDTH), panel)


def class_scores_chart(table: Table[Any], metric: str, colours: Mapping[str, str]) -> Spec:
    """One row per class of the table, which has a column for each detector."""
    # Two classes may have the same name, and detectors any.
    channels = {f"of_{at}": f"{metric} {name}" for at, name in enumerate(colours)}
    tips = ("class", "objects", *channels.values())
    found = table_rows(table, tips, name="class", **channels)
    rows = [{**row, "row": str(at)} for at, row in enumerate(found)]
    names = Names({row["row"]: row["name"] for row in rows}, px=13, grid=True)
    marks = (dots(of, color=one) for of, one in zip(channels, colours.values(), strict=True))
    panel = name_rows(rows, names, Axis(metric), *marks, width=WIDTH)
    return below(*key(colours, width=WIDTH), panel)


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
