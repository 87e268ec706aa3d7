"""A place in a user's file; what is wrong there becomes an error that names it."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike

from boxlens.errors import InputError


@dataclass(frozen=True, slots=True)
class Place:
    path: str | PathLike[str]
    where: str | None = None

    def at(self, where: str) -> Place:
        """Another place in the same file."""
        return Place(self.path, where)

    def error(self, problem: str, remedy: str) -> InputError:
        return InputError(problem, path=self.path, where=self.where, remedy=remedy)
