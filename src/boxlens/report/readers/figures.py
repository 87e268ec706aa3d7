"""What a figure of a report is: its name, its words, its place, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.theme import themed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from boxlens.report.charts import Drawn
    from boxlens.report.study import Plot, Study


@dataclass(frozen=True, slots=True)
class Figure:
    """The name of its files, its title, what to make of it, and where it stands."""

    name: str
    title: str
    reading: str
    section: str
    draw: Callable[[], Drawn]
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


def study_figures(study: Study) -> FigurePlan:
    """The plots of a study, with titles of their own for files."""
    return plan_of(figure_of(plot, section.name) for section, plot in study.plots())


def figure_of(plot: Plot, section: str) -> Figure | LeftOut:
    """A plot in a section of a page."""
    if plot.absent:
        return LeftOut(plot.title, plot.absent, section)
    return Figure(
        plot.name,
        plot.title,
        plot.reading,
        section,
        partial(titled, plot),
        plot.detector,
        plot.wide,
    )


def titled(plot: Plot) -> Drawn:
    """The chart of a plot below its title."""
    return themed(plot.draw(), title=plot.title, about=plot.about, reading=plot.legend)
