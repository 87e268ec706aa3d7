"""Folders written whole or not at all, as `written_whole` does for one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from boxlens.errors import InputError
from boxlens.formats.unfinished import unfinished_folder


@contextmanager
def folder_written_whole(path: str | PathLike[str]) -> Iterator[Path]:
    """Gives a temporary folder that takes the place of `path` only when the block succeeds.

    A folder that already holds something is refused: nothing of the user's is overwritten.
    """
    target = Path(path).absolute()
    refuse_occupied(target, path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished_folder(target.parent, target.name) as temporary:
            yield temporary
            temporary.chmod(0o755)
            if target.is_dir():
                target.rmdir()
            temporary.rename(target)
    except OSError as problem:
        raise InputError(
            f"cannot be written ({problem.strerror or problem})",
            path=path,
            where=None if problem.filename is None else Path(str(problem.filename)).name,
        ) from problem


def refuse_occupied(target: Path, path: str | PathLike[str]) -> None:
    """A file, or a folder that holds something."""
    if target.exists() and not target.is_dir():
        raise InputError("expected a folder to write, found a file", path=path)
    if target.is_dir() and any(target.iterdir()):
        raise InputError(
            "the folder is not empty",
            path=path,
            remedy="Name a new folder, or empty this one first",
        )
