"""Where a table came from, and what its reader had to leave out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a reader skipped or filled in: counted and shown, never silent."""

    code: str
    count: int
    message: str


def counted_notice(code: str, count: int, many: str, one: str = "") -> tuple[Notice, ...]:
    """Of a number and what follows it, in other words where it is 1; none where it is 0."""
    what = one if one and count == 1 else many
    return (Notice(code, count, f"{count:,} {what}"),) if count else ()


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder as it was when it was read."""

    path: Path
    format: str
    size_bytes: int
    modified_ns: int

    @classmethod
    def of(cls, path: Path, format_name: str) -> Source:
        status = path.stat()
        return cls(path, format_name, status.st_size, status.st_mtime_ns)

    def sha256(self) -> str | None:
        """The file's hash; None for a folder, or a file that changed since it was read."""
        import hashlib

        if not self.path.is_file():
            return None
        if Source.of(self.path, self.format) != self:
            return None
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
