"""Mistakes in rules and slices, told with their place and the name that was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from boxlens.data.naming import some_names
from boxlens.errors import BoxlensError, InputError, ParameterError

# AP at one threshold or over a range of them, as other tools write it: mAP@0.5, AP@[.5:.95].
_AP = re.compile(
    r"m?ap(?:@?(?:iou)?=?0?\.?(?P<threshold>\d{1,2})(?P<range>[:-](?:0?\.05:)?0?\.?95)?)?"
)


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
    near = nearest(word, known)
    question = f"Did you mean {near!r}? " if near else ""
    return f"{question}Known: {some_names(known)}"


def nearest(word: str, known: list[str]) -> str | None:
    """The known name that was probably meant, if there is one."""
    by_lower = {name.lower(): name for name in known}
    for spelling in (_plain(word), word.lower()):
        close = get_close_matches(spelling, by_lower, n=1, cutoff=0.6)
        if close:
            return by_lower[close[0]]
    return None


def _plain(word: str) -> str:
    """In lower case; AP in the spelling of COCO's own numbers: AP50, or AP over all thresholds."""
    lower = word.lower()
    average = _AP.fullmatch(re.sub(r"[\s_\[\]()]", "", lower))
    if average is None:
        return lower
    if average["threshold"] is None or average["range"]:
        return "ap"
    return f"ap{average['threshold']:0<2}"
