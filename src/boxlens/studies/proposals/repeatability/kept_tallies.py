"""Tallies that survive a kill: a file of one line for each generator and picture.

Every line names what it was made from, so that a run takes up the lines that are its own, and
pictures, methods and settings may change from one run to the next.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from boxlens.formats.kept_lines import KeptLines, kept_lines, parsed
from boxlens.formats.unfinished import kept_or_scratch
from boxlens.studies.proposals.generators.protocols import Generator
from boxlens.studies.proposals.repeatability.choice import RepeatabilityChoice
from boxlens.studies.proposals.repeatability.measuring import Tally
from boxlens.version import VERSION

FILE_NAME = "repeatability.jsonl"


@dataclass(slots=True)
class KeptTallies:
    """Held by this process alone."""

    n_steps: int
    lines: KeptLines
    by_origin: dict[str, Tally] = field(default_factory=dict)

    def add(self, origin: str, tally: Tally) -> None:
        self.by_origin[origin] = tally
        self.lines.add({"origin": origin, **tally.to_json()})


def origin_of(
    generator: Generator, choice: RepeatabilityChoice, image_id: int | str, name: str, size: int
) -> str:
    """Everything that a tally depends on; `size` is that of the file in bytes."""
    asked = choice.to_json()
    del asked["n_images"]  # more pictures do not change what was measured on the others
    parts = [VERSION, generator.identity, asked, image_id, name, size]
    return json.dumps(parts, separators=(",", ":"))


@contextmanager
def kept_tallies(folder: Path | None, n_steps: int) -> Iterator[KeptTallies]:
    """What is known already, from earlier runs in this folder; without one nothing stays."""
    with kept_or_scratch(folder) as place, kept_lines(place / FILE_NAME) as lines:
        kept = KeptTallies(n_steps, lines)
        for line in lines.before:
            _take_up(kept, line)
        yield kept


def _take_up(kept: KeptTallies, line: bytes) -> None:
    """Lines of other settings, or that a power failure has damaged, are as good as none."""
    try:
        document = parsed(line) or {}
        kept.by_origin[document["origin"]] = Tally.of_json(document, kept.n_steps)
    except (LookupError, TypeError, ValueError, OverflowError):
        return
