"""Do systems fail where a measure says that classes are hard? (METHODS 3.7)"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boxlens.data.class_properties import ClassProperties
from boxlens.data.columns import Floats
from boxlens.errors import ParameterError
from boxlens.metrics.json_form import JsonRecord
from boxlens.studies.difficulty.accuracy import ScoreName, SystemAccuracy
from boxlens.studies.difficulty.class_measures import DatasetDifficulty
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MeasureName

# 97.5 % of a standard normal distribution lies below.
Z_95 = 1.959963984540054
FEWEST_CLASSES, FEWEST_FOR_INTERVAL = 3, 4


@dataclass(frozen=True, slots=True)
class Correlation(JsonRecord):
    """A score of a system's classes against a measure: r, its interval, and the line."""

    system: str
    score: ScoreName
    # A measure of difficulty, or a number of the user's class table.
    measure: MeasureName | str
    n_classes: int
    pearson: float
    # 95 % by Fisher's z.
    pearson_low: float
    pearson_high: float
    spearman: float
    # The least-squares line: score = intercept + slope * measure.
    slope: float
    intercept: float


def correlate(
    systems: Sequence[SystemAccuracy],
    difficulty: DatasetDifficulty,
    properties: ClassProperties | None = None,
) -> tuple[Correlation, ...]:
    """Every score of every system against each measure, and each quantity of the class table.

    Measures that no class has are left out.
    """
    columns: list[tuple[str, Floats]] = [*difficulty.columns().items()]
    if properties is not None:
        check_quantities(properties)
        columns += properties.numbers.items()
    return tuple(
        _correlation(system.name, score, measure, values, scores)
        for system in systems
        for score, scores in system.columns().items()
        for measure, values in columns
        if not np.isnan(values).all()
    )


def check_quantities(properties: ClassProperties) -> None:
    """Refuses numbers of the class table that would be taken for measures."""
    clash = set(properties.numbers) & set(MEASURE_NAMES)
    if clash:
        raise ParameterError(
            f"a column of the class table has the name of a measure, {min(clash)!r}: rename it"
        )


def _correlation(
    system: str, score: ScoreName, measure: str, values: Floats, scores: Floats
) -> Correlation:
    both = ~(np.isnan(values) | np.isnan(scores))
    x, y = values[both], scores[both]
    slope = intercept = pearson = spearman = math.nan
    # Compared, not subtracted from their mean: that leaves a trace of rounding in equal numbers.
    if len(x) >= FEWEST_CLASSES and x.min() < x.max():
        slope, intercept = _line(x, y)
        if y.min() < y.max():
            pearson, spearman = _pearson(x, y), _pearson(_ranks(x), _ranks(y))
    low, high = _interval(pearson, len(x))
    return Correlation(
        system, score, measure, len(x), pearson, low, high, spearman, slope, intercept
    )


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    across = x - x.mean()
    slope = float(across @ (y - y.mean()) / (across @ across))
    return slope, float(y.mean() - slope * x.mean())


def _pearson(x: Floats, y: Floats) -> float:
    across, up = x - x.mean(), y - y.mean()
    r = (across / np.linalg.norm(across)) @ (up / np.linalg.norm(up))
    return float(np.clip(r, -1.0, 1.0))


def _ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return ranks


def _interval(r: float, n_classes: int) -> tuple[float, float]:
    """Fisher's z of r is about normal, with a standard error of 1 / sqrt(n - 3)."""
    if math.isnan(r) or n_classes < FEWEST_FOR_INTERVAL:
        return math.nan, math.nan
    if abs(r) == 1:
        return r, r
    z, reach = math.atanh(r), Z_95 / math.sqrt(n_classes - 3)
    return math.tanh(z - reach), math.tanh(z + reach)
