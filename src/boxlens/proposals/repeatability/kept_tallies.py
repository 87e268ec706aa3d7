"""Tallies that survive a kill: a file of one line for each generator and picture.

Every line names what it was made from, so that a run takes up the lines that are its own, and
pictures, methods and settings may change from one run to the next.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxlens.errors import InputError
from boxlens.formats.files import appendable
from boxlens.proposals.repeatability.measuring import Tally
from boxlens.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from boxlens.proposals.generators.protocols import Generator
    from boxlens.proposals.repeatability.choice import RepeatabilityChoice

FILE_NAME = "repeatability.jsonl"


@dataclass(slots=True)
class KeptTallies:
    """Held by this process alone; without a file, in memory only."""

    n_steps: int
    path: Path | None = None
    descriptor: int = -1
    by_origin: dict[str, Tally] = field(default_factory=dict)

    def add(self, origin: str, tally: Tally) -> None:
        self.by_origin[origin] = tally
        if self.path is None:
            return
        document = {"origin": origin, **tally.to_json()}
        line = json.dumps(document, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        try:
            whole = os.write(self.descriptor, line) == len(line)
            os.fsync(self.descriptor)
        except OSError as problem:
            raise _unwritable(self.path, problem.strerror) from problem
        if not whole:
            raise _unwritable(self.path, "no space left")


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
    """What is known already, from earlier runs in this folder."""
    if folder is None:
        yield KeptTallies(n_steps)
        return
    path = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise _unwritable(path, problem.strerror) from problem
    descriptor = appendable(path)
    try:
        _lock(descriptor, path)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        os.ftruncate(descriptor, len(whole))  # a torn line: its picture is done again
        kept = KeptTallies(n_steps, path, descriptor)
        for line in whole.split(b"\n")[:-1]:
            _take_up(kept, line)
        yield kept
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    """Ours until it is closed or the process ends, however it ends."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            "another process is writing this study",
            path=path,
            remedy="Wait for it to end, or name another folder",
        ) from None


def _take_up(kept: KeptTallies, line: bytes) -> None:
    """Lines of other settings, or that a power failure has damaged, are as good as none."""
    try:
        document: dict[str, Any] = json.loads(line)
        kept.by_origin[document["origin"]] = Tally.of_json(document, kept.n_steps)
    except (LookupError, TypeError, ValueError, OverflowError, RecursionError):
        return


def _unwritable(path: Path, reason: str | None) -> InputError:
    remedy = "Make room or name another folder: what is done stays done"
    return InputError(f"cannot be written ({reason})", path=path, remedy=remedy)
