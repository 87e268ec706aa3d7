"""Repeatability of proposals as pictures change, and by their size: one panel per change."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from statistics import fmean

from boxlens.images.perturbing.families import FAMILIES
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots, lines
from boxlens.report.charts.forms.panels import grid, plot
from boxlens.report.charts.level_axis import level_axis, level_place
from boxlens.report.charts.proposal_methods import method_styles
from boxlens.studies.proposals.repeatability.result import (
    LevelRepeatability,
    RepeatabilityResult,
)
from boxlens.wording import count, interval, score

PAGE_PX, PANEL_PX = 640, 300
# By method.
Levels = Mapping[str, tuple[LevelRepeatability, ...]]
# Title, axis and rows of a family of changes.
Panel = tuple[str, Axis, list[Row]]


def levels_by_method(result: RepeatabilityResult, family: str, shown: Collection[str]) -> Levels:
    """Of the methods shown; the levels of the published figure, or those asked for."""
    asked_for = (result.choice.levels or {}).get(family)
    levels = FAMILIES[family].plotted if asked_for is None else asked_for
    return {
        method.name: tuple(one for one in found.levels if one.level in levels)
        for method in result.methods
        for found in method.families
        if found.family == family and method.name in shown
    }


def strongest_level(found: Levels) -> float:
    """The lowest mean over methods; of equal ones the first."""
    values: dict[float, list[float]] = {}
    for levels in found.values():
        for one in levels:
            if not math.isnan(one.repeatability):
                values.setdefault(one.level, []).append(one.repeatability)
    return min(sorted(values), key=lambda level: fmean(values[level]))


def repeatability_chart(
    result: RepeatabilityResult, families: Sequence[str], panel: Callable[[str, Levels], Panel]
) -> Spec:
    """One panel per family of changes."""
    styles = method_styles(result.methods)
    found = [panel(name, levels_by_method(result, name, styles)) for name in families]
    panels = [
        plot(
            [{**row, **styles[row["series"]].look} for row in rows if not math.isnan(row["y"])],
            x,
            Axis(ends=(0, 1)),
            lines(),
            dots(size=9),
            title=title,
            width=PANEL_PX,
            height=150,
        )
        for title, x, rows in found
    ]
    return grid(panels, 2, above=key(styles, width=PAGE_PX), gap=16)


def by_level(name: str, found: Levels) -> Panel:
    """From one level of change to the next."""
    family = FAMILIES[name]
    levels = sorted({one.level for of in found.values() for one in of})
    rows = [
        {
            "x": level_place(family, levels, one.level),
            "y": one.repeatability,
            "series": method,
            "tip": {
                "method": method,
                "level": one.label,
                "repeatability": score(one.repeatability),
            },
        }
        for method, of in found.items()
        for one in of
    ]
    return family.title, level_axis(family, levels), rows


def by_size(name: str, found: Levels) -> Panel:
    """By size of proposals, at the level where methods repeat least on average."""
    strongest = strongest_level(found)
    shown = {
        method: one for method, levels in found.items() for one in levels if one.level == strongest
    }
    label = next(iter(shown.values())).label
    rows = [row for method, one in shown.items() for row in _bins(method, one)]
    return f"{FAMILIES[name].title}: {label}", Axis(ends=(0, 1), grid=False), rows


def _bins(method: str, one: LevelRepeatability) -> Iterator[Row]:
    n = len(one.bins)
    for at, (value, n_boxes) in enumerate(zip(one.bins.tolist(), one.n_boxes, strict=True)):
        tip = {
            "method": method,
            "size": interval(at / n, (at + 1) / n, 1),
            "repeatability": score(value),
            "proposals": count(n_boxes),
        }
        yield {"x": (at + 0.5) / n, "y": value, "series": method, "tip": tip}
