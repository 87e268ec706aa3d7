"""How figures and pages name the data set of a result, and who was studied on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.metrics.results import Provenance


def data_set_words(provenance: Provenance) -> str:
    """The name of its file, without the ending: the result knows no other."""
    source = provenance.ground_truth
    return "the data set" if source is None else source.path.name.split(".")[0] or "the data set"


def listed_words(names: Sequence[str], noun: str, *, most: int = 2) -> str:
    """All of a few names, or how many there are."""
    if not 0 < len(names) <= most:
        return number_words(len(names), noun)
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def number_words(n: int, noun: str) -> str:
    """1 method; 12 methods."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
