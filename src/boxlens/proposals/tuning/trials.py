"""The trials of a search in a file: killed and started again, it goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.errors import InputError
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
        head, *lines = self.path.read_text(encoding="utf-8").split("\n")
        if head != json.dumps({"search": self.search}):
            raise InputError(
                "holds the trials of another search",
                path=self.path,
                remedy="Remove it, name another folder, or repeat the search it was begun with",
            )
        return [_trial(json.loads(line)) for line in lines[:-1]]

    def add(self, trial: Trial) -> None:
        if self.path is None:
            return
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps({"search": self.search}) + "\n", encoding="utf-8")
        whole, _, cut_off = self.path.read_text(encoding="utf-8").rpartition("\n")
        if cut_off:
            self.path.write_text(f"{whole}\n", encoding="utf-8")
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(trial.to_json()) + "\n")


def _trial(line: dict[str, Any]) -> Trial:
    return Trial(
        number=line["number"],
        settings=line["settings"],
        ar=line["AR"],
        recall_50=line["recall"]["0.5"],
        n_mean=line["n_mean"],
        seconds_per_image=line["seconds_per_image"],
    )
