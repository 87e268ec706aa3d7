"""Curves, average precision, recall and summaries: the only place that counts hits and misses."""

from boxlens.metrics.evaluation import (
    EXTRAS,
    EvaluationChoice,
    choose,
    evaluate,
    evaluate_tables,
)
from boxlens.metrics.grid import AREA_RANGES, IOU_THRESHOLDS, MAX_DETS, Grid, GridChoice, count_grid
from boxlens.metrics.intervals import Interval, ResamplingChoice
from boxlens.metrics.protocols import PROTOCOLS, Prepared, prepare, prepare_dataset
from boxlens.metrics.results import ClassResult, DetectorResult, EvaluationResult

__all__ = [
    "AREA_RANGES",
    "EXTRAS",
    "IOU_THRESHOLDS",
    "MAX_DETS",
    "PROTOCOLS",
    "ClassResult",
    "DetectorResult",
    "EvaluationChoice",
    "EvaluationResult",
    "Grid",
    "GridChoice",
    "Interval",
    "Prepared",
    "ResamplingChoice",
    "choose",
    "count_grid",
    "evaluate",
    "evaluate_tables",
    "prepare",
    "prepare_dataset",
]
