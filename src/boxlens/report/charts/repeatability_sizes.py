"""Which proposals are found again: by their size, under the strongest change of each kind."""

from __future__ import annotations

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
from boxlens.report.charts.repeatability_curves import (
    families_found,
    levels_by_method,
    repeatability_axis,
)
from boxlens.report.charts.theme import DECIMAL_AXIS, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.proposals.repeatability.result import LevelRepeatability, RepeatabilityResult
    from boxlens.report.charts.method_lines import LineStyle

PLOT_PX: Final = 150


def repeatability_sizes_chart(
    result: RepeatabilityResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """Strongest is the level at which the methods repeat least, on average."""
    title = "Which proposals are found again, by their size"
    styles = method_styles(result.methods)
    families = families_found(result)
    if not families:
        empty = message("no proposal could be followed", width=WIDTH, height=PLOT_PX)
        return themed(empty, title=title, about=about)
    panels = [_panel(result, family, styles) for family in families]
    reading = (
        "Each kind of change at the level at which methods repeat least. Along x: "
        "√(area / image area) of the proposals of the original, in ten bins; bins without "
        "proposals have no point."
        + dashed_words(result.methods)
        + first_of(len(styles), len(result.methods))
    )
    return themed(
        method_panels(styles, panels),
        title=title,
        about=about,
        reading=reading,
    )


def strongest_level(found: Mapping[str, tuple[LevelRepeatability, ...]]) -> float:
    """The lowest mean over methods; of equal ones the first."""
    values: dict[float, list[float]] = {}
    for levels in found.values():
        for one in levels:
            if not math.isnan(one.repeatability):
                values.setdefault(one.level, []).append(one.repeatability)
    return min(sorted(values), key=lambda level: math.fsum(values[level]) / len(values[level]))


def _panel(
    result: RepeatabilityResult,
    family: str,
    styles: Mapping[str, LineStyle],
) -> alt.LayerChart:
    found = levels_by_method(result, family, styles)
    strongest = strongest_level(found)
    shown = {
        name: one for name, levels in found.items() for one in levels if one.level == strongest
    }
    rows = [row for name, one in shown.items() for row in _records(name, one)]
    plot = alt.Chart(inline(rows), width=PANEL_PX, height=PLOT_PX).encode(
        x=alt.X(
            "size:Q",
            scale=alt.Scale(domain=[0, 1], nice=False),
            axis=alt.Axis(title=None, labelExpr=DECIMAL_AXIS, tickCount=5, grid=False),
        ),
        y=repeatability_axis(),
        tooltip=[
            alt.Tooltip("method:N"),
            alt.Tooltip("bin:N", title="size"),
            alt.Tooltip("text:N", title="repeatability"),
            alt.Tooltip("boxes:Q", title="proposals", format=","),
        ],
    )
    label = next(iter(shown.values())).label
    title = above_panel(f"{FAMILIES[family].title}: {label}")
    return alt.LayerChart(layer=[*method_marks(plot, styles), title])


def _records(name: str, one: LevelRepeatability) -> list[dict[str, Any]]:
    n_bins = len(one.bins)
    return [
        {
            "method": name,
            "size": (at + 0.5) / n_bins,
            "bin": f"{at / n_bins:.1f} to {(at + 1) / n_bins:.1f}",
            "repeatability": value,
            "text": decimal(value),
            "boxes": n_boxes,
        }
        for at, (value, n_boxes) in enumerate(zip(one.bins.tolist(), one.n_boxes, strict=True))
        if not math.isnan(value)
    ]
