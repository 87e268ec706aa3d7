"""Which detector is better, is the difference real, and on which images does it show."""

from boxlens.studies.comparison.analysis import compare, compare_tables
from boxlens.studies.comparison.cases.discriminative import DiscriminativeChoice
from boxlens.studies.comparison.choice import ComparisonChoice
from boxlens.studies.comparison.result import ComparisonResult

__all__ = [
    "ComparisonChoice",
    "ComparisonResult",
    "DiscriminativeChoice",
    "compare",
    "compare_tables",
]
