"""How hard a data set is, and what makes its classes hard."""

from boxlens.dataset_difficulty.analysis import difficulty, difficulty_tables
from boxlens.dataset_difficulty.choice import DifficultyChoice
from boxlens.dataset_difficulty.given import (
    ClassKnowledge,
    check_asked,
    know_classes,
    read_systems,
)
from boxlens.dataset_difficulty.matched_subset import subset_dataset
from boxlens.dataset_difficulty.measures import MEASURE_NAMES, MEASURES
from boxlens.dataset_difficulty.result import DifficultyResult

__all__ = [
    "MEASURES",
    "MEASURE_NAMES",
    "ClassKnowledge",
    "DifficultyChoice",
    "DifficultyResult",
    "check_asked",
    "difficulty",
    "difficulty_tables",
    "know_classes",
    "read_systems",
    "subset_dataset",
]
