"""The confusion matrix, which an evaluation and a diagnosis have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from boxlens.metrics.confusion import BACKGROUND, ConfusionResult
from boxlens.report.charts.forms.axes import Names
from boxlens.report.charts.forms.cells import FONT_PX, cell, matrix
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.selecting import picks
from boxlens.report.study import Plot
from boxlens.wording import count, number, share

MOST_CLASSES = 16
# Two digits in small type and in full type need so much room.
LEAST_CELL_PX, WIDE_CELL_PX = 13, 20


def confusion_plot(
    result: ConfusionResult, about: str, reading: str, name: str = "confusion_matrix"
) -> Plot:
    """Shares of each row; of many classes those in the most frequent confusions."""
    shown, n_classes = _shown(result), len(result.names)
    # As many digits as anybody reads.
    least = number(round(result.min_score, 3))
    some = f"{len(shown)} of {n_classes} classes, those in the most frequent confusions. "
    return Plot(
        name,
        "Confusion matrix",
        reading,
        partial(_drawn, result, [*shown, n_classes]),
        legend=f"{some if len(shown) < n_classes else ''}Percent of the objects of a row. The last "
        "row is detections on no object, the last column objects not found.",
        about=f"{about}: IoU from {number(result.iou)}, score from {least}",
        absent="" if result.matrix.sum() else "there are no objects and no detections",
    )


def _shown(result: ConfusionResult) -> list[int]:
    """Rows of classes, in their own order."""
    between = result.matrix[:-1, :-1].copy()
    np.fill_diagonal(between, 0)
    largest = np.argsort(-between, axis=None, kind="stable")[: np.count_nonzero(between)]
    confused = np.stack(np.unravel_index(largest, between.shape), axis=1).ravel()
    # Without enough confusions the most frequent classes fill up.
    frequent = np.argsort(-result.matrix[:-1].sum(axis=1), kind="stable")
    by_importance = dict.fromkeys([*confused.tolist(), *frequent.tolist()])
    return sorted(list(by_importance)[:MOST_CLASSES])


def _drawn(result: ConfusionResult, shown: Sequence[int]) -> Spec:
    # By place, since two classes may have the same name.
    labels = {str(row): [*result.names, BACKGROUND][row] for row in shown}
    column_px = min(266 / len(shown), 66)
    letters_px = FONT_PX if column_px > WIDE_CELL_PX else FONT_PX - 2
    across, down = (
        Names(labels, px=px, characters=18, gap=0.04, title=title)
        for px, title in ((column_px, "detected as"), (min(column_px, 22), "true class"))
    )
    cells = [
        _cell(result, true, said) for true in shown for said in shown if result.matrix[true, said]
    ]
    return matrix(cells, across, down, letters_px=letters_px * (column_px >= LEAST_CELL_PX))


def _cell(result: ConfusionResult, true: int, said: int) -> Row:
    """The objects of a cell, detections where there is no object; all of a row is its whole."""
    n, told = int(result.matrix[true, said]), [*result.names, BACKGROUND]
    of_row = n / int(result.matrix[true].sum())
    names = [*result.names, "(background)"]
    label = f"{names[true]} taken for {names[said]}"
    if true == len(result.names):
        picked = picks(label, n, terms={"class": names[said], "true_class": names[true]})
    else:
        picked = picks(
            label, n, of="objects", terms={"class": names[true], "taken_for": names[said]}
        )
    tip = {"true class": told[true], "detected as": told[said], "how many": count(n)}
    tip["share of the row"] = share(of_row)
    # Two digits where cells are small: only nothing is empty, and only everything 100.
    percent = "<1" if of_row < 0.01 else f"{min(round(of_row * 100), 99)}"
    text = "100" if of_row == 1 else percent
    # Rare confusions are what is looked for: the root makes them visible.
    level = math.sqrt(of_row)
    return cell(level, text, row=str(true), column=str(said), tip=tip, **picked)
