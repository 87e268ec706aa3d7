"""Lines that survive a kill: a file of JSON documents, held by one process and only added to."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boxlens.errors import InputError
from boxlens.regular_files import appendable


@dataclass(frozen=True, slots=True)
class KeptLines:
    """`before` are the whole lines that were there."""

    path: Path
    descriptor: int
    before: tuple[bytes, ...]

    def add(self, *documents: Mapping[str, Any]) -> None:
        """One write per line, and all of them on the disk before the call returns."""
        try:
            for document in documents:
                self._write(line_of(document))
            os.fsync(self.descriptor)
        except OSError as problem:
            raise InputError(
                f"cannot be written ({problem.strerror})",
                path=self.path,
                remedy="Free some space and start again: finished work is kept",
            ) from problem

    def _write(self, line: bytes) -> None:
        """A full disk writes a part of the line: that is an error, and the part is dropped."""
        if os.write(self.descriptor, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def parsed(line: bytes) -> dict[str, Any] | None:
    """None for a line that is not a document, as a power failure may leave it."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def line_of(document: Mapping[str, Any]) -> bytes:
    """Floats are spelled so that they read back equal."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode() + b"\n"


@contextmanager
def kept_lines(path: Path, *, restart: bool = False) -> Iterator[KeptLines]:
    """The file, new or as a stopped run has left it: a torn last line is cut off."""
    try:
        descriptor = _locked(path)
    except OSError as problem:
        raise InputError(f"cannot be written ({problem.strerror})", path=path) from problem
    try:
        with os.fdopen(os.dup(descriptor), "rb") as file:
            content = b"" if restart else file.read()
        whole = content[: content.rfind(b"\n") + 1]
        os.ftruncate(descriptor, len(whole))
        yield KeptLines(path, descriptor, tuple(whole.split(b"\n")[:-1]))
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
