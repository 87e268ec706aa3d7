"""An analysis of difficulty as Polars frames: one row a class, a data set, a level, a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

from boxlens.dataset_difficulty.accuracy import SCORES
from boxlens.dataset_difficulty.measures import MEASURE_NAMES
from boxlens.report.frames.tables import with_nulls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from boxlens.dataset_difficulty.class_measures import DatasetDifficulty
    from boxlens.dataset_difficulty.measures import MeasureName
    from boxlens.dataset_difficulty.result import DifficultyResult

Record = dict[str, Any]

NAMES: Final = (
    *("dataset", "class", "of", "system", "score", "measure"),
    *("windows", "windows_made_by", "target_of"),
)
GROUPS: Final = ("property", "value", "within_property", "within_value", "group", "node")
COUNTS: Final = ("level", "k")
FLAGS: Final = ("chosen", "reached")
QUARTILES: Final = ("lower_quartile", "median", "upper_quartile")


def difficulty_frames(result: DifficultyResult) -> dict[str, pl.DataFrame]:
    """By file name; undefined values are null, and a table without rows is left out."""
    tables: dict[str, Iterator[Record]] = {
        "classes": _classes(result),
        "datasets": map(_dataset, result.datasets),
        "systems_classes": _systems_classes(result),
        "levels": _levels(result),
        "level_classes": _level_classes(result),
        "nodes": _nodes(result),
        "correlations": (one.to_json() for one in result.correlations),
        "cumulative": _cumulative(result),
        "properties": _properties(result),
        "subsets": _subsets(result),
    }
    frames = {name: _frame(rows) for name, rows in tables.items()}
    return {name: frame for name, frame in frames.items() if len(frame)}


def quartiles(dataset: DatasetDifficulty, measure: MeasureName) -> tuple[float, float, float]:
    """Of the classes where the measure is defined."""
    values = np.array([one.value(measure) for one in dataset.classes], dtype=np.float64)
    known = values[~np.isnan(values)]
    if not len(known):
        return np.nan, np.nan, np.nan
    low, middle, high = np.percentile(known, (25, 50, 75)).tolist()
    return low, middle, high


def _frame(rows: Iterable[Record]) -> pl.DataFrame:
    """A column has the type of its name, also where everything is undefined."""
    records = list(rows)
    schema = {name: _type(name) for name in (records[0] if records else {})}
    return with_nulls(pl.DataFrame(records, schema=schema))


def _type(name: str) -> type[pl.DataType]:
    if name in NAMES or name in GROUPS:
        return pl.String
    if name in COUNTS or name.startswith("n_"):
        return pl.Int64
    return pl.Boolean if name in FLAGS else pl.Float64


def _classes(result: DifficultyResult) -> Iterator[Record]:
    for dataset in result.datasets:
        for one in dataset.classes:
            yield {"dataset": dataset.name, **one.to_json()}


def _dataset(one: DatasetDifficulty) -> Record:
    record = {
        "dataset": one.name,
        "n_images": one.n_images,
        "n_objects": one.n_objects,
        "n_left_out": one.n_left_out,
        "n_classes": one.n_classes,
        "windows": None if one.windows is None else one.windows.name,
        "windows_made_by": None if one.windows is None else one.windows.made_by or None,
        "n_windows": None if one.windows is None else one.windows.n_windows,
        "n_images_searched": None if one.windows is None else one.windows.n_images,
    }
    for name in MEASURE_NAMES:
        record |= {name: one.means[name], f"n_classes_{name}": one.n_defined[name]}
        ends = zip(QUARTILES, quartiles(one, name), strict=True)
        record |= {f"{name}_{what}": value for what, value in ends}
    return record


def _scores(scores: Mapping[str, Any], prefix: str = "") -> Record:
    return {f"{prefix}{name}": scores.get(name, np.nan) for name in SCORES}


def _systems_classes(result: DifficultyResult) -> Iterator[Record]:
    """Every system, then what they reach together."""
    bound = () if result.upper_bound is None else (result.upper_bound,)
    told = [("system", one) for one in result.systems] + [("together", one) for one in bound]
    for of, system in told:
        for one in system.classes:
            yield {
                "of": of,
                "system": system.name,
                "class": one.name,
                "n_images": one.n_images,
                **_scores(one.scores),
            }


def _levels(result: DifficultyResult) -> Iterator[Record]:
    for one in result.levels:
        yield {
            "system": one.system,
            "level": one.level,
            "accepted": one.n_accepted,
            **_scores(one.scores),
        }


def _level_classes(result: DifficultyResult) -> Iterator[Record]:
    for one in result.levels:
        known = {name: values.tolist() for name, values in one.class_scores.items()}
        for row, of_class in enumerate(result.datasets[0].classes):
            yield {
                "system": one.system,
                "level": one.level,
                "class": of_class.name,
                **_scores({name: values[row] for name, values in known.items()}),
            }


def _nodes(result: DifficultyResult) -> Iterator[Record]:
    for one in result.nodes:
        yield {
            "system": one.system,
            "node": one.node,
            "n_classes": len(one.classes),
            "n_images": one.n_images,
            "n_objects": one.n_objects,
            **_scores(one.scores),
            **_scores(one.exact_scores, "exact_"),
        }


def _cumulative(result: DifficultyResult) -> Iterator[Record]:
    for curve in result.cumulative:
        about = {name: getattr(curve, name) for name in ("system", "score", "measure")}
        points = zip(curve.x.tolist(), curve.mean.tolist(), curve.n_classes.tolist(), strict=True)
        for x, mean, n in points:
            yield {
                **about,
                "property": curve.property,
                "group": curve.group,
                "within_property": curve.within_property,
                "within_value": curve.within_value,
                "x": x,
                "mean": mean,
                "n_classes": int(n),
            }


def _properties(result: DifficultyResult) -> Iterator[Record]:
    """Means of the measures tell how hard a group is."""
    for one in result.properties:
        for group in one.groups:
            yield {
                "system": one.system,
                "score": one.score,
                "property": one.property,
                "within_property": one.within_property,
                "within_value": one.within_value,
                "value": group.value,
                "n_classes_with": len(group.classes),
                "n_classes": group.n_classes,
                "mean": group.mean,
                "low": group.low,
                "high": group.high,
                **{name: group.measures.get(name, np.nan) for name in MEASURE_NAMES},
                "n_classes_without": one.n_without,
            }


def _subsets(result: DifficultyResult) -> Iterator[Record]:
    """The k hardest classes and their mean; named are those that were chosen."""
    for one in result.subsets:
        for at, mean in enumerate(one.means.tolist()):
            chosen = at < len(one.classes)
            yield {
                "dataset": one.dataset,
                "measure": one.measure,
                "target": one.target,
                "target_of": one.target_of,
                "k": at + 1,
                "class": one.classes[at] if chosen else None,
                "mean": mean,
                "chosen": chosen,
                "reached": one.reached,
            }
