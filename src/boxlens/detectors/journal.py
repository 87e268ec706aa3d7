"""What a run has found so far, kept in a file that survives a kill, and as results in the end."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from boxlens.data import Dataset, Detections, GroundTruth, Images, Notice
from boxlens.data.columns import frozen
from boxlens.detectors.batches import Findings
from boxlens.detectors.protocols import Detector
from boxlens.errors import InputError
from boxlens.formats.kept_lines import KeptLines, kept_lines, parsed

VERSION = 1
_RESTART = "--restart discards it and starts again; or name another output"
# Fields of the header, as a message calls them.
_CALLED = {
    "version": "version of the journal",
    "boxlens": "version of Boxlens",
    "detector": "detector",
    "identity": "model or spec",
    "min_score": "--min-score",
    "max_per_image": "--max-per-image",
    "classes": "classes",
}


@dataclass(frozen=True, slots=True)
class Record:
    """One image as it was done: what was found, or why nothing could be."""

    image_id: int | str
    file: str
    size_bytes: int
    found: Findings | None
    changes: tuple[str, ...] = ()
    error: str | None = None
    # What the detector said of the batch, with the first image of it.
    notices: tuple[Notice, ...] = ()

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "image_id": self.image_id,
            "file": self.file,
            "bytes": self.size_bytes,
        }
        if self.changes:
            document["changes"] = self.changes
        if self.notices:
            document["notices"] = [[one.code, one.count, one.message] for one in self.notices]
        if self.found is None:
            document["error"] = self.error
        else:
            document["box"] = self.found.box.tolist()
            document["score"] = self.found.score.tolist()
            document["class_row"] = self.found.class_row.tolist()
        return document

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Record:
        found = None
        if "box" in document:
            found = Findings(
                frozen(document["class_row"], np.int32),
                frozen(document["box"], np.float64).reshape(-1, 4),
                frozen(document["score"], np.float64),
            )
        return cls(
            document["image_id"],
            document["file"],
            document["bytes"],
            found,
            tuple(document.get("changes", ())),
            document.get("error"),
            tuple(Notice(*one) for one in document.get("notices", ())),
        )


@dataclass(slots=True)
class Journal:
    """An open journal: held by this process alone, and only ever added to."""

    lines: KeptLines
    # Lines that are whole but unreadable, as a power failure may leave them: done again.
    n_damaged: int = 0
    records: dict[int | str, Record] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return self.lines.path

    @property
    def new(self) -> bool:
        return not self.lines.before

    def add(self, records: Iterable[Record]) -> None:
        """On the disk before the call returns."""
        added = list(records)
        self.lines.add(*(record.to_json() for record in added))
        self.records.update({record.image_id: record for record in added})

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


@contextmanager
def open_journal(path: Path, header: Mapping[str, Any], *, restart: bool) -> Iterator[Journal]:
    """The journal of a run with this header, new or as an interrupted run has left it."""
    with kept_lines(path, restart=restart) as lines:
        journal = Journal(lines)
        if journal.new:
            lines.add({"version": VERSION, **header})
        else:
            _take_up(journal, lines.before, header)
        try:
            yield journal
        finally:
            if not journal.records:
                journal.remove()


def _take_up(journal: Journal, lines: Sequence[bytes], header: Mapping[str, Any]) -> None:
    """Fills an old journal's records in, once it is sure that they belong to this run."""
    _refuse_other(journal.path, parsed(lines[0]), {"version": VERSION, **header})
    for line in lines[1:]:
        try:
            record = Record.of(parsed(line) or {})
            journal.records[record.image_id] = record
        except (LookupError, TypeError, ValueError, OverflowError):
            journal.n_damaged += 1


def _refuse_other(path: Path, old: dict[str, Any] | None, wanted: dict[str, Any]) -> None:
    if old is None or "version" not in old:
        raise InputError(
            "not the journal of a run", path=path, remedy="Move it away, or name another output"
        )
    plain = json.loads(json.dumps(wanted))
    different = [called for key, called in _CALLED.items() if old.get(key) != plain.get(key)]
    if different:
        raise InputError(
            f"an unfinished run with another {', '.join(different)}", path=path, remedy=_RESTART
        )


def write_results(
    detections: Detections, detector: Detector, keys: Sequence[int | str], target: Path
) -> None:
    """COCO results; the journal may go only once they are on the disk."""
    from boxlens.formats import write_detections

    unknown = np.full(len(keys), np.nan)
    images, _ = Images.of(keys, unknown, unknown, [""] * len(keys))
    nothing = GroundTruth.of(len(keys), image_row=[], class_row=[], box=[])
    dataset = Dataset("pictures", images, detector.classes, nothing)
    write_detections(detections, dataset, target, "coco")
    with target.open("rb") as file:
        os.fsync(file.fileno())


def summed_notices(notices: Iterable[Notice], of_each: str) -> Iterator[Notice]:
    """One notice per kind for all batches or sets: the text of the first, the count of all."""
    kinds: dict[str, list[Notice]] = {}
    for notice in notices:
        kinds.setdefault(notice.code, []).append(notice)
    for code, alike in kinds.items():
        count = sum(notice.count for notice in alike)
        more = f" (in one {of_each}; {count:,} in all)" if len(alike) > 1 else ""
        yield Notice(code, count, alike[0].message + more)
