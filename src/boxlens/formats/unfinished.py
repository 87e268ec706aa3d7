"""Files and folders that are being written, under a hidden name of their own.

Their writer holds them locked, and a lock ends with its process, however that ends: what is there
without one was left by a process that was killed, and goes when another writes beside it.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# An open descriptor, and the path.
Held = tuple[int, Path]

ENDING = ".boxlens-unfinished"
_NAME = re.compile(rf"\..*\.[a-z0-9_]{{8}}{re.escape(ENDING)}", re.DOTALL)
# Names of files have a limit.
_MOST_LETTERS = 40
# Looked through once by each process.
_looked_through: set[Path] = set()


@contextmanager
def unfinished_file(folder: Path, name: str) -> Iterator[Path]:
    """An empty file in the folder, to be moved away when it is whole; else it is removed."""
    with _held(folder, name, _new_file) as path:
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)


@contextmanager
def unfinished_folder(folder: Path, name: str) -> Iterator[Path]:
    """The same for a folder in it."""
    with _held(folder, name, _new_folder) as path:
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for the time of the block, among the temporary files of the system."""
    with unfinished_folder(Path(tempfile.gettempdir()), "scratch") as folder:
        yield folder


@contextmanager
def kept_or_scratch(keep: Path | None) -> Iterator[Path]:
    """The folder that is to stay, there yet or not, or one for the time of the block."""
    if keep is not None:
        yield keep
        return
    with scratch_folder() as folder:
        yield folder


def remove_left(folder: Path) -> None:
    """Removes what killed processes have left unfinished in a folder."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if _NAME.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_left(Path(entry.path))


@contextmanager
def _held(folder: Path, name: str, new: Callable[[Path, str], Held]) -> Iterator[Path]:
    place = folder.resolve()
    if place not in _looked_through:
        _looked_through.add(place)
        remove_left(folder)
    descriptor, path = new(folder, f".{name[:_MOST_LETTERS]}.")
    while not _is_ours(descriptor, path):
        os.close(descriptor)
        descriptor, path = new(folder, f".{name[:_MOST_LETTERS]}.")
    try:
        yield path
    finally:
        os.close(descriptor)


def _new_file(folder: Path, prefix: str) -> Held:
    descriptor, path = tempfile.mkstemp(dir=folder, prefix=prefix, suffix=ENDING)
    return descriptor, Path(path)


def _new_folder(folder: Path, prefix: str) -> Held:
    path = Path(tempfile.mkdtemp(dir=folder, prefix=prefix, suffix=ENDING))
    return os.open(path, os.O_RDONLY), path


def _is_ours(descriptor: int, path: Path) -> bool:
    """Locks it; between that and its making another process may have taken it for left."""
    try:
        _lock(descriptor)
    except BlockingIOError:
        return False
    except OSError:  # file systems without locks: nothing is removed there either
        return True
    return path.exists()


def _remove_if_left(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        _lock(descriptor)
        opened, there = os.fstat(descriptor), path.lstat()
        if opened.st_uid != os.getuid() or not os.path.samestat(opened, there):
            return
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
