"""The trials of a search in a file: killed and started again, it goes on."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.errors import InputError
from boxlens.formats.files import read_text
from boxlens.proposals.tuning.result import Trial

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class TrialFile:
    """One line a trial, after one that says which search it is."""

    path: Path | None
    search: str

    def read(self) -> list[Trial]:
        """The trials of this search so far; a line cut off by a kill is done again."""
        if self.path is None or not self.path.exists():
            return []
        head, *lines = read_text(self.path).split("\n")
        if not lines:  # killed before the first line was whole
            self.path.unlink()
            return []
        if head != json.dumps({"search": self.search}):
            raise InputError(
                "holds the trials of another search",
                path=self.path,
                remedy="Remove it, name another folder, or repeat the search it was begun with",
            )
        return [self._trial(number, line) for number, line in enumerate(lines[:-1], start=2)]

    def _trial(self, number: int, line: str) -> Trial:
        try:
            return _trial(json.loads(line))
        except (LookupError, TypeError, ValueError, RecursionError) as problem:
            raise InputError(
                "not a trial",
                path=self.path,
                where=f"line {number}",
                remedy="Remove this line and those after it: they are done again",
            ) from problem

    def add(self, trial: Trial) -> None:
        if self.path is None:
            return
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps({"search": self.search}) + "\n", encoding="utf-8")
        whole, _, cut_off = read_text(self.path).rpartition("\n")
        if cut_off:
            self.path.write_text(f"{whole}\n", encoding="utf-8")
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(trial.to_json()) + "\n")


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
