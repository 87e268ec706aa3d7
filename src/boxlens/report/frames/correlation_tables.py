"""A study of recall and mAP as Polars frames: one row a method, a class, an overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boxlens.report.frames.typed_frame import typed_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from boxlens.proposals.detection_use.correlation_result import ProposalCorrelationResult
    from boxlens.report.frames.typed_frame import Record

TEXTS: Final = ("method", "detector", "class")


def correlation_frames(result: ProposalCorrelationResult) -> dict[str, pl.DataFrame]:
    """By file name; undefined values are null, and a table without rows is left out."""
    tables: dict[str, Iterator[Record]] = {
        "methods": _methods(result),
        "method_classes": _method_classes(result),
        "correlations": _correlations(result),
        "correlations_by_iou": _by_iou(result),
    }
    frames = {name: typed_frame(rows, texts=TEXTS) for name, rows in tables.items()}
    return {name: frame for name, frame in frames.items() if len(frame)}


def _methods(result: ProposalCorrelationResult) -> Iterator[Record]:
    for one in result.scores:
        yield {
            "method": one.method,
            "detector": one.detector or None,
            "budget": result.budget,
            "n_mean": one.n_mean,
            "AR": one.ar,
            "mAP": one.map,
        }


def _method_classes(result: ProposalCorrelationResult) -> Iterator[Record]:
    for one in result.scores:
        for name, ap in one.class_ap.items():
            yield {
                "method": one.method,
                "detector": one.detector or None,
                "class": name,
                "AP": ap,
            }


def _correlations(result: ProposalCorrelationResult) -> Iterator[Record]:
    """The class is null where all classes are meant."""
    for one in result.correlations:
        yield {
            "detector": one.detector or None,
            "class": one.class_name or None,
            "n_methods": one.n_methods,
            "r_AR": one.with_ar,
            "r_AR_50_70": one.with_partial_ar,
        }


def _by_iou(result: ProposalCorrelationResult) -> Iterator[Record]:
    for one in result.correlations:
        for iou, r in zip(one.ious.tolist(), one.at_iou.tolist(), strict=True):
            yield {
                "detector": one.detector or None,
                "class": one.class_name or None,
                "iou": round(iou, 6),
                "r": r,
            }
