"""The colours of the systems whose difficulty with classes is drawn, and their key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from boxlens.report.charts.colours import LINE, colours_of
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Spec
from boxlens.studies.difficulty.accuracy import ScoreName
from boxlens.studies.difficulty.result import DifficultyResult

KEY_PX: Final = 300


def system_colours(
    result: DifficultyResult, *, bound_by: ScoreName | None = None
) -> dict[str, str]:
    """`bound_by`: with what they reach together, where it has that score."""
    colours = colours_of([one.name for one in result.systems])
    bound = result.upper_bound
    if bound is None or bound_by is None or not bound.has(bound_by):
        return colours
    return {**colours, bound.name: LINE}


def system_key(colours: Mapping[str, str], drawn: Iterable[str]) -> list[Spec]:
    """Of those that are drawn."""
    kept = set(drawn)
    return key({name: colour for name, colour in colours.items() if name in kept}, width=KEY_PX)
