"""Files of a folder, opened so that nothing on the way can lead out of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Self

from boxlens.errors import InputError

# A picture of a hundred megabytes is no use in a browser.
LARGEST_BYTES = 100 * 2**20


class FileGoneError(InputError):
    """The file is not there any more, or is not what it was when the app started."""


class FileTooLargeError(InputError):
    """More bytes than the app sends at once."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A plain file that is open; `version` changes whenever its content may have."""

    descriptor: int
    n_bytes: int
    version: str

    def read(self) -> bytes:
        with os.fdopen(self.descriptor, "rb", closefd=False) as file:
            return file.read(LARGEST_BYTES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        os.close(self.descriptor)


def open_inside(folder: Path, parts: Sequence[str]) -> StoredFile:
    """Opens the file `parts` below a folder, links refused at every step.

    Names are looked up one by one from an open folder, so that it does not matter what somebody
    puts in their place meanwhile.
    """
    name = "/".join(parts)
    if not parts or any(part in {"", ".", ".."} or "/" in part or "\0" in part for part in parts):
        raise FileGoneError(f"{name!r} is not in the folder")
    try:
        descriptor = _descend(folder, parts)
    except OSError as problem:
        raise FileGoneError(
            f"{name!r} cannot be opened ({problem.strerror})",
            remedy="It was there when the app started: restore it, or restart the app",
        ) from problem
    try:
        return _plain_file(descriptor, name)
    except BaseException:
        os.close(descriptor)
        raise


def _descend(folder: Path, parts: Sequence[str]) -> int:
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
            below = os.open(part, flags, dir_fd=at)
            os.close(at)
            at = below
        # Not blocking: a pipe would wait for somebody to write.
        return os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    finally:
        os.close(at)


def _plain_file(descriptor: int, name: str) -> StoredFile:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise FileGoneError(f"{name!r} is not a plain file")
    if found.st_size > LARGEST_BYTES:
        limit = LARGEST_BYTES // 2**20
        raise FileTooLargeError(f"{name!r} is larger than {limit} MB, too large to send")
    marks = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    version = blake2b(repr(marks).encode(), digest_size=12).hexdigest()
    return StoredFile(descriptor, found.st_size, version)
