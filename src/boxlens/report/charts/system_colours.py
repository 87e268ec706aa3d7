"""The colours of the systems whose difficulty with classes is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.colours import LINE, colours_of

if TYPE_CHECKING:
    from boxlens.studies.difficulty.accuracy import ScoreName
    from boxlens.studies.difficulty.result import DifficultyResult


def system_colours(
    result: DifficultyResult, *, bound_by: ScoreName | None = None
) -> dict[str, str]:
    """`bound_by`: with what they reach together, where it has that score."""
    colours = colours_of([one.name for one in result.systems])
    bound = result.upper_bound
    if bound is None or bound_by is None or not bound.has(bound_by):
        return colours
    return {**colours, bound.name: LINE}
