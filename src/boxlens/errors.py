"""What can go wrong, as types. A message says what was expected, what came, where, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike


class BoxlensError(Exception):
    """Anything the user can mend. The command line prints it in one line and exits with 2."""


class ParameterError(BoxlensError):
    """An argument that cannot be meant."""


class MissingExtraError(BoxlensError):
    """An optional part is needed and absent."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs the package '{package}': pip install 'boxlens[{extra}]'",
        )


class WorkerEndedError(BoxlensError):
    """A process that did a part of the work was ended from outside."""

    def __init__(self) -> None:
        super().__init__(
            "a worker process was ended, perhaps for want of memory: start again, with fewer "
            "workers (--workers, workers); what was kept is not done again"
        )


class InputError(BoxlensError):
    """A file that is not what it should be: names file, place and remedy."""

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
