"""Files as bytes and text: .gz is opened wherever a plain file is, and nothing is half-written."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from boxlens.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

# Called as progress(what, done, total) by work that may take more than a second.
Progress = Callable[[str, int, int], None]

GZIP_MAGIC = b"\x1f\x8b"


def existing(path: str | PathLike[str]) -> Path:
    """The path, if something is there."""
    found = Path(path)
    if not found.exists():
        raise InputError("no such file or folder", path=path, remedy="Check the spelling")
    return found


def existing_file(path: str | PathLike[str]) -> Path:
    """The path, if a file is there."""
    found = existing(path)
    if found.is_dir():
        raise InputError("expected a file, found a folder", path=path, remedy="Name a file in it")
    return found


def existing_folder(path: str | PathLike[str]) -> Path:
    """The path, if a folder is there."""
    found = existing(path)
    if not found.is_dir():
        raise InputError("expected a folder, found a file", path=path, remedy="Name its folder")
    return found


def is_gzip(path: Path) -> bool:
    """Whether the content, not the name, says gzip."""
    with _opened(path) as file:
        return file.read(2) == GZIP_MAGIC


def read_bytes(path: str | PathLike[str]) -> bytes:
    """The whole content, unpacked where it is gzip."""
    source = existing_file(path)
    with _opened(source) as file:
        content = file.read()
    if not content.startswith(GZIP_MAGIC):
        return content
    import gzip
    import zlib

    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(
            f"damaged gzip data ({problem})",
            path=path,
            remedy="Copy or download the file again",
        ) from problem


def read_text(path: str | PathLike[str]) -> str:
    """The whole content as UTF-8, a byte order mark removed."""
    content = read_bytes(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InputError(
            f"not UTF-8 text (byte {problem.start})",
            path=path,
            remedy="Save the file as UTF-8",
        ) from problem


def plain_name(path: Path) -> str:
    """The file name without a closing .gz."""
    return path.name.removesuffix(".gz")


def stem(path: Path) -> str:
    """The file name without .gz and without its ending."""
    return Path(plain_name(path)).stem


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

    target = Path(path).resolve()
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
            remedy="Choose another place, or make room",
        ) from problem


def write_text(path: str | PathLike[str], text: str) -> None:
    """Writes text as UTF-8, whole or not at all."""
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as problem:
        raise InputError(f"cannot be read ({problem.strerror})", path=path) from problem
