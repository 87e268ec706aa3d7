"""Which pairs of detectors are told of in words and figures: those of the best few."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from boxlens.studies.comparison.cases.discriminative import DiscriminativeResult
from boxlens.studies.comparison.paired import ClassPair, PairResult
from boxlens.studies.comparison.result import ComparisonResult
from boxlens.studies.comparison.together.strengths import StrengthsResult

# All pairs of these are shown; tables hold every pair.
MOST_DETECTORS = 3


@dataclass(frozen=True, slots=True)
class LeadingPair:
    """All that is known of two detectors, in the order they were named."""

    # Rows of the detectors.
    first: int
    second: int
    # By the league's number, by all numbers, and by AP of every class.
    headline: PairResult
    numbers: tuple[PairResult, ...]
    classes: tuple[ClassPair, ...]
    discriminative: DiscriminativeResult
    strengths: StrengthsResult

    @property
    def names(self) -> tuple[str, str]:
        return self.headline.a, self.headline.b


def leading_pairs(result: ComparisonResult) -> tuple[LeadingPair, ...]:
    """Pairs of the best detectors, the best two first."""
    places = {row.name: place for place, row in enumerate(result.league.rows)}
    names = [one.name for one in result.detectors]
    told = [
        (at, pair)
        for at, pair in enumerate(combinations(range(len(names)), 2))
        if max(places[names[row]] for row in pair) < MOST_DETECTORS
    ]
    told.sort(key=lambda one: sorted((places[names[row]] for row in one[1]), reverse=True))
    return tuple(_pair(result, at, *pair) for at, pair in told)


def _pair(result: ComparisonResult, at: int, first: int, second: int) -> LeadingPair:
    names = (result.detectors[first].name, result.detectors[second].name)
    numbers = tuple(row for row in result.pairs if (row.a, row.b) == names)
    return LeadingPair(
        first=first,
        second=second,
        headline=next(row for row in numbers if row.metric == result.league.metric),
        numbers=numbers,
        classes=tuple(row for row in result.classes if (row.a, row.b) == names),
        discriminative=result.discriminative[at],
        strengths=result.strengths[at],
    )
