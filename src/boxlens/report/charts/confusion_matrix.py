"""Which class is taken for which: a heat map with background, of the largest confusions."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import altair as alt
import numpy as np

from boxlens.metrics.confusion import BACKGROUND
from boxlens.report.charts.panels import cell, cell_scale, heat_map, message
from boxlens.report.charts.theme import FONT_PX, WIDTH, inline, themed, threshold

if TYPE_CHECKING:
    from boxlens.metrics.confusion import ConfusionResult

MOST_CLASSES = 16
PLOT_PX = WIDTH - 74
COLUMN_PX, ROW_PX = 66, 22
# Two digits in small type and in full type need so much room.
LEAST_CELL_PX, WIDE_CELL_PX = 13, 20


def confusion_matrix_chart(
    result: ConfusionResult, *, about: str = "", most_classes: int = MOST_CLASSES
) -> alt.LayerChart | alt.Chart:
    """Shares of each row; of many classes those in the largest confusions."""
    title = "What is taken for what"
    if result.matrix.sum() == 0:
        empty = message("no objects and no detections", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    shown, n_classes = _shown(result, most_classes), len(result.names)
    some = (
        f"{len(shown)} of {n_classes} classes, those in the largest confusions. "
        if len(shown) < n_classes
        else ""
    )
    return themed(
        _map(result, [*shown, n_classes]),
        title=title,
        about=(
            f"{about + ': ' if about else ''}IoU from {threshold(result.iou)}, "
            f"score from {threshold(result.min_score)}"
        ),
        reading=(
            f"{some}Percent of the objects of a row; the last row are detections on no object, "
            "the last column objects not found."
        ),
    )


def _shown(result: ConfusionResult, most: int) -> list[int]:
    """Rows of classes, in their own order."""
    between = result.matrix[:-1, :-1].copy()
    np.fill_diagonal(between, 0)
    largest = np.argsort(-between, axis=None, kind="stable")[: np.count_nonzero(between)]
    confused = np.stack(np.unravel_index(largest, between.shape), axis=1).ravel()
    # Without enough confusions the most frequent classes fill up.
    frequent = np.argsort(-result.matrix[:-1].sum(axis=1), kind="stable")
    by_importance = dict.fromkeys([*confused.tolist(), *frequent.tolist()])
    return sorted(list(by_importance)[:most])


def _map(result: ConfusionResult, shown: list[int]) -> alt.LayerChart:
    # Records hold rows and not names, since classes may bear the same name.
    names = [*result.names, BACKGROUND]
    totals = result.matrix.sum(axis=1).tolist()
    rows = [
        # Rare confusions are what is looked for: the root makes them visible.
        cell(
            math.sqrt(n / totals[true]),
            f"{n / totals[true] * 100:.0f}" if n / totals[true] >= 0.005 else "",
            share=n / totals[true],
            true=true,
            said=said,
            true_name=names[true],
            said_name=names[said],
            n=n,
        )
        for true in shown
        for said in shown
        if (n := int(result.matrix[true, said])) > 0
    ]
    width = min(PLOT_PX, COLUMN_PX * len(shown))
    column_px = width / len(shown)
    places = json.dumps({str(row): names[row] for row in shown})
    label = f"({places})[datum.value]"
    level = column_px >= max(len(names[row]) for row in shown) * FONT_PX / 2
    plot = alt.Chart(inline(rows), width=width, height=min(width, ROW_PX * len(shown))).encode(
        x=alt.X(
            "said:O",
            title="detected as",
            scale=cell_scale(shown),
            axis=alt.Axis(labelExpr=label, labelAngle=0 if level else -45, ticks=False),
        ),
        y=alt.Y(
            "true:O",
            title="true class",
            scale=cell_scale(shown),
            axis=alt.Axis(labelExpr=label, ticks=False),
        ),
        tooltip=[
            alt.Tooltip("true_name:N", title="true class"),
            alt.Tooltip("said_name:N", title="detected as"),
            alt.Tooltip("n:Q", title="how many", format=","),
            alt.Tooltip("share:Q", title="share of the row", format=".1%"),
        ],
    )
    letters_px = FONT_PX if column_px > WIDE_CELL_PX else FONT_PX - 2
    return heat_map(plot, letters_px=letters_px if column_px >= LEAST_CELL_PX else 0)
