"""Small files of this user alone, which a later start finds again."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

LARGEST_BYTES = 16 * 2**20


def private_folder(variable: str, otherwise: str) -> Path:
    """Ours below a folder that the XDG specification names: a variable, or a place in the home."""
    named = os.environ.get(variable, "")
    # A relative path is to be ignored, says the specification.
    folder = Path(named) if Path(named).is_absolute() else Path.home() / otherwise
    return folder / "boxlens"


def read_private(path: Path) -> bytes | None:
    """None where there is no such file, or one that others may have read or written."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        private = stat.S_ISREG(found.st_mode) and not found.st_mode & 0o077
        if not private or found.st_uid != os.geteuid():
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(LARGEST_BYTES)
    finally:
        os.close(descriptor)


def write_private(path: Path, content: bytes) -> None:
    """Appears whole or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
