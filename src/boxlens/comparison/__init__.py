"""Which detector is better, is the difference real, and on which images does it show."""

from boxlens.comparison.analysis import compare, compare_tables
from boxlens.comparison.cases.discriminative import DiscriminativeChoice
from boxlens.comparison.result import ComparisonChoice, ComparisonResult

__all__ = [
    "ComparisonChoice",
    "ComparisonResult",
    "DiscriminativeChoice",
    "compare",
    "compare_tables",
]
