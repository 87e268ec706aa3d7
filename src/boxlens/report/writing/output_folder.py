"""The folder that a run fills: nobody else's, and without leftovers of the run before."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from boxlens.errors import InputError
from boxlens.formats.files import read_text, write_text, written_whole
from boxlens.formats.unfinished import unfinished_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

# What was written, a relative path a line. It makes a folder ours.
LIST = ".boxlens"


class OutputFolder:
    """Files go in by name; those of the last run that are not written again go out at the end."""

    def __init__(self, path: Path) -> None:
        check_output(path)
        _make_writable(path)
        self.path = path
        self.before = _listed(path)
        self.written: list[str] = []

    @contextmanager
    def file(self, name: str) -> Iterator[Path]:
        """Write to the path given; the file appears when it is whole."""
        with written_whole(self.place(name)) as temporary:
            yield temporary

    def place(self, name: str) -> Path:
        """Where a file goes that its writer writes whole or not at all."""
        self.written.append(name)
        # Before the file itself, so that a run that is stopped leaves nothing unknown.
        self._write_list()
        return self.path / name

    def write_text(self, name: str, text: str) -> None:
        with self.file(name) as temporary:
            temporary.write_text(text, encoding="utf-8")

    def close(self) -> None:
        """Removes what an earlier run left and this one did not write."""
        stale = [self.path / name for name in self.before if name not in self.written]
        with _told_as_unwritable(self.path):
            for file in stale:
                if file.is_file():
                    file.unlink()
            for folder in {file.parent for file in stale} - {self.path}:
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
        self.before = []
        self._write_list()

    def _write_list(self) -> None:
        names = dict.fromkeys([*self.before, *self.written])
        write_text(self.path / LIST, "".join(f"{name}\n" for name in names))


def claim_folder(path: Path) -> Path:
    """Makes a folder ours before long work: what a stopped run leaves there is found again."""
    check_output(path)
    _make_writable(path)
    if not (path / LIST).exists():
        write_text(path / LIST, "")
    return path


def check_output(path: Path) -> None:
    """Before any work: a file may be in the way, or the folder full of other things."""
    with _told_as_unwritable(path):
        in_the_way = [
            place
            for place in (path, path / "tables", path / "figures")
            if place.exists() and not place.is_dir()
        ]
        names = [one.name for one in path.iterdir()] if path.is_dir() else []
    if in_the_way:
        raise InputError(
            "expected a folder to write into, found a file",
            path=in_the_way[0],
            remedy="Name another folder, or move the file away",
        )
    if LIST not in names and any(not name.startswith(".") for name in names):
        raise InputError(
            "holds files that no earlier run has written",
            path=path,
            remedy="Name an empty or a new folder",
        )


def _make_writable(path: Path) -> None:
    """Before anything is drawn: a folder may be there and closed to us."""
    with _told_as_unwritable(path):
        path.mkdir(parents=True, exist_ok=True)
        with unfinished_folder(path, ""):
            pass


@contextmanager
def _told_as_unwritable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise InputError(
            f"cannot be written ({problem.strerror or problem})",
            path=path,
            remedy="Choose another place, or make room",
        ) from problem


def _listed(path: Path) -> list[str]:
    """Of the last run; a path that leads out of the folder is not ours to remove."""
    lines = read_text(path / LIST).splitlines() if (path / LIST).exists() else []
    return [line for line in lines if line and _inside(PurePosixPath(line))]


def _inside(name: PurePosixPath) -> bool:
    return not name.is_absolute() and ".." not in name.parts
