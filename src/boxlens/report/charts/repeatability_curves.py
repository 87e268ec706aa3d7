"""How well proposals are found again as pictures change: a panel a perturbation (METHODS 6.5)."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.images.perturbing.families import FAMILIES
from boxlens.report.charts.method_lines import (
    PANEL_PX,
    above_panel,
    dashed_words,
    first_of,
    method_marks,
    method_panels,
    method_styles,
)
from boxlens.report.charts.panels import message
from boxlens.report.charts.system_lines import spread_out
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.images.perturbing.families import Family
    from boxlens.proposals.repeatability.result import LevelRepeatability, RepeatabilityResult
    from boxlens.report.charts.method_lines import LineStyle

    Levels = tuple[LevelRepeatability, ...]

PLOT_PX: Final = 150
# Steps between these levels are no measure of the change: they stand side by side.
BY_RANK: Final = frozenset({"jpeg"})
# Of such levels, since their names may be long.
MOST_NAMES: Final = 4
PERCENT_AXIS: Final = frozenset({"brightness"})


def repeatability_curves_chart(
    result: RepeatabilityResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """Families in the order of the choice."""
    title = "How well proposals are found again as the picture changes"
    styles = method_styles(result.methods)
    families = families_found(result)
    if not families:
        empty = message("no proposal could be followed", width=WIDTH, height=PLOT_PX)
        return themed(empty, title=title, about=about)
    panels = [_panel(result, FAMILIES[name], styles) for name in families]
    reading = (
        "1: every proposal comes back in its place. The mean IoU of proposals of the original with "
        "those of the changed picture, sizes weighed alike."
        + dashed_words(result.methods)
        + first_of(len(styles), len(result.methods))
    )
    return themed(
        method_panels(styles, panels),
        title=title,
        about=about,
        reading=reading,
    )


def families_found(result: RepeatabilityResult) -> list[str]:
    """Perturbations for which some method has a number."""
    known = {
        family.family
        for method in result.methods
        for family in method.families
        if any(not math.isnan(level.repeatability) for level in family.levels)
    }
    return [name for name in result.choice.families if name in known]


def levels_by_method(
    result: RepeatabilityResult, family: str, styles: Mapping[str, LineStyle]
) -> dict[str, Levels]:
    """Of the methods that have a line; the levels of the published figure, or those asked for."""
    asked_for = (result.choice.levels or {}).get(family)
    shown = FAMILIES[family].plotted if asked_for is None else asked_for
    return {
        method.name: tuple(one for one in found.levels if one.level in shown)
        for method in result.methods
        for found in method.families
        if found.family == family and method.name in styles
    }


def _panel(
    result: RepeatabilityResult,
    family: Family,
    styles: Mapping[str, LineStyle],
) -> alt.LayerChart:
    found = levels_by_method(result, family.name, styles)
    levels = sorted({one.level for of in found.values() for one in of})
    rows = [
        {
            "method": name,
            "x": _place(family, levels, one.level),
            "level": one.label,
            "repeatability": one.repeatability,
            "text": decimal(one.repeatability),
        }
        for name, of in found.items()
        for one in of
        if not math.isnan(one.repeatability)
    ]
    plot = alt.Chart(inline(rows), width=PANEL_PX, height=PLOT_PX).encode(
        x=_x(family, levels),
        y=repeatability_axis(),
        tooltip=[
            alt.Tooltip("method:N"),
            alt.Tooltip("level:N"),
            alt.Tooltip("text:N", title="repeatability"),
        ],
    )
    return alt.LayerChart(layer=[*method_marks(plot, styles), above_panel(family.title)])


def repeatability_axis() -> alt.Y:
    """From 0 to 1 in every panel."""
    return alt.Y(
        "repeatability:Q",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(title=None, labelExpr=DECIMAL_AXIS, tickCount=5),
    )


def _place(family: Family, levels: Sequence[float], level: float) -> float:
    return levels.index(level) if family.name in BY_RANK else family.position(level)


def _x(family: Family, levels: Sequence[float]) -> alt.X:
    places = [_place(family, levels, level) for level in levels]
    room = 0.04 * (places[-1] - places[0]) or 1
    scale = alt.Scale(domain=[places[0] - room, places[-1] + room], nice=False)
    axis: dict[str, Any] = {"title": family.axis_title, "grid": False}
    if family.name in BY_RANK:
        shown = spread_out(len(levels), MOST_NAMES).tolist()
        axis |= _named({float(at): family.label(levels[at]) for at in shown})
    elif family.log_base is not None:
        axis |= _named(_whole_steps(places, levels))
    elif family.name in PERCENT_AXIS:
        axis |= {"format": "%", "tickCount": 3}
    else:
        axis |= {"labelExpr": DECIMAL_AXIS, "tickCount": 5}
    return alt.X("x:Q", scale=scale, axis=alt.Axis(**axis))


def _whole_steps(places: Sequence[float], levels: Sequence[float]) -> dict[float, str]:
    """The levels that are powers of the base; where there are not two, both ends."""
    pairs = list(zip(places, levels, strict=True))
    whole = [(place, level) for place, level in pairs if abs(place - round(place)) < 1e-9]
    shown = whole if len(whole) > 1 else [pairs[0], pairs[-1]]
    return {place: f"{level:g}" for place, level in shown}


def _named(labels: Mapping[float, str]) -> dict[str, Any]:
    """Labels by their place along the axis."""
    values = list(labels)
    texts = json.dumps(list(labels.values()))
    return {
        "values": values,
        "labelExpr": f"{texts}[indexof({json.dumps(values)}, datum.value)]",
        "labelOverlap": False,
    }
