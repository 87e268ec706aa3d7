"""A study of oracles as Polars frames: one row an oracle, a class, a bin of overlap, a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boxlens.report.frames.typed_frame import typed_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from boxlens.proposals.detection_use.oracle_result import OracleScore, ProposalOracleResult
    from boxlens.report.frames.typed_frame import Record

TEXTS: Final = ("detector", "method", "oracle", "class", "kind")


def oracle_frames(result: ProposalOracleResult) -> dict[str, pl.DataFrame]:
    """By file name; undefined values are null, and a table without rows is left out."""
    tables: dict[str, Iterator[Record]] = {
        "oracles": (
            {**named, "AP": one.ap, "AP50": one.ap50, "n_detections": one.n_detections}
            for named, one in _scores(result)
        ),
        "oracle_classes": (
            {**named, "class": name, "AP50": ap50}
            for named, one in _scores(result)
            for name, ap50 in one.class_ap50.items()
        ),
        "scores_by_iou": _by_iou(result),
        "score_maps": _cells(result),
    }
    frames = {name: typed_frame(rows, texts=TEXTS) for name, rows in tables.items()}
    return {name: frame for name, frame in frames.items() if len(frame)}


def _scores(result: ProposalOracleResult) -> Iterator[tuple[Record, OracleScore]]:
    for one in result.oracles:
        for score in one.scores:
            named = {
                "detector": one.detector,
                "method": one.method or None,
                "budget": one.budget,
                "oracle": score.oracle,
            }
            yield named, score


def _by_iou(result: ProposalOracleResult) -> Iterator[Record]:
    for one in result.scores:
        by, edges = one.by_iou, one.by_iou.edges.round(6).tolist()
        for at, n_detections in enumerate(by.n_detections):
            yield {
                "detector": one.detector,
                "from": edges[at],
                "to": edges[at + 1],
                "score": float(by.mean[at]),
                "spread": float(by.spread[at]),
                "n_detections": n_detections,
            }


def _cells(result: ProposalOracleResult) -> Iterator[Record]:
    """All of them; those without a detection have no score."""
    for one in result.scores:
        for found in one.maps:
            x, y = found.x_edges.round(6).tolist(), found.y_edges.round(6).tolist()
            n_detections = found.n_detections.astype(int).tolist()
            for line, scores in enumerate(found.mean.tolist()):
                for column, score in enumerate(scores):
                    yield {
                        "detector": one.detector,
                        "kind": found.kind,
                        "x_from": x[column],
                        "x_to": x[column + 1],
                        "y_from": y[line],
                        "y_to": y[line + 1],
                        "score": score,
                        "n_detections": n_detections[line][column],
                    }
