"""What a run has found so far, kept in a file that survives a kill: one line an image."""

from __future__ import annotations

import errno
import json
import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.data import Notice
from boxlens.data.columns import Boxes, Floats, Rows, frozen
from boxlens.errors import InputError
from boxlens.formats.files import appendable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

VERSION = 1
_RESTART = "--restart throws it away and begins anew; or name another output"
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
class Found:
    """The detections on one image."""

    box: Boxes
    score: Floats
    class_row: Rows

    @classmethod
    def of(cls, box: Any, score: Any, class_row: Any) -> Found:
        return cls(
            frozen(np.asarray(box, dtype=np.float64).reshape(-1, 4), np.float64),
            frozen(score, np.float64),
            frozen(class_row, np.int32),
        )


@dataclass(frozen=True, slots=True)
class Record:
    """One image as it was done: what was found, or why nothing could be."""

    image_id: int | str
    file: str
    size_bytes: int
    found: Found | None
    changes: tuple[str, ...] = ()
    error: str | None = None
    # What the detector said of the batch, with the first image of it.
    notices: tuple[Notice, ...] = ()

    def line(self) -> bytes:
        """Floats are spelled so that they read back equal."""
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
        return _line(document)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Record:
        found = None
        if "box" in document:
            found = Found.of(document["box"], document["score"], document["class_row"])
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

    path: Path
    descriptor: int
    new: bool
    # Lines that are whole but unreadable, as a power failure may leave them: done again.
    n_damaged: int = 0
    records: dict[int | str, Record] = field(default_factory=dict)

    def add(self, records: Iterable[Record]) -> None:
        """One write a line, and all of them on the disk before the call returns."""
        try:
            for record in records:
                _write(self.descriptor, record.line())
                self.records[record.image_id] = record
            os.fsync(self.descriptor)
        except OSError as problem:
            raise InputError(
                f"cannot be written ({problem.strerror})",
                path=self.path,
                remedy="Make room and start again: what is done stays done",
            ) from problem

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


@contextmanager
def open_journal(path: Path, header: Mapping[str, Any], *, restart: bool) -> Iterator[Journal]:
    """The journal of a run with this header, new or as an interrupted run has left it."""
    try:
        descriptor = _locked(path)
    except OSError as problem:
        raise InputError(f"cannot be written ({problem.strerror})", path=path) from problem
    try:
        with os.fdopen(os.dup(descriptor), "rb") as file:
            content = b"" if restart else file.read()
        whole = content[: content.rfind(b"\n") + 1]
        journal = Journal(path, descriptor, new=not whole)
        if whole:
            _take_up(journal, whole.split(b"\n")[:-1], header)
        os.ftruncate(descriptor, len(whole))  # a torn line: its image is done again
        if not whole:
            _write(descriptor, _line({"version": VERSION, **header}))
        try:
            yield journal
        finally:
            if not journal.records:
                journal.remove()
    finally:
        os.close(descriptor)


def _locked(path: Path) -> int:
    """Opens the file and holds it until it is closed or the process ends, however it ends."""
    import fcntl

    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        descriptor = appendable(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Its last holder may have removed the file between our opening and locking it.
            if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise InputError(
                "another process is writing this run",
                path=path,
                remedy="Wait for it to end, or name another output",
            ) from None
        os.close(descriptor)


def _take_up(journal: Journal, lines: list[bytes], header: Mapping[str, Any]) -> None:
    """Fills an old journal's records in, once it is sure that they belong to this run."""
    _refuse_other(journal.path, _parsed(lines[0]), {"version": VERSION, **header})
    for line in lines[1:]:
        try:
            record = Record.of(_parsed(line) or {})
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


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _line(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _write(descriptor: int, line: bytes) -> None:
    """A full disk writes a part of the line: that is an error, and the part is dropped later."""
    if os.write(descriptor, line) < len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
