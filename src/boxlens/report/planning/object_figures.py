"""Which figures tell of objects: what the detector is sensitive to, and what it does not find."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.characteristic import characteristic_chart
from boxlens.report.charts.interaction import interaction_chart
from boxlens.report.charts.misses import misses_chart
from boxlens.report.charts.sensitivity_summary import sensitivity_summary_chart
from boxlens.report.planning.figure_plan import OBJECTS, Figure, LeftOut, file_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.object_sensitivity import SensitivityResult

LOOSER_TOO = ", and how many of these a looser overlap would count as found."


def object_figures(result: SensitivityResult) -> Iterator[Figure | LeftOut]:
    """All characteristics at once, the undetected objects, then one by one."""
    yield _summary(result)
    yield _undetected(result)
    yield from _one_by_one(result)


def _summary(result: SensitivityResult) -> Figure | LeftOut:
    title = "What the detector is sensitive to"
    if all(math.isnan(row.sensitivity) for row in result.characteristics):
        why = "no property of the objects has two kinds with enough objects in one class"
        return LeftOut(title, why, OBJECTS)
    return Figure(
        "sensitivity",
        title,
        "A wide bar: the detector depends on this property, if it is much wider than chance would "
        "make it. A large impact: many objects are of the bad kind, so that mending it pays.",
        OBJECTS,
        partial(sensitivity_summary_chart, result),
    )


def _undetected(result: SensitivityResult) -> Figure | LeftOut:
    title = "Which objects are undetected"
    if not result.misses.n_missed:
        why = "no object is undetected" if result.misses.n_objects else "there are no objects"
        return LeftOut(title, why, OBJECTS)
    return Figure(
        "misses",
        title,
        "Kinds of objects that are often found too late to count or not at all"
        + (LOOSER_TOO if result.misses.looser else "."),
        OBJECTS,
        partial(misses_chart, result),
    )


def _one_by_one(result: SensitivityResult) -> Iterator[Figure | LeftOut]:
    about = f"{result.detector} on {result.dataset}"
    for row in result.characteristics:
        title = f"How well objects are found by {row.name}"
        if row.reason is not None or all(math.isnan(one.highest) for one in row.classes):
            why = row.reason or "no class has enough objects in any subset"
            yield LeftOut(title, why, OBJECTS)
            continue
        yield Figure(
            f"by_{file_name(row.name)}",
            title,
            "Points far from the dashed line are kinds of objects that are found worse or better "
            "than their class.",
            OBJECTS,
            partial(characteristic_chart, row, about=about),
        )
    for grid in result.interactions:
        yield Figure(
            f"cross_{file_name(grid.first)}_{file_name(grid.second)}",
            f"How well objects are found by {grid.first} and {grid.second}",
            "Where rows change with the column, the two properties act together.",
            OBJECTS,
            partial(interaction_chart, grid, about=about),
        )
