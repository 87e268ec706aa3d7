"""The evaluation as text: one column a detector."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.cli.extras_text import extras_texts
from boxlens.cli.intervals import interval_text
from boxlens.cli.output import aligned, score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.metrics import ClassResult, DetectorResult, EvaluationResult
    from boxlens.metrics.intervals import Interval

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
        parts += extras_texts(detector, per_class=per_class)
    return "\n\n".join(part for part in parts if part)


def _number(value: float, intervals: Mapping[str, Interval] | None, name: str) -> str:
    """With its interval, where there is one."""
    if intervals is None or math.isnan(value):
        return score(value)
    return f"{score(value)} {interval_text(intervals[name])}"


def _headline(result: EvaluationResult) -> str:
    facts = [TITLES[result.protocol], result.dataset]
    facts += [f"{result.n_images:,} images", f"{result.n_objects:,} objects"]
    return " | ".join(facts)


def _summary(result: EvaluationResult) -> str:
    names = [detector.name for detector in result.detectors]
    rows = [["metric", *names]]
    rows += [
        [
            metric,
            *(_number(row.metrics[metric], row.intervals, metric) for row in result.detectors),
        ]
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
            *(_number(row.metrics[metric], row.intervals, metric) for metric in metrics),
        ]
        for row in detector.classes
        if row.n_gt
    ]
    return aligned(rows) + _left_out(detector.classes)


def _classes(result: EvaluationResult) -> str:
    """Several detectors: AP of each class side by side."""
    rows = [["class (AP)", "objects", *(detector.name for detector in result.detectors)]]
    first = result.detectors[0].classes
    for at, row in enumerate(first):
        if row.n_gt:
            own = [detector.classes[at] for detector in result.detectors]
            values = [_number(one.metrics["AP"], one.intervals, "AP") for one in own]
            rows.append([row.name, f"{row.n_gt:,}", *values])
    return aligned(rows) + _left_out(first)


def _left_out(classes: Sequence[ClassResult]) -> str:
    empty = sum(row.n_gt == 0 for row in classes)
    return f"\n({empty:,} classes without objects are not shown)" if empty else ""
