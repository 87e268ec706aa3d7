"""The trials of a search in a file: killed and started again, it goes on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boxlens.data import Notice
from boxlens.errors import InputError
from boxlens.formats.kept_lines import KeptLines, kept_lines, parsed
from boxlens.studies.proposals.tuning.result import Trial


@dataclass(frozen=True, slots=True)
class Made:
    """A trial, and what was told when it was made."""

    trial: Trial
    notices: tuple[Notice, ...] = ()

    def to_json(self) -> dict[str, Any]:
        told = [[one.code, one.count, one.message] for one in self.notices]
        return {**self.trial.to_json(), **({"notices": told} if told else {})}


@contextmanager
def trial_file(path: Path, search: str) -> Iterator[tuple[KeptLines, list[Made]]]:
    """One line per trial, after one that says which search it is, and the trials of it so far.

    A line cut off by a kill is done again.
    """
    with kept_lines(path) as lines:
        if not lines.before:
            lines.add({"search": search})
        elif parsed(lines.before[0]) != {"search": search}:
            raise InputError(
                "holds the trials of another search",
                path=path,
                remedy="Remove it, name another folder, or repeat the search it was begun with",
            )
        yield lines, list(_made(path, lines.before))


def _made(path: Path, lines: Sequence[bytes]) -> Iterator[Made]:
    for number, line in enumerate(lines[1:], start=2):
        try:
            document = parsed(line) or {}
            told = tuple(Notice(*one) for one in document.get("notices", ()))
            yield Made(_trial(document), told)
        except (LookupError, TypeError, ValueError) as problem:
            raise InputError(
                "not a trial",
                path=path,
                where=f"line {number}",
                remedy="Remove this line and those after it: they are done again",
            ) from problem


def _trial(line: dict[str, Any]) -> Trial:
    return Trial(
        number=line["number"],
        settings=line["settings"],
        ar=_number(line["AR"]),
        recall_50=_number(line["recall"]["0.5"]),
        n_mean=_number(line["n_mean"]),
        seconds_per_image=_number(line["seconds_per_image"]),
    )


def _number(value: float | None) -> float:
    """What is undefined is null in JSON."""
    return math.nan if value is None else value
