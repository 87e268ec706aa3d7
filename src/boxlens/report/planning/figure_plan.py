"""What a figure of a report is: its name, its words, its place, and how it is drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from altair.typing import ChartType

# Sections of the page.
SCORES, ERRORS, REPAIRS, OBJECTS, SCHEMES = "scores", "errors", "repairs", "objects", "schemes"


@dataclass(frozen=True, slots=True)
class Figure:
    """The name of its files, its title, what to make of it, and where it stands."""

    name: str
    title: str
    reading: str
    section: str
    draw: Callable[[], ChartType]
    # The detector it is about; empty: several.
    detector: str = ""
    # It has a line of the page to itself.
    wide: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A figure that cannot be drawn, and why."""

    title: str
    why: str
    section: str


@dataclass(frozen=True, slots=True)
class FigurePlan:
    """All figures of a result, in their order on the page."""

    figures: tuple[Figure, ...]
    left_out: tuple[LeftOut, ...]

    def of_detector(self, detector: str, prefix: str = "") -> FigurePlan:
        """All about one detector; `prefix` keeps its files apart from those of others."""
        figures = (
            replace(one, name=f"{prefix}{one.name}", detector=detector) for one in self.figures
        )
        return FigurePlan(tuple(figures), self.left_out)


def plan_of(found: Iterable[Figure | LeftOut]) -> FigurePlan:
    """In the order given, every figure under a name of its own."""
    figures: list[Figure] = []
    left_out: list[LeftOut] = []
    names: set[str] = set()
    for one in found:
        if isinstance(one, LeftOut):
            left_out.append(one)
            continue
        # Two attributes may differ in signs that no file name has.
        name, n_before = one.name, 1
        while name in names:
            n_before += 1
            name = f"{one.name}_{n_before}"
        names.add(name)
        figures.append(replace(one, name=name))
    return FigurePlan(tuple(figures), tuple(left_out))


def file_name(text: str) -> str:
    """The name of an attribute in signs that every file system takes."""
    plain = re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_").lower()
    return plain[:60] or "attribute"
