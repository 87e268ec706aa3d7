"""An upper bound as Polars frames: strategies, detectors, classes, overlaps, sizes, context."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from boxlens.report.frames.typed_frame import typed_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from boxlens.metrics.intervals import Interval
    from boxlens.recognition_bound.result import UpperBoundResult
    from boxlens.report.frames.typed_frame import Record

TEXTS: Final = (
    "strategy",
    "detector",
    "of",
    "name",
    "class",
    "size",
    "kind",
    "object_id",
    "image_id",
    "file_name",
    "said",
    "file",
    "reason",
    "remark",
)
# Whose numbers a row has.
STRATEGY, DETECTOR = "strategy", "detector"
ALL: Final = "all"


def bound_frames(result: UpperBoundResult) -> dict[str, pl.DataFrame]:
    """By file name; undefined values are null, and a table without rows is left out."""
    tables: dict[str, Iterator[Record]] = {
        "bound_summary": _summary(result),
        "bound_detectors": _detectors(result),
        "bound_classes": _classes(result),
        "bound_by_iou": _by_iou(result),
        "bound_by_size": _by_size(result),
        "bound_context": _context(result),
        "bound_mistakes": _mistakes(result),
        "bound_failed": map(asdict, result.failed),
        "bound_remarks": map(asdict, result.remarks),
    }
    frames = {name: typed_frame(rows, texts=TEXTS) for name, rows in tables.items()}
    return {name: frame for name, frame in frames.items() if len(frame)}


def _summary(result: UpperBoundResult) -> Iterator[Record]:
    for one in result.strategies:
        yield {
            "strategy": one.strategy,
            "n_objects": result.n_objects,
            "n_labelled": one.n_labelled,
            "UAP": one.uap,
            **_ends("UAP", one.interval),
            "accuracy": one.accuracy,
            "class_accuracy": one.class_accuracy,
            "r": one.correlation.r,
            "r_squared": one.correlation.r_squared,
            "n_classes": one.correlation.n_classes,
        }


def _detectors(result: UpperBoundResult) -> Iterator[Record]:
    for one in result.detectors:
        yield {
            "detector": one.name,
            "AP": one.ap,
            "UAP": result.bound.uap,
            "share_of_UAP": one.share,
            "gap": result.bound.uap - one.ap,
            **_ends("gap", one.gap),
        }


def _ends(name: str, found: Interval | None) -> Record:
    return {
        f"{name}_low": math.nan if found is None else found.low,
        f"{name}_high": math.nan if found is None else found.high,
    }


def _classes(result: UpperBoundResult) -> Iterator[Record]:
    """AP of a strategy is its UAP; detectors have no accuracy."""
    for one in result.strategies:
        for of_class in one.classes:
            yield {
                "of": STRATEGY,
                "name": one.strategy,
                "class": of_class.name,
                "n_objects": of_class.n_objects,
                "AP": of_class.uap,
                "AP50": of_class.uap50,
                "accuracy": of_class.accuracy,
            }
    for detector in result.detectors:
        for of_class, ap in zip(result.bound.classes, detector.by_class, strict=True):
            yield {
                "of": DETECTOR,
                "name": detector.name,
                "class": of_class.name,
                "n_objects": of_class.n_objects,
                "AP": ap,
                "AP50": math.nan,
                "accuracy": math.nan,
            }


def _by_iou(result: UpperBoundResult) -> Iterator[Record]:
    for of, name, values in [
        *((STRATEGY, one.strategy, one.by_iou) for one in result.strategies),
        *((DETECTOR, one.name, one.by_iou) for one in result.detectors),
    ]:
        yield from ({"of": of, "name": name, "iou": iou, "AP": ap} for iou, ap in values.items())


def _by_size(result: UpperBoundResult) -> Iterator[Record]:
    """All objects first."""
    named: list[tuple[str, str, Mapping[str, float]]] = [
        (STRATEGY, one.strategy, {ALL: one.uap, **one.by_size}) for one in result.strategies
    ]
    named += [(DETECTOR, one.name, {ALL: one.ap, **one.by_size}) for one in result.detectors]
    for of, name, values in named:
        yield from ({"of": of, "name": name, "size": size, "AP": ap} for size, ap in values.items())


def _context(result: UpperBoundResult) -> Iterator[Record]:
    for one in result.context:
        yield {
            "kind": one.kind,
            "scale": one.scale,
            "n_objects": one.n_objects,
            "accuracy": one.accuracy,
            "class_accuracy": one.class_accuracy,
        }


def _mistakes(result: UpperBoundResult) -> Iterator[Record]:
    for one in result.mistakes:
        x, y, w, h = one.box.tolist()
        yield {
            # Of text or number in the file; in one column both are text.
            "object_id": str(one.object_id),
            "image_id": str(one.image_id),
            "file_name": one.file_name,
            "class": one.true_class,
            "said": one.said,
            "score": one.score,
            "x": x,
            "y": y,
            "w": w,
            "h": h,
        }
