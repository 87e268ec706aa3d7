"""Scores and measures of classes as columns, one value a class of the data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.studies.difficulty.accuracy import SCORES
from boxlens.studies.difficulty.measures import MEASURE_NAMES

if TYPE_CHECKING:
    from boxlens.data.columns import Floats
    from boxlens.studies.difficulty.accuracy import ScoreName, SystemAccuracy
    from boxlens.studies.difficulty.class_measures import DatasetDifficulty
    from boxlens.studies.difficulty.measures import MeasureName


def score_columns(system: SystemAccuracy) -> dict[ScoreName, Floats]:
    """The scores that at least one class has; NaN where a class has none."""
    columns = {
        name: np.array([one.scores.get(name, np.nan) for one in system.classes], dtype=np.float64)
        for name in SCORES
    }
    return {name: column for name, column in columns.items() if not np.isnan(column).all()}


def measure_columns(difficulty: DatasetDifficulty) -> dict[MeasureName, Floats]:
    """Every measure; NaN where it is undefined for a class."""
    return {
        name: np.array([one.value(name) for one in difficulty.classes], dtype=np.float64)
        for name in MEASURE_NAMES
    }
