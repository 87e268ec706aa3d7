"""How hard a data set is, and what makes its classes hard."""

from boxlens.studies.difficulty.analysis import difficulty, difficulty_tables
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.given import check_asked, know_classes, read_systems
from boxlens.studies.difficulty.matched_subset import subset_dataset
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MEASURES
from boxlens.studies.difficulty.result import DifficultyResult

__all__ = [
    "MEASURES",
    "MEASURE_NAMES",
    "DifficultyChoice",
    "DifficultyResult",
    "check_asked",
    "difficulty",
    "difficulty_tables",
    "know_classes",
    "read_systems",
    "subset_dataset",
]
