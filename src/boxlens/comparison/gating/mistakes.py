"""Mistakes in rules and slices, told with their place and the name that was probably meant."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from boxlens.errors import InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boxlens.errors import BoxlensError

MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was written: in a file, or in an argument."""

    where: str
    path: str | None = None

    def mistake(self, problem: str, remedy: str | None = None) -> BoxlensError:
        """The error to raise."""
        if self.path is not None:
            return InputError(problem, path=self.path, where=self.where, remedy=remedy)
        return ParameterError(f"{self.where}: {problem}" + (f". {remedy}" if remedy else ""))

    def unknown(self, what: str, word: str, known: Iterable[str]) -> BoxlensError:
        """A name that is none of the known ones."""
        return self.mistake(f"no {what} is called {word!r}", meant(word, list(known)))


def meant(word: str, known: list[str]) -> str:
    """A remedy: the nearest known name, and what is known."""
    if not known:
        return "There is none to choose from"
    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    question = f"Did you mean {by_lower[close[0]]!r}? " if close else ""
    return f"{question}Known: {some(known)}"


def some(names: list[str]) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
