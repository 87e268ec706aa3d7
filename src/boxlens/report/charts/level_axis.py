"""The axis of graded changes: where each level of a family stands, and how it is labelled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from boxlens.images.perturbing.families import Family
from boxlens.report.charts.forms.axes import SHARES, Axis
from boxlens.report.charts.forms.choosing import spread_out

# Steps between these levels are no measure of the change: they stand side by side.
BY_RANK: Final = frozenset({"jpeg"})


def level_place(family: Family, levels: Sequence[float], level: float) -> float:
    """Along the axis of `level_axis`, whose levels these are."""
    return levels.index(level) if family.name in BY_RANK else family.position(level)


def level_axis(family: Family, levels: Sequence[float]) -> Axis:
    """Of ascending levels."""
    places = [level_place(family, levels, level) for level in levels]
    room = 0.04 * (places[-1] - places[0]) or 1
    axis = Axis(family.axis_title, (places[0] - room, places[-1] + room), grid=False)
    if family.name in BY_RANK:
        # Few: their names may be long.
        shown = spread_out(len(levels), 4)
        return replace(axis, names={float(at): family.label(levels[at]) for at in shown})
    if family.log_base is not None:
        return replace(axis, names=_powers(family.log_base, places, levels))
    return replace(axis, form=SHARES, ticks=3) if family.name == "brightness" else axis


def _powers(base: int, places: Sequence[float], levels: Sequence[float]) -> dict[float, str]:
    """All powers of the base along the axis, run or not; where there are not two, both ends.

    A level of 0 stands one step before 1 and has its own name.
    """
    pairs = dict(zip(places, levels, strict=True))
    first, last = math.ceil(places[0] - 1e-9), math.floor(places[-1] + 1e-9)
    whole = {float(at): pairs.get(at, float(base) ** at) for at in range(first, last + 1)}
    ends = {places[0]: levels[0], places[-1]: levels[-1]}
    shown = whole if len(whole) > 1 else ends
    return {place: f"{level:g}" for place, level in shown.items()}
