"""What a kept piece of work was made from, in a file beside it: a run takes up its own alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boxlens.errors import InputError
from boxlens.formats.files import DATA_BYTES, read_json, write_text

# What work is made from, as a message calls it.
_CALLED = {
    "schema": "kind of file",
    "boxlens": "version of Boxlens",
    "detector": "detector",
    "identity": "model or spec",
    "step": "transform",
    "level": "level",
    "settings": "seed or setting of the transforms",
    "ground_truth": "ground truth",
    "pictures": "set of pictures (--n-images, or changed files)",
    "scenes": "scenes",
    "masks": "use of masks",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Written when the work begins, and once more, with its outcome, when it is done."""

    path: Path
    made_from: Mapping[str, Any]

    def refuse_other(self, work: Path, remedy: str) -> None:
        """Work that was made from anything else is left alone."""
        if not self.path.exists():
            if _holds_something(work):
                problem = "already there, and what it was made from is not known"
                raise InputError(problem, path=work, remedy=remedy)
            return
        old = _read(self.path).get("made_from")
        known = old if isinstance(old, dict) else {}
        wanted = json.loads(json.dumps(self.made_from))
        different = [called for key, called in _CALLED.items() if known.get(key) != wanted.get(key)]
        if different:
            raise InputError(f"made from another {', '.join(different)}", path=work, remedy=remedy)

    def outcome(self) -> dict[str, Any] | None:
        """None while the work is not done."""
        if not self.path.exists():
            return None
        done = _read(self.path).get("outcome")
        return done if isinstance(done, dict) else None

    def begin(self) -> None:
        if not self.path.exists():
            self._write(None)

    def finish(self, outcome: Mapping[str, Any]) -> None:
        self._write(outcome)

    def _write(self, outcome: Mapping[str, Any] | None) -> None:
        document = {"made_from": self.made_from, "outcome": outcome}
        write_text(self.path, json.dumps(document) + "\n")


def _holds_something(work: Path) -> bool:
    """A folder is made before its origin is written: a kill in between leaves it empty."""
    if work.is_dir():
        return any(not path.name.startswith(".") for path in work.iterdir())
    return work.exists()


def _read(path: Path) -> dict[str, Any]:
    try:
        document = read_json(path, most_bytes=DATA_BYTES)
    except InputError:
        document = None
    return document if isinstance(document, dict) else {}
