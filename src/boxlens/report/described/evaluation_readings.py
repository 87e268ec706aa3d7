"""What `evaluate --also` adds: best F1, oLRP, confusions, and the images with the most errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from boxlens.metrics import DetectorResult, EvaluationResult
from boxlens.metrics.confidence import ConfidenceResult
from boxlens.metrics.confusion import ConfusionResult
from boxlens.metrics.image_counts import ImageCountsResult
from boxlens.metrics.olrp import OlrpResult
from boxlens.report.study import COUNT, ID, SCORE, SHARE, TEXT, Note, Part, Table, table_of
from boxlens.wording import counted, number, part

N_WORST = 20
# Where there is little room.
N_BRIEF = 10
OLRP = {
    "oLRP": "oLRP",
    "oLRP_loc": "localization",
    "oLRP_fp": "false positives",
    "oLRP_fn": "missed",
}


def readings(result: EvaluationResult) -> Iterator[Part]:
    """Those that were asked for, detector by detector."""
    for one in result.detectors:
        of = f": {one.name}" if len(result.detectors) > 1 else ""
        yield from _of_detector(one, of)


def _of_detector(one: DetectorResult, of: str) -> Iterator[Part]:
    extras = one.extras
    if extras.confidence is not None:
        yield _best_f1(extras.confidence, of)
    if extras.olrp is not None:
        yield _olrp(extras.olrp, of)
    if extras.confusion is not None:
        yield _confused(extras.confusion, of)
        yield Note(_confusion_words(extras.confusion) + of)
    if extras.images is not None:
        yield _worst_images(extras.images, of)
        yield Note(_images_words(extras.images) + of)
    if extras.curves is not None:
        n = sum(row.points.n_positive > 0 for row in extras.curves.classes)
        curves = counted(n, "precision-recall curve")
        yield Note(f"{curves} at IoU {number(extras.curves.iou)} in results.json and --json{of}")


def _best_f1(found: ConfidenceResult, of: str) -> Table[Any]:
    names = ("threshold", "precision", "recall", "F1")
    rows = []
    for curve in (found.overall, *found.classes):
        best = curve.best()
        # With F1 0 no threshold is better than another.
        known = names if best["F1"] else names[-1:]
        rows.append((curve.name, *(best[name] if name in known else None for name in names)))
    caption = f"Best F1 at IoU {number(found.iou)}{of}"
    return table_of(
        "", caption, {"class": TEXT, **dict.fromkeys(names, SCORE)}, rows, brief=rows[:1]
    )


def _olrp(found: OlrpResult, of: str) -> Table[Any]:
    rows = [
        (name, *(values[key] for key in OLRP), values.get("threshold"))
        for name, values in (("mean over classes", found.mean), *found.classes)
    ]
    return table_of(
        "",
        f"oLRP at IoU {number(found.iou)}, an error: 0 is perfect, 1 is worst{of}",
        {"class": TEXT, **dict.fromkeys((*OLRP.values(), "threshold"), SCORE)},
        rows,
        brief=rows[:1],
    )


def _confused(found: ConfusionResult, of: str) -> Table[Any]:
    n_objects = dict(zip(found.names, found.matrix[:-1].sum(axis=1).tolist(), strict=True))
    rows = [(true, said, n, part(n, n_objects[true])) for true, said, n in found.top(N_WORST)]
    return table_of(
        "",
        f"Most frequent confusions at score {number(found.min_score)} and above{of}",
        {"object is": TEXT, "called": TEXT, "times": COUNT, "of its class": SHARE},
        rows,
        brief=rows[:N_BRIEF],
    )


def _confusion_words(found: ConfusionResult) -> str:
    matrix = found.matrix
    n_right = int(matrix.diagonal()[:-1].sum())
    n_confused = int(matrix[:-1, :-1].sum()) - n_right
    return (
        f"Confusion at IoU {number(found.iou)}, score {number(found.min_score)} and above: "
        f"{n_right:,} right, {n_confused:,} called something else, "
        f"{int(matrix[:-1, -1].sum()):,} not found, {int(matrix[-1, :-1].sum()):,} on background. "
        "The matrix is in results.json and --json"
    )


def _worst_images(found: ImageCountsResult, of: str) -> Table[Any]:
    order = np.argsort(-(found.fp + found.fn), kind="stable")[:N_WORST].tolist()
    counts = (found.tp, found.fp, found.fn)
    rows = [(found.image_id[row], *(int(one[row]) for one in counts)) for row in order]
    return table_of(
        "",
        f"Images with the most errors at score {number(found.min_score)} and above{of}",
        {"image": ID, "hits": COUNT, "false positives": COUNT, "missed": COUNT},
        rows,
        brief=rows[:N_BRIEF],
    )


def _images_words(found: ImageCountsResult) -> str:
    return (
        f"{found.tp.sum():,} hits, {found.fp.sum():,} false positives, {found.fn.sum():,} missed "
        f"in {counted(len(found.tp), 'image')} at IoU {number(found.iou)}, score "
        f"{number(found.min_score)} and above. All images are in results.json and --json"
    )
