"""Where a table came from, and what its reader had to skip."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from boxlens.errors import InputError
from boxlens.regular_files import file_hash


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a reader skipped or filled in: counted and shown, never silent."""

    code: str
    count: int
    message: str


def counted_notice(code: str, count: int, many: str, one: str = "") -> tuple[Notice, ...]:
    """A notice about a count, with its own wording for 1; no notice for 0."""
    what = one if one and count == 1 else many
    return (Notice(code, count, f"{count:,} {what}"),) if count else ()


def file_notices(path: str | os.PathLike[str], *found: tuple[str, int, str]) -> tuple[Notice, ...]:
    """Codes, counts and words of what a file holds; what it holds 0 of is not worth a notice."""
    return tuple(Notice(code, count, f"{path}: {words}") for code, count, words in found if count)


class ReadFile(NamedTuple):
    """A file as it was when it was read."""

    path: Path
    size_bytes: int
    modified_ns: int

    @classmethod
    def of(cls, path: Path) -> ReadFile:
        status = path.stat()
        return cls(path, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class Source:
    """What a table was read from: one file, or the files of a folder that its reader opened."""

    path: Path
    format: str
    files: tuple[ReadFile, ...]
    # Pictures of which the size ("640x480") and the name alone were read.
    pictures: tuple[tuple[str, Path], ...] = ()
    # The file of attributes that were joined to it.
    attributes: Source | None = None
    # The part of it that was asked for; None and none: all.
    split: str | None = None
    classes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        path: Path,
        format_name: str,
        files: Iterable[Path] | None = None,
        pictures: Iterable[tuple[str, Path]] = (),
    ) -> Source:
        """`files` are those that were read where `path` is not the only one."""
        read = tuple(ReadFile.of(file) for file in ((path,) if files is None else files))
        return cls(path, format_name, read, tuple(pictures))

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files)

    def sha256(self) -> str | None:
        """The hash of a file, or of a list of files; None where one changed since it was read.

        The list is what sha256sum prints, sorted by name: a hash and a path relative to the folder
        on each line, and for a picture its size instead of the hash.
        """
        import hashlib

        try:
            if any(ReadFile.of(file.path) != file for file in self.files):
                return None
            if [file.path for file in self.files] == [self.path] and not self.pictures:
                return file_hash(self.path)
            lines = [(self._name(file.path), file_hash(file.path)) for file in self.files]
        except (OSError, InputError):
            return None
        lines += [(self._name(path), size) for size, path in self.pictures]
        text = "".join(f"{mark}  {name}\n" for name, mark in sorted(set(lines)))
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

    def _name(self, file: Path) -> str:
        """Relative to the folder, so that a data set that was moved keeps its hash."""
        folder = self.path if self.path.is_dir() else self.path.parent
        return Path(os.path.relpath(file, folder)).as_posix()
