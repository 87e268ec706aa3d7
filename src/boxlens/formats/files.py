"""Files as bytes, text and JSON, up to a limit; .gz is opened wherever a plain file is.

Nothing is half-written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import GzipFile
from io import BufferedReader, BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

from boxlens.errors import InputError
from boxlens.regular_files import (
    appendable,
    existing,
    existing_file,
    existing_folder,
    file_hash,
    opened,
    reading,
    real_path,
    reason_of,
)

__all__ = [
    "DATA_BYTES",
    "GZIP_MAGIC",
    "SMALL_BYTES",
    "UNPACKED_BYTES",
    "UNPACKED_FACTOR",
    "appendable",
    "damaged_gzip",
    "default_name",
    "existing",
    "existing_file",
    "existing_folder",
    "file_hash",
    "is_gzip",
    "opened",
    "plain_name",
    "read_bytes",
    "read_json",
    "read_text",
    "reading",
    "reason_of",
    "stem",
    "unpacked",
    "write_text",
    "written_whole",
]

GZIP_MAGIC = b"\x1f\x8b"
# Tables, trees, settings and specs that people write, and the labels of one image.
SMALL_BYTES = 32 << 20
# Tables of whole data sets that are read at once. What is mapped (COCO) has no limit.
DATA_BYTES = 8 << 30
# A packed file may grow to this size, or by this factor: annotations seldom pack better than 1:30.
UNPACKED_BYTES, UNPACKED_FACTOR = 1 << 30, 100
_PIECE_BYTES = 1 << 20


def is_gzip(path: Path) -> bool:
    """Whether the content, not the name, says gzip."""
    with reading(path), opened(path) as file:
        return file.read(2) == GZIP_MAGIC


def unpacked(file: BufferedReader) -> BufferedReader | GzipFile:
    """The same bytes, or what they unpack to where they are gzip."""
    import gzip

    packed = file.read(2) == GZIP_MAGIC
    file.seek(0)
    return gzip.GzipFile(fileobj=file) if packed else file


def read_bytes(path: str | PathLike[str], most_bytes: int = SMALL_BYTES) -> bytes:
    """The whole content, unpacked where it is gzip; more than so many bytes are refused."""
    with reading(path), opened(path) as file, damaged_gzip(path):
        size = os.fstat(file.fileno()).st_size
        content = unpacked(file)
        if content is not file:
            most_bytes = min(most_bytes, max(UNPACKED_BYTES, UNPACKED_FACTOR * size))
        elif size > most_bytes:
            raise _too_large(path, f"has {size:,}", most_bytes)
        found = BytesIO()
        while piece := content.read(_PIECE_BYTES):
            if found.tell() + len(piece) > most_bytes:
                raise _too_large(
                    path, f"unpacks to {found.tell() + len(piece):,} or more", most_bytes
                )
            found.write(piece)
    return found.getvalue()


@contextmanager
def damaged_gzip(path: str | PathLike[str]) -> Iterator[None]:
    """Whatever unpacking raises is an error of the file."""
    import gzip
    import zlib

    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
        raise InputError(
            f"damaged gzip data ({problem})",
            path=path,
            remedy="Copy or download the file again",
        ) from problem


def read_text(path: str | PathLike[str], most_bytes: int = SMALL_BYTES) -> str:
    """The whole content as UTF-8, a byte order mark removed."""
    content = read_bytes(path, most_bytes)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InputError(
            f"not UTF-8 text (byte {problem.start})",
            path=path,
            remedy="Save the file as UTF-8",
        ) from problem


def read_json(
    path: str | PathLike[str], *, remedy: str | None = None, most_bytes: int = SMALL_BYTES
) -> Any:
    """The value that a JSON file holds."""
    text = read_text(path, most_bytes)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InputError(f"not JSON ({reason_of(problem)})", path=path, remedy=remedy) from problem


def plain_name(path: Path) -> str:
    """The file name without a closing .gz."""
    return path.name.removesuffix(".gz")


def stem(path: Path) -> str:
    """The file name without .gz and without its ending."""
    return Path(plain_name(path)).stem


def default_name(path: Path) -> str:
    """What a detector is called when nobody says: the file's stem, or the folder's name."""
    return path.resolve().name if path.is_dir() else stem(path)


@contextmanager
def written_whole(path: str | PathLike[str]) -> Iterator[Path]:
    """Gives a temporary file that takes the place of `path` only when the block succeeds.

    A target that ends in .gz is packed on the way. A link is followed, and what is no plain file
    (a pipe, a device) is written to, not replaced.
    """
    import gzip
    import shutil
    import tempfile

    from boxlens.formats.unfinished import unfinished_file

    target = real_path(path)
    if target.is_dir():
        raise InputError("expected a file to write, found a folder", path=path)
    special = target.exists() and not target.is_file()
    try:
        if not special:
            target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.gettempdir()) if special else target.parent
        with unfinished_file(folder, target.name) as temporary:
            yield temporary
            if target.suffix == ".gz":
                temporary.write_bytes(gzip.compress(temporary.read_bytes(), mtime=0))
            if special:
                with temporary.open("rb") as source, target.open("wb") as sink:
                    shutil.copyfileobj(source, sink)
            else:
                temporary.chmod(0o644)
                temporary.replace(target)
    except OSError as problem:
        raise InputError(
            f"cannot be written ({problem.strerror or problem})",
            path=path,
            remedy="Choose another place, or free some space",
        ) from problem


def write_text(path: str | PathLike[str], text: str) -> None:
    """Writes text as UTF-8, whole or not at all."""
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _too_large(path: str | PathLike[str], found: str, most_bytes: int) -> InputError:
    return InputError(
        f"{found} bytes, more than the limit of {most_bytes:,}",
        path=path,
        remedy="Name the right file",
    )
