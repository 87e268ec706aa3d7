"""How well proposals are found again as pictures change: a panel a perturbation (METHODS 6.5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import altair as alt

from boxlens.images.perturbing.families import FAMILIES
from boxlens.report.charts.level_axis import level_axis, level_place
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
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.images.perturbing.families import Family
    from boxlens.proposals.repeatability.result import LevelRepeatability, RepeatabilityResult
    from boxlens.report.charts.method_lines import LineStyle

    Levels = tuple[LevelRepeatability, ...]

PLOT_PX: Final = 150


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
            "x": level_place(family, levels, one.level),
            "level": one.label,
            "repeatability": one.repeatability,
            "text": decimal(one.repeatability),
        }
        for name, of in found.items()
        for one in of
        if not math.isnan(one.repeatability)
    ]
    plot = alt.Chart(inline(rows), width=PANEL_PX, height=PLOT_PX).encode(
        x=level_axis(family, levels),
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
