"""Which class is taken for which: a heat map with background, of the largest confusions."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from boxlens.metrics.confusion import BACKGROUND
from boxlens.report.charts.panels import cell, cell_scale, heat_map, message
from boxlens.report.charts.selecting import Terms, picks
from boxlens.report.charts.theme import FONT_PX, WIDTH, inline, themed, threshold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.metrics.confusion import ConfusionResult

MOST_CLASSES = 16
PLOT_PX = WIDTH - 74
COLUMN_PX, ROW_PX = 66, 22
# Two digits in small type and in full type need so much room.
LEAST_CELL_PX, WIDE_CELL_PX = 13, 20


def confusion_matrix_chart(
    result: ConfusionResult, *, about: str = "", most_classes: int = MOST_CLASSES
) -> alt.LayerChart | alt.Chart:
    """Shares of each row; of many classes those in the most frequent confusions."""
    title = "What is taken for what"
    if result.matrix.sum() == 0:
        empty = message("no objects and no detections", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    shown, n_classes = _shown(result, most_classes), len(result.names)
    some = (
        f"{len(shown)} of {n_classes} classes, those in the most frequent confusions. "
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
    names = {row: [*result.names, BACKGROUND][row] for row in shown}
    width = min(PLOT_PX, COLUMN_PX * len(shown))
    column_px = width / len(shown)
    label = f"({json.dumps({str(row): name for row, name in names.items()})})[datum.value]"
    level = column_px >= max(map(len, names.values())) * FONT_PX / 2
    plot = alt.Chart(
        inline(_cells(result, names)), width=width, height=min(width, ROW_PX * len(shown))
    ).encode(
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


def _cells(result: ConfusionResult, names: dict[int, str]) -> Iterator[dict[str, Any]]:
    """Where something is taken for something; all of a row, shown or not, is its whole."""
    for true, true_name in names.items():
        total = int(result.matrix[true].sum())
        for said, said_name in names.items():
            n = int(result.matrix[true, said])
            if n:
                yield cell(
                    # Rare confusions are what is looked for: the root makes them visible.
                    math.sqrt(n / total),
                    _whole_percent(n / total),
                    share=n / total,
                    true=true,
                    said=said,
                    true_name=true_name,
                    said_name=said_name,
                    n=n,
                    **_picked(result, true, said, n),
                )


def _picked(result: ConfusionResult, true: int, said: int, n: int) -> dict[str, str]:
    """The objects of a cell; detections where there is no object."""
    nothing = len(result.names)
    names = [*result.names, "(background)"]
    label = f"{names[true]} taken for {names[said]}"
    if true == nothing:
        return picks(label, n, terms={"class": names[said], "true_class": names[true]})
    terms: Terms = {"class": names[true], "taken_for": names[said]}
    return picks(label, n, of="objects", terms=terms)


def _whole_percent(share: float) -> str:
    """Two digits where cells are small: only nothing is empty, and only everything 100."""
    if share < 0.01:
        return "<1"
    return "100" if share == 1 else f"{min(round(share * 100), 99)}"
