"""What is in a picture file, in short: another hash is another picture."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def content_hash(path: Path) -> str:
    """A file is asked for many times in a run: one that has not changed is read once."""
    try:
        status = path.stat()
        return _hash_of(path, status.st_size, status.st_mtime_ns)
    except OSError:
        return ""  # reading the picture will say what is wrong


@cache
def _hash_of(path: Path, _size_bytes: int, _changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
