"""What `evaluate --also` adds: best F1, oLRP, confusions, and the images with the most errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.report.study import COUNT, ID, SCORE, SHARE, TEXT, Column, Note, Table
from boxlens.wording import counted, number, part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boxlens.metrics import DetectorResult, EvaluationResult
    from boxlens.metrics.confidence import ConfidenceCurve, ConfidenceResult
    from boxlens.metrics.confusion import ConfusionResult
    from boxlens.metrics.image_counts import ImageCountsResult
    from boxlens.metrics.olrp import OlrpResult
    from boxlens.report.study import Part

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


def _best_f1(found: ConfidenceResult, of: str) -> Table[ConfidenceCurve]:
    def best(curve: ConfidenceCurve, name: str) -> float | None:
        values = curve.best()
        # With F1 0 no threshold is better than another.
        return values[name] if values["F1"] or name == "F1" else None

    return Table(
        "",
        f"Best F1 at IoU {number(found.iou)}{of}",
        [found.overall, *found.classes],
        [
            Column("", "class", lambda curve: curve.name, TEXT),
            Column("", "threshold", lambda curve: best(curve, "threshold"), SCORE),
            Column("", "precision", lambda curve: best(curve, "precision")),
            Column("", "recall", lambda curve: best(curve, "recall")),
            Column("", "F1", lambda curve: best(curve, "F1")),
        ],
        brief=[found.overall],
    )


def _olrp(found: OlrpResult, of: str) -> Table[tuple[str, Mapping[str, float]]]:
    rows = [("mean over classes", found.mean), *found.classes]
    return Table(
        "",
        f"oLRP at IoU {number(found.iou)}, an error: 0 is perfect, 1 is worst{of}",
        rows,
        [
            Column("", "class", lambda row: row[0], TEXT),
            *(_olrp_column(key, heading) for key, heading in OLRP.items()),
            Column("", "threshold", lambda row: row[1].get("threshold")),
        ],
        brief=rows[:1],
    )


def _olrp_column(key: str, heading: str) -> Column[tuple[str, Mapping[str, float]]]:
    return Column("", heading, lambda row: row[1][key])


def _confused(found: ConfusionResult, of: str) -> Table[tuple[str, str, int]]:
    n_objects = dict(zip(found.names, found.matrix[:-1].sum(axis=1).tolist(), strict=True))
    rows = found.top(N_WORST)
    return Table(
        "",
        f"Most frequent confusions at score {number(found.min_score)} and above{of}",
        rows,
        [
            Column("", "object is", lambda row: row[0], TEXT),
            Column("", "called", lambda row: row[1], TEXT),
            Column("", "times", lambda row: row[2], COUNT),
            Column("", "of its class", lambda row: part(row[2], n_objects[row[0]]), SHARE),
        ],
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


def _worst_images(found: ImageCountsResult, of: str) -> Table[int]:
    order = np.argsort(-(found.fp + found.fn), kind="stable")[:N_WORST].tolist()
    columns: dict[str, Any] = {
        "hits": found.tp,
        "false positives": found.fp,
        "missed": found.fn,
    }
    return Table(
        "",
        f"Images with the most errors at score {number(found.min_score)} and above{of}",
        order,
        [
            Column("", "image", lambda row: found.image_id[row], ID),
            *(_count(heading, values) for heading, values in columns.items()),
        ],
        brief=order[:N_BRIEF],
    )


def _count(heading: str, values: Any) -> Column[int]:
    return Column("", heading, lambda row: int(values[row]), COUNT)


def _images_words(found: ImageCountsResult) -> str:
    return (
        f"{found.tp.sum():,} hits, {found.fp.sum():,} false positives, {found.fn.sum():,} missed "
        f"in {counted(len(found.tp), 'image')} at IoU {number(found.iou)}, score "
        f"{number(found.min_score)} and above. All images are in results.json and --json"
    )
