"""Error types. A message says what was expected, what was found, where, and what to do."""

from __future__ import annotations

from os import PathLike
from typing import Any


class BoxlensError(Exception):
    """Anything the user can fix. The command line prints it in one line and exits with 2.

    >>> try:
    ...     evaluate("missing.json", dt)
    ... except BoxlensError as error:
    ...     print(error)
    missing.json: no such file or folder. Check the spelling
    """


class ParameterError(BoxlensError):
    """An invalid argument.

    >>> try:
    ...     evaluate(gt, dt, protocol="kitti")
    ... except ParameterError as error:
    ...     print(error)
    unknown protocol 'kitti': choose from coco, voc07, voc12, lvis, openimages
    """


class MissingExtraError(BoxlensError):
    """An optional package is needed and not installed."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs the package '{package}': pip install 'boxlens[{extra}]'",
        )


def imported(module: str, purpose: str, package: str, extra: str = "images") -> Any:
    """A module of an optional package, or the command that installs it."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as problem:
        raise MissingExtraError(purpose, package, extra) from problem


class WorkerEndedError(BoxlensError):
    """A worker process was killed."""

    def __init__(self) -> None:
        super().__init__(
            "a worker process was killed, perhaps because memory ran out: start again with fewer "
            "workers (--workers, workers); finished work is kept"
        )


class InputError(BoxlensError):
    """An invalid file: names the file, the place in it and the remedy.

    >>> try:
    ...     read_dataset("missing.json")
    ... except InputError as error:
    ...     print(error.path, "-", error.remedy)
    missing.json - Check the spelling
    """

    problem: str
    """What is wrong."""
    path: str | None
    """The file; None: not one file."""
    where: str | None
    """The place in it, such as a line or a record."""
    remedy: str | None
    """What to do about it."""

    def __init__(
        self,
        problem: str,
        *,
        path: str | PathLike[str] | None = None,
        where: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.problem = problem
        self.path = None if path is None else str(path)
        self.where = where
        self.remedy = remedy
        place = ", ".join(part for part in (self.path, where) if part)
        message = f"{place}: {problem}" if place else problem
        super().__init__(f"{message}. {remedy}" if remedy else message)
