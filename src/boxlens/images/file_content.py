"""What is in a picture file, in short: another hash is another picture."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from boxlens.errors import InputError
from boxlens.regular_files import file_hash


def content_hash(path: Path) -> str:
    """A file is asked for many times in a run: one that has not changed is read once."""
    try:
        status = path.stat()
        return _hash_of(path, status.st_size, status.st_mtime_ns)
    except (OSError, InputError):
        return ""  # reading the picture will say what is wrong


@cache
def _hash_of(path: Path, _size_bytes: int, _changed_ns: int) -> str:
    return file_hash(path)
