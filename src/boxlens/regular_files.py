"""The one place that opens a file of the user's: a regular one, and nothing else.

A pipe, a socket or a device is refused before it is opened: it could wait for ever, or never end.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from os import PathLike
from pathlib import Path

from boxlens.errors import InputError

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def existing(path: str | PathLike[str]) -> Path:
    """The path, if something is there."""
    _kind(path)
    return Path(path)


def real_path(path: str | PathLike[str]) -> Path:
    """Where a path leads, links followed; links in a ring lead nowhere and stay as they are."""
    return Path(os.path.realpath(path))


def existing_file(path: str | PathLike[str]) -> Path:
    """The path, if a regular file is there; whoever hands a path to a library asks here first."""
    _refuse_special(path, _kind(path))
    return Path(path)


def existing_folder(path: str | PathLike[str]) -> Path:
    """The path, if a folder is there."""
    if _kind(path) != stat.S_IFDIR:
        raise InputError("expected a folder, found a file", path=path, remedy="Name its folder")
    return Path(path)


@contextmanager
def reading(path: str | PathLike[str]) -> Iterator[None]:
    """Errors of the system in the block (a folder that may not be listed) name the path."""
    try:
        yield
    except OSError as problem:
        raise _unreadable(problem.filename or path, problem) from problem


def opened(path: str | PathLike[str]) -> BufferedReader:
    """A regular file, open for reading; use it in a `with`."""
    existing_file(path)
    with reading(path):
        return os.fdopen(_descriptor(path, os.O_RDONLY), "rb")


def appendable(path: str | PathLike[str]) -> int:
    """A descriptor of a regular file, new or old, to read and to add to; the caller closes it."""
    if os.path.lexists(path):
        existing_file(path)
    try:
        return _descriptor(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    except OSError as problem:
        raise InputError(f"cannot be written ({problem.strerror})", path=path) from problem


def file_hash(path: str | PathLike[str]) -> str:
    """SHA-256 of a file as it is on the disk, in hexadecimal digits."""
    import hashlib

    with reading(path), opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def reason_of(problem: BaseException) -> str:
    """What a library said, in one line; it says little of what is nested too deeply."""
    if isinstance(problem, RecursionError):
        return "nested too deeply"
    return " ".join(str(problem).split())[:300] or type(problem).__name__


def _kind(path: str | PathLike[str]) -> int:
    """What is there, by `stat`; nothing is opened."""
    try:
        return stat.S_IFMT(Path(path).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError) as problem:
        remedy = "Check the spelling"
        raise InputError("no such file or folder", path=path, remedy=remedy) from problem
    except OSError as problem:
        raise _unreadable(path, problem) from problem


def _refuse_special(path: str | PathLike[str], kind: int) -> None:
    if kind == stat.S_IFDIR:
        raise InputError("expected a file, found a folder", path=path, remedy="Name a file in it")
    if kind != stat.S_IFREG:
        raise InputError(
            f"expected a file, found {_KINDS.get(kind, 'something else')}",
            path=path,
            remedy="Save what it gives as a file, and name that",
        )


def _descriptor(path: str | PathLike[str], flags: int) -> int:
    """Of a regular file: even if a pipe takes its place meanwhile, nobody waits for a writer."""
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    try:
        _refuse_special(path, stat.S_IFMT(os.fstat(descriptor).st_mode))
    except InputError:
        os.close(descriptor)
        raise
    return descriptor


def _unreadable(path: str | PathLike[str], problem: OSError) -> InputError:
    return InputError(f"cannot be read ({problem.strerror or problem})", path=path)
