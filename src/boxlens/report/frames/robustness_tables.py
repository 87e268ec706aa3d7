"""A study of robustness as Polars frames: one row a step, class, error, group, set or cell."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import numpy as np

from boxlens.detector_robustness.result import METRICS
from boxlens.diagnosis.tide import GAINS
from boxlens.report.frames.typed_frame import typed_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from boxlens.data.columns import Floats
    from boxlens.detector_robustness.result import RobustnessResult, StepRobustness
    from boxlens.images.transforming.transform import Step
    from boxlens.report.frames.typed_frame import Record

TEXTS: Final = (
    *("detector", "name", "title", "group", "label", "reference", "class", "error"),
    *("file", "reason", "remark"),
)
FLAGS: Final = ("complete",)


def robustness_frames(result: RobustnessResult) -> dict[str, pl.DataFrame]:
    """By file name; undefined values are null, and a table without rows is left out."""
    tables: dict[str, Iterator[Record]] = {
        "robustness_steps": _steps(result),
        "robustness_classes": _classes(result),
        "robustness_bound": _bound(result),
        "robustness_errors": _errors(result),
        "robustness_corrupted": _corrupted(result),
        "robustness_sets": _sets(result),
        "robustness_failed": map(asdict, result.failed),
        "robustness_remarks": map(asdict, result.remarks),
    }
    frames = {name: typed_frame(rows, texts=TEXTS, flags=FLAGS) for name, rows in tables.items()}
    frames["robustness_density"] = _density(result)
    return {name: frame for name, frame in frames.items() if len(frame)}


def _all_steps(result: RobustnessResult) -> Iterator[tuple[Record, StepRobustness]]:
    """How a row begins, and the step; the unchanged pictures first."""
    for detector in result.detectors:
        for one in (detector.clean, *detector.steps):
            yield {"detector": detector.name, **_named(one.step)}, one


def _named(step: Step) -> Record:
    return {"name": step.name, "severity": step.level}


def _steps(result: RobustnessResult) -> Iterator[Record]:
    for named, one in _all_steps(result):
        around = None if one.drop is None else one.drop.interval
        yield {
            **named,
            "title": one.title,
            "group": one.group,
            "label": one.label,
            **{name: one.metrics[name] for name in METRICS},
            "reference": one.reference.slug,
            **{f"relative_{name}": one.relative[name] for name in METRICS},
            "drop": math.nan if around is None else around.value,
            "drop_low": math.nan if around is None else around.low,
            "drop_high": math.nan if around is None else around.high,
            "p": math.nan if one.drop is None else one.drop.p,
            "p_holm": math.nan if one.drop is None else one.drop.p_holm,
            "n_images": one.n_images,
            "n_objects": one.n_objects,
            "n_detections": one.n_detections,
        }


def _classes(result: RobustnessResult) -> Iterator[Record]:
    for named, one in _all_steps(result):
        for name, ap in zip(result.classes, one.by_class, strict=True):
            yield {**named, "class": name, "AP": ap}


def _bound(result: RobustnessResult) -> Iterator[Record]:
    if result.uap_by_class is not None:
        for name, uap in zip(result.classes, result.uap_by_class, strict=True):
            yield {"class": name, "UAP": uap}


def _errors(result: RobustnessResult) -> Iterator[Record]:
    for named, one in _all_steps(result):
        for kind in GAINS:
            yield {
                **named,
                "error": kind,
                "dAP": one.error_gain[kind],
                "dAP_growth": one.error_growth[kind],
                "per_object": one.errors_per_object[kind],
            }


def _corrupted(result: RobustnessResult) -> Iterator[Record]:
    for detector in result.detectors:
        for one in detector.corrupted:
            yield {
                "detector": detector.name,
                "group": one.group,
                "n_corruptions": one.n_corruptions,
                "complete": one.complete,
                "AP": one.ap,
                "relative": one.relative,
            }


def _sets(result: RobustnessResult) -> Iterator[Record]:
    for one in result.sets:
        yield {
            **_named(one.step),
            "n_images": one.n_images,
            "n_objects": one.n_objects,
            "n_objects_gone": one.n_objects_gone,
        }


def _density(result: RobustnessResult) -> pl.DataFrame:
    """Boxes over each cell of the unit square; of objects the detector is null.

    Column by column: cells are hundreds of thousands.
    """
    import polars as pl

    maps: list[tuple[str | None, Step, Floats]] = [
        (None, one.step, one.density) for one in result.sets
    ]
    maps += [
        (detector.name, one.step, one.density)
        for detector in result.detectors
        for one in (detector.clean, *detector.steps)
    ]
    return pl.concat(_cells(who, step, density) for who, step, density in maps)


def _cells(who: str | None, step: Step, density: Floats) -> pl.DataFrame:
    import polars as pl

    high, wide = density.shape
    y, x = np.indices(density.shape).reshape(2, -1)
    places = {
        "x_from": x / wide,
        "x_to": (x + 1) / wide,
        "y_from": y / high,
        "y_to": (y + 1) / high,
        "boxes": density.ravel(),
    }
    level = step.level if step.graded else None
    return pl.DataFrame(places).select(
        pl.lit(who, dtype=pl.String).alias("detector"),
        pl.lit(step.name).alias("name"),
        pl.lit(level, dtype=pl.Float64).alias("severity"),
        *places,
    )
