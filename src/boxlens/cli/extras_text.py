"""The --also readings as text: totals, and with --per-class a row a class."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from boxlens.cli.output import aligned

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boxlens.metrics import DetectorResult
    from boxlens.metrics.confidence import ConfidenceResult
    from boxlens.metrics.confusion import ConfusionResult
    from boxlens.metrics.image_counts import ImageCountsResult
    from boxlens.metrics.olrp import OlrpResult
    from boxlens.metrics.pr_curves import PrCurvesResult

N_WORST = 10


def extras_texts(detector: DetectorResult, *, per_class: bool) -> list[str]:
    """One text a reading, headed by the detector's name."""
    extras = detector.extras
    texts = []
    if extras.confidence is not None:
        texts.append(_confidence(extras.confidence, per_class))
    if extras.olrp is not None:
        texts.append(_olrp(extras.olrp, per_class))
    if extras.confusion is not None:
        texts.append(_confusion(extras.confusion))
    if extras.images is not None:
        texts.append(_images(extras.images))
    if extras.curves is not None:
        texts.append(_curves(extras.curves))
    return [f"{detector.name}: {text}" for text in texts]


def _numbers(values: Iterable[float]) -> list[str]:
    return ["-" if math.isnan(value) else f"{value:.4f}" for value in values]


def _confidence(found: ConfidenceResult, per_class: bool) -> str:
    rows = [["class", "best threshold", "precision", "recall", "F1"]]
    for curve in (found.overall, *(found.classes if per_class else ())):
        best = curve.best()
        useless = best["F1"] == 0  # no threshold is better than another
        values = [math.nan] * 3 + [0.0] if useless else best.values()
        rows.append([curve.name, *_numbers(values)])
    return f"operating point of best F1 at IoU {found.iou:g}\n{aligned(rows)}"


def _olrp(found: OlrpResult, per_class: bool) -> str:
    parts = ("oLRP", "oLRP_loc", "oLRP_fp", "oLRP_fn")
    rows = [["class", "oLRP", "localisation", "false pos.", "missed", "threshold"]]
    rows.append(["mean over classes", *_numbers(found.mean[part] for part in parts), ""])
    if per_class:
        rows += [
            [name, *_numbers(values[part] for part in (*parts, "threshold"))]
            for name, values in found.classes
        ]
    return f"oLRP at IoU {found.iou:g} (an error: 0 is perfect, 1 is worst)\n{aligned(rows)}"


def _confusion(found: ConfusionResult) -> str:
    matrix = found.matrix
    n_right = int(matrix.diagonal()[:-1].sum())
    n_confused = int(matrix[:-1, :-1].sum()) - n_right
    head = (
        f"confusion at IoU {found.iou:g}, score >= {found.min_score:g}: {n_right:,} right, "
        f"{n_confused:,} called something else, {int(matrix[:-1, -1].sum()):,} not found, "
        f"{int(matrix[-1, :-1].sum()):,} on background; the matrix is in --json"
    )
    n_objects = dict(zip(found.names, matrix[:-1].sum(axis=1).tolist(), strict=True))
    rows = [["object is", "called", "times", "of its class"]]
    rows += [
        [true, said, f"{times:,}", f"{times / n_objects[true]:.1%}"]
        for true, said, times in found.top(N_WORST)
    ]
    return f"{head}\n{aligned(rows)}" if len(rows) > 1 else head


def _images(found: ImageCountsResult) -> str:
    head = (
        f"{found.tp.sum():,} hits, {found.fp.sum():,} false positives, {found.fn.sum():,} missed "
        f"at IoU {found.iou:g}, score >= {found.min_score:g}; the worst of "
        f"{len(found.tp):,} images (all are in --json)"
    )
    order = np.argsort(-(found.fp + found.fn), kind="stable")[:N_WORST]
    rows = [["image id", "hits", "false positives", "missed"]]
    rows += [
        [
            str(found.image_id[row]),
            *(f"{column[row]:,}" for column in (found.tp, found.fp, found.fn)),
        ]
        for row in order.tolist()
    ]
    return f"{head}\n{aligned(rows)}"


def _curves(found: PrCurvesResult) -> str:
    n_curves = sum(row.points.n_positive > 0 for row in found.classes)
    return f"{n_curves} precision-recall curves at IoU {found.iou:g} are in --json"
