"""Classes by the values of properties, and scores by what classes are like (METHODS 3.7)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxlens.data.class_properties import ClassProperties
from boxlens.data.columns import Floats, Rows
from boxlens.errors import ParameterError
from boxlens.metrics.json_form import JsonRecord, to_json
from boxlens.studies.difficulty.accuracy import ScoreName, SystemAccuracy
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.class_measures import (
    ClassDifficulty,
    DatasetDifficulty,
    mean_of_defined,
)
from boxlens.studies.difficulty.measures import MEASURE_NAMES

N_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class ClassGroups:
    """A property's values, each with the rows of its classes; values without classes are none."""

    property: str
    # Such as ("kind", "man-made"); empty texts: all classes.
    within_property: str
    within_value: str
    groups: tuple[tuple[str, Rows], ...]
    # With a value of the property or without.
    n_classes: int


@dataclass(frozen=True, slots=True)
class GroupScore(JsonRecord):
    """The classes with one value of a property: mean of a score, and a 95 % interval."""

    value: str
    classes: tuple[str, ...]
    # Of `classes`, those where the score is defined.
    n_classes: int
    mean: float
    low: float
    high: float
    # How hard the group is: means over its classes.
    measures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PropertyScores:
    """A score of one system by the values of a property, perhaps within a value of another."""

    system: str
    score: ScoreName
    property: str
    # Such as ("kind", "man-made"); empty texts: all classes.
    within_property: str
    within_value: str
    groups: tuple[GroupScore, ...]
    # Classes without a value of the property.
    n_without: int

    def to_json(self) -> dict[str, Any]:
        within = {"property": self.within_property, "value": self.within_value}
        return {
            "system": self.system,
            "score": self.score,
            "property": self.property,
            "within": within if self.within_property else None,
            "groups": to_json(self.groups),
            "n_without": self.n_without,
        }


def score_properties(
    systems: Sequence[SystemAccuracy],
    difficulty: DatasetDifficulty,
    properties: ClassProperties,
    choice: DifficultyChoice,
) -> tuple[PropertyScores, ...]:
    """Every score of every system by each property, and by those that `choice.nest` asks for.

    Intervals are percentiles of 2,000 draws of the group's classes; NaN for fewer than two.
    """
    columns = [
        (system.name, score, column)
        for system in systems
        for score, column in system.columns().items()
    ]
    by_partition = [
        _scored(part, columns, difficulty, choice.seed)
        for part in nested_groups(properties, choice.nest)
    ]
    return tuple(one for of_column in zip(*by_partition, strict=True) for one in of_column)


def _scored(
    part: ClassGroups,
    columns: Sequence[tuple[str, ScoreName, Floats]],
    difficulty: DatasetDifficulty,
    seed: int,
) -> list[PropertyScores]:
    by_group = [
        _scored_group(
            value,
            [difficulty.classes[row] for row in rows],
            [one[rows] for *_, one in columns],
            seed,
        )
        for value, rows in part.groups
    ]
    return [
        PropertyScores(
            system,
            score,
            part.property,
            part.within_property,
            part.within_value,
            tuple(groups[at] for groups in by_group),
            part.n_classes - sum(len(rows) for _, rows in part.groups),
        )
        for at, (system, score, _) in enumerate(columns)
    ]


def _scored_group(
    value: str, classes: Sequence[ClassDifficulty], columns: Sequence[Floats], seed: int
) -> list[GroupScore]:
    """One score per column; columns with as many known scores share their draws."""
    names = tuple(one.name for one in classes)
    measures: dict[str, float] = {
        measure: mean_of_defined(one.value(measure) for one in classes) for measure in MEASURE_NAMES
    }
    # Sorted, and drawn by their number alone: no order of classes, groups or systems matters.
    known = [np.sort(scores[~np.isnan(scores)]) for scores in columns]
    drawn = {n: _drawn_weights(n, seed) for n in {len(scores) for scores in known} if n > 1}
    found = []
    for scores in known:
        low = high = math.nan
        if len(scores) in drawn:
            low, high = np.quantile(drawn[len(scores)] @ scores, [0.025, 0.975]).tolist()
        mean = mean_of_defined(scores.tolist())
        found.append(GroupScore(value, names, len(scores), mean, low, high, measures))
    return found


def _drawn_weights(n_classes: int, seed: int) -> Floats:
    """Shares of the classes in each draw with replacement: [draw, class]."""
    drawn = np.random.default_rng([seed, n_classes]).integers(0, n_classes, (N_DRAWS, n_classes))
    drawn += np.arange(N_DRAWS)[:, None] * n_classes
    counts = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
    weights: Floats = counts / n_classes
    return weights


def nested_groups(
    properties: ClassProperties, nested: Sequence[tuple[str, str]] = ()
) -> Iterator[ClassGroups]:
    """Every property over all classes, then every inner one within each value of its outer one."""
    for name, values in properties.values.items():
        yield ClassGroups(name, "", "", _filled(properties.groups(name)), len(values))
    for outer, inner in nested:
        check_nested(outer, inner, properties)
        for outer_value, inside in properties.groups(outer):
            shares = [
                (value, np.intersect1d(rows, inside)) for value, rows in properties.groups(inner)
            ]
            yield ClassGroups(inner, outer, outer_value, _filled(shares), len(inside))


def check_nested(outer: str, inner: str, properties: ClassProperties) -> None:
    """Refuses what the class table cannot nest."""
    for name in (outer, inner):
        if name not in properties.values:
            known = ", ".join(repr(one) for one in properties.values)
            raise ParameterError(f"properties are {known}, got {name!r} (--nest, nest)")
    if outer == inner:
        raise ParameterError(
            f"a property is looked at within another, got {outer!r} twice (--nest, nest)"
        )


def _filled(groups: Sequence[tuple[str, Rows]]) -> tuple[tuple[str, Rows], ...]:
    return tuple((value, rows) for value, rows in groups if len(rows))
