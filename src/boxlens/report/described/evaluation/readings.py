"""What `evaluate --also` adds: best F1, oLRP, confusions, and the images with the most errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from boxlens.metrics import EvaluationResult
from boxlens.metrics.confidence import ConfidenceResult
from boxlens.metrics.confusion import ConfusionResult
from boxlens.metrics.image_counts import ImageCountsResult
from boxlens.metrics.olrp import OlrpResult
from boxlens.report.study import COUNT, ID, SCORE, SHARE, TEXT, Note, Part, Table, table_of
from boxlens.wording import counted, number, part

# Rows of long tables, and where there is little room.
N_WORST, N_BRIEF = 20, 10
OLRP = {
    "oLRP": "oLRP",
    "oLRP_loc": "localization",
    "oLRP_fp": "false positives",
    "oLRP_fn": "missed",
    "threshold": "threshold",
}


def readings(result: EvaluationResult) -> Iterator[Part]:
    """Those that were asked for, detector by detector."""
    for one in result.detectors:
        of = f": {one.name}" if len(result.detectors) > 1 else ""
        extras = one.extras
        if extras.confidence is not None:
            yield _best_f1(extras.confidence, of)
        if extras.olrp is not None:
            yield _olrp(extras.olrp, of)
        if extras.confusion is not None:
            yield from _confusions(extras.confusion, of)
        if extras.images is not None:
            yield from _worst_images(extras.images, of)
        if extras.curves is not None:
            n = sum(row.points.n_positive > 0 for row in extras.curves.classes)
            curves = counted(n, "precision-recall curve")
            iou = number(extras.curves.iou)
            yield Note(f"{curves} at IoU {iou} in results.json and --json{of}")


def _best_f1(found: ConfidenceResult, of: str) -> Table[Any]:
    forms = {"class": TEXT, **dict.fromkeys(("threshold", "precision", "recall", "F1"), SCORE)}
    rows = []
    for curve in (found.overall, *found.classes):
        *where, f1 = curve.best().values()
        # With F1 0 no threshold is better than another.
        rows.append((curve.name, *(where if f1 else (None, None, None)), f1))
    caption = f"Best F1 at IoU {number(found.iou)}{of}"
    return table_of("", caption, forms, rows, brief=rows[:1])


def _olrp(found: OlrpResult, of: str) -> Table[Any]:
    forms = {"class": TEXT, **dict.fromkeys(OLRP.values(), SCORE)}
    rows = [
        (name, *(values.get(key) for key in OLRP))
        for name, values in (("mean over classes", found.mean), *found.classes)
    ]
    caption = f"oLRP at IoU {number(found.iou)}, an error: 0 is perfect, 1 is worst{of}"
    return table_of("", caption, forms, rows, brief=rows[:1])


def _confusions(found: ConfusionResult, of: str) -> Iterator[Part]:
    matrix, strong = found.matrix, f"score {number(found.min_score)} and above"
    n_objects = dict(zip(found.names, matrix[:-1].sum(axis=1).tolist(), strict=True))
    forms = {"object is": TEXT, "called": TEXT, "times": COUNT, "of its class": SHARE}
    rows = [(true, said, n, part(n, n_objects[true])) for true, said, n in found.top(N_WORST)]
    caption = f"Most frequent confusions at {strong}{of}"
    yield table_of("", caption, forms, rows, brief=rows[:N_BRIEF])
    n_right = int(matrix.diagonal()[:-1].sum())
    n_confused = int(matrix[:-1, :-1].sum()) - n_right
    yield Note(
        f"Confusion at IoU {number(found.iou)}, {strong}: {n_right:,} right, {n_confused:,} called "
        f"something else, {matrix[:-1, -1].sum():,} not found, {matrix[-1, :-1].sum():,} on "
        f"background. The matrix is in results.json and --json{of}"
    )


def _worst_images(found: ImageCountsResult, of: str) -> Iterator[Part]:
    strong = f"score {number(found.min_score)} and above"
    forms = {"image": ID, "hits": COUNT, "false positives": COUNT, "missed": COUNT}
    order = np.argsort(-(found.fp + found.fn), kind="stable")[:N_WORST].tolist()
    counts = (found.tp, found.fp, found.fn)
    rows = [(found.image_id[row], *(int(one[row]) for one in counts)) for row in order]
    caption = f"Images with the most errors at {strong}{of}"
    yield table_of("", caption, forms, rows, brief=rows[:N_BRIEF])
    yield Note(
        f"{found.tp.sum():,} hits, {found.fp.sum():,} false positives, {found.fn.sum():,} missed "
        f"in {counted(len(found.tp), 'image')} at IoU {number(found.iou)}, {strong}. All images "
        f"are in results.json and --json{of}"
    )
