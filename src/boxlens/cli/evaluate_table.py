"""The evaluation as text: one column a detector."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.cli.output import aligned

if TYPE_CHECKING:
    from boxlens.metrics import DetectorResult, EvaluationResult

TITLES = {
    "coco": "COCO",
    "voc07": "VOC 2007 (11-point)",
    "voc12": "VOC 2010-2012 (area)",
    "lvis": "LVIS",
    "openimages": "Open Images",
}


def evaluation_text(result: EvaluationResult, *, per_class: bool) -> str:
    """Summary, then the further tables that were asked for."""
    parts = [_headline(result), _summary(result)]
    if per_class:
        parts += [_classes(result)] if len(result.detectors) > 1 else [_class(result.detectors[0])]
    for detector in result.detectors:
        parts += _extras(detector)
    return "\n\n".join(part for part in parts if part)


def score(value: float) -> str:
    """Four digits; undefined is a dash."""
    return "-" if math.isnan(value) else f"{value:.4f}"


def _headline(result: EvaluationResult) -> str:
    facts = [TITLES[result.protocol], result.dataset]
    facts += [f"{result.n_images:,} images", f"{result.n_objects:,} objects"]
    return " | ".join(facts)


def _summary(result: EvaluationResult) -> str:
    names = [detector.name for detector in result.detectors]
    rows = [["metric", *names]]
    rows += [
        [metric, *(score(detector.metrics[metric]) for detector in result.detectors)]
        for metric in result.detectors[0].metrics
    ]
    rows.append(["detections", *(f"{detector.n_detections:,}" for detector in result.detectors)])
    return aligned(rows)


def _class(detector: DetectorResult) -> str:
    """One detector: all numbers of each class."""
    metrics = list(detector.classes[0].metrics) if detector.classes else []
    rows = [["class", "objects", "detections", *metrics]]
    rows += [
        [
            row.name,
            f"{row.n_gt:,}",
            f"{row.n_detections:,}",
            *(score(row.metrics[metric]) for metric in metrics),
        ]
        for row in detector.classes
    ]
    return aligned(rows)


def _classes(result: EvaluationResult) -> str:
    """Several detectors: AP of each class side by side."""
    rows = [["class (AP)", "objects", *(detector.name for detector in result.detectors)]]
    for at, row in enumerate(result.detectors[0].classes):
        values = [detector.classes[at].metrics["AP"] for detector in result.detectors]
        rows.append([row.name, f"{row.n_gt:,}", *map(score, values)])
    return aligned(rows)


def _extras(detector: DetectorResult) -> list[str]:
    extras, texts = detector.extras, []
    if extras.confidence is not None:
        texts.append(_confidence(detector))
    if extras.olrp is not None:
        rows = [["class", "oLRP", "localisation", "false pos.", "missed", "threshold"]]
        mean = extras.olrp.mean
        parts = ("oLRP", "oLRP_loc", "oLRP_fp", "oLRP_fn")
        rows.append(["mean over classes", *(score(mean[part]) for part in parts), ""])
        rows += [
            [name, *(score(values[part]) for part in (*parts, "threshold"))]
            for name, values in extras.olrp.classes
        ]
        texts.append(f"{detector.name}: oLRP at IoU {extras.olrp.iou:g}\n{aligned(rows)}")
    if extras.confusion is not None:
        texts.append(_confusion(detector))
    if extras.images is not None:
        counts = extras.images
        text = (
            f"{detector.name}: {counts.tp.sum():,} hits, {counts.fp.sum():,} false positives, "
            f"{counts.fn.sum():,} missed at IoU {counts.iou:g}, score >= {counts.min_score:g} "
            f"({len(counts.tp):,} images; each one is in --json)"
        )
        texts.append(text)
    if extras.curves is not None:
        n_curves = sum(row.points.n_positive > 0 for row in extras.curves.classes)
        texts.append(
            f"{detector.name}: {n_curves} precision-recall curves at IoU "
            f"{extras.curves.iou:g} are in --json"
        )
    return texts


def _confidence(detector: DetectorResult) -> str:
    found = detector.extras.confidence
    if found is None:
        return ""
    rows = [["class", "best threshold", "precision", "recall", "F1"]]
    rows += [
        [curve.name, *(score(value) for value in curve.best().values())]
        for curve in (found.overall, *found.classes)
    ]
    return f"{detector.name}: operating point of best F1 at IoU {found.iou:g}\n{aligned(rows)}"


def _confusion(detector: DetectorResult) -> str:
    found = detector.extras.confusion
    if found is None:
        return ""
    matrix = found.matrix
    right = int(matrix.diagonal()[:-1].sum())
    head = (
        f"{detector.name}: confusion at IoU {found.iou:g}, score >= {found.min_score:g}: "
        f"{right:,} right, {int(matrix[:-1, -1].sum()):,} not found, "
        f"{int(matrix[-1, :-1].sum()):,} on background; the matrix is in --json"
    )
    top = found.top()
    if not top:
        return head
    rows = [["object is", "called", "times"]] + [[true, said, f"{n:,}"] for true, said, n in top]
    return f"{head}\n{aligned(rows)}"
