"""The folder that a run fills: nobody else's, and without leftovers of the run before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

from boxlens.errors import InputError
from boxlens.formats.files import read_text, write_text
from boxlens.formats.unfinished import unfinished_folder

# What was written, a relative path a line. It makes a folder ours.
LIST = ".boxlens"


@contextmanager
def output_folder(path: Path) -> Iterator[OutputFolder]:
    """Files go in by name and appear all together at the end, in place of those of the last run.

    Where the end is not reached, the folder is left as it was.
    """
    check_output(path)
    made = _make_writable(path)
    with ExitStack() as held:
        held.callback(_remove_empty, made)
        with _told_as_unwritable(path):
            waiting = held.enter_context(unfinished_folder(path, "files"))
        output = OutputFolder(path, waiting)
        yield output
        output.close()


class OutputFolder:
    """The files of a run, in a folder where they wait until all of them are there."""

    def __init__(self, path: Path, waiting: Path) -> None:
        self.path = path
        self.waiting = waiting
        self.before = _listed(path)
        self.written: list[str] = []

    @contextmanager
    def file(self, name: str) -> Iterator[Path]:
        """Write to the path given."""
        waiting = self.waiting / name
        with _told_as_unwritable(self.path / name):
            waiting.parent.mkdir(exist_ok=True)
            yield waiting
        self.written.append(name)

    def write(self, name: str, content: str | bytes) -> None:
        with self.file(name) as waiting:
            waiting.write_bytes(content.encode() if isinstance(content, str) else content)

    def close(self) -> None:
        """Puts the files in their places, and removes what an earlier run left there."""
        # First of all, so that a run that is killed leaves nothing unknown.
        self._write_list(self.before)
        stale = [self.path / name for name in self.before if name not in self.written]
        with _told_as_unwritable(self.path):
            for name in self.written:
                target = self.path / name
                target.parent.mkdir(exist_ok=True)
                (self.waiting / name).replace(target)
            for file in stale:
                if file.is_file():
                    file.unlink()
            for folder in {file.parent for file in stale} - {self.path}:
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
        self._write_list([])

    def _write_list(self, before: Sequence[str]) -> None:
        names = dict.fromkeys([*before, *self.written])
        write_text(self.path / LIST, "".join(f"{name}\n" for name in names))


class Claim:
    """A folder made ours before long work: what a stopped run leaves there is found again."""

    def __init__(self, path: Path) -> None:
        check_output(path)
        self.path = path
        self._made = _make_writable(path)
        if not (path / LIST).exists():
            write_text(path / LIST, "")

    def release(self) -> None:
        """At the end, however it came: a claim under which nothing was kept goes."""
        with suppress(OSError):
            below = sorted(self.path.rglob("*"), reverse=True)
            kept = any(one.is_file() and one != self.path / LIST for one in below)
            if kept or _listed(self.path):
                return
            (self.path / LIST).unlink()
            _remove_empty([*(one for one in below if one.is_dir()), *self._made])


def _remove_empty(made: Sequence[Path]) -> None:
    """Of folders that were not there before, the innermost first."""
    with suppress(OSError):
        for folder in made:
            folder.rmdir()


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


def _make_writable(path: Path) -> list[Path]:
    """Before anything is drawn: a folder may be there and closed to us.

    Returns the folders that were made, the innermost first.
    """
    with _told_as_unwritable(path):
        made = [one for one in (path, *path.parents) if not one.exists()]
        path.mkdir(parents=True, exist_ok=True)
        with unfinished_folder(path, ""):
            pass
    return made


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
    return [
        line
        for line in lines
        if line and not PurePosixPath(line).is_absolute() and ".." not in PurePosixPath(line).parts
    ]
