"""What a notebook is told of a result, and how long lists are cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boxlens.report.pages.markup import Cell
    from boxlens.report.planning.figure_plan import Figure

MOST_ROWS = 12
MOST_DETECTORS = 4


@dataclass(frozen=True, slots=True)
class Summary:
    """What is shown; `figure` is how the main figure's name begins, empty where there is none."""

    title: str
    about: str
    lead: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    figure: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """How one kind of result is summed up, and which figures it has."""

    summary: Callable[[Any], Summary]
    figures: Callable[[Any], Sequence[Figure]]


def more_rows(n_rows: int) -> str:
    """How many rows are not shown; empty: none."""
    return f"and {n_rows - MOST_ROWS:,} more" if n_rows > MOST_ROWS else ""


def listed_names(names: Sequence[str], n_more: int, noun: str = "detectors") -> str:
    """All of a few names, or how many there are."""
    if len(names) + n_more > MOST_DETECTORS:
        return f"{len(names) + n_more} {noun}"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
