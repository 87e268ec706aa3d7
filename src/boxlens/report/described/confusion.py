"""The confusion matrix, which an evaluation and a diagnosis have in common."""

from __future__ import annotations

from functools import partial

import numpy as np

from boxlens.metrics.confusion import ConfusionResult
from boxlens.report.charts.label_matrices import confusion_matrix_chart
from boxlens.report.study import Plot
from boxlens.wording import number

MOST_CLASSES = 16
# As many digits of a score cut as anybody reads.
DIGITS = 3


def confusion_plot(
    result: ConfusionResult, about: str, reading: str, name: str = "confusion_matrix"
) -> Plot:
    """Shares of each row; of many classes those in the most frequent confusions."""
    shown, n_classes = _shown(result), len(result.names)
    some = f"{len(shown)} of {n_classes} classes, those in the most frequent confusions. "
    return Plot(
        name,
        "Confusion matrix",
        reading,
        partial(confusion_matrix_chart, result, [*shown, n_classes]),
        legend=f"{some if len(shown) < n_classes else ''}Percent of the objects of a row. The last "
        "row is detections on no object, the last column objects not found.",
        about=f"{about}: IoU from {number(result.iou)}, score from "
        f"{number(round(result.min_score, DIGITS))}",
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
