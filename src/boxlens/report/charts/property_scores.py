"""A score by what classes are like: bars of the groups of a property, perhaps within another's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.system_lines import (
    key_lines,
    score_words,
    system_colours,
    without_score,
)
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    INK,
    SOFT_INK,
    WIDTH,
    decimal,
    fixed,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.dataset_difficulty.accuracy import ScoreName
    from boxlens.dataset_difficulty.class_groups import GroupScore, PropertyScores
    from boxlens.dataset_difficulty.result import DifficultyResult

BAR_PX: Final = 11
GAP_PX: Final = 8
PLOT_PX: Final = 200
LABEL_CHARACTERS: Final = 18
# Of one panel, and of all of them.
MOST_GROUPS: Final = 12
MOST_BARS: Final = 40


def property_scores_chart(
    result: DifficultyResult,
    property_name: str,
    score: ScoreName,
    *,
    within: str = "",
    about: str = "",
) -> alt.VConcatChart | alt.Chart:
    """One panel; with `within`, one for each value of that other property."""
    words = score_words(result, score)
    inside = f", within {within}" if within else ""
    title = f"{words} by {property_name}{inside}"
    colours = system_colours(result, bound_by=score)
    found = [
        one
        for one in result.properties
        if (one.property, one.within_property, one.score) == (property_name, within, score)
        and one.system in colours
        and any(not math.isnan(group.mean) for group in one.groups)
    ]
    if not found:
        empty = message(f"{words} of every group is undefined", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    values = list(dict.fromkeys(one.within_value for one in found))
    shown = _panels_shown(found, values)
    limit = _limit(found)
    panels = [
        _panel(
            [one for one in found if one.within_value == value],
            colours,
            limit=limit,
            title=f"within {within}: {value}" if within else "",
            x_title=words if value == shown[-1] else None,
        )
        for value in shown
    ]
    reading = _reading(found, n_left_out=len(values) - len(shown)) + without_score(result, score)
    drawn = {one.system for one in found}
    key = key_lines({name: colour for name, colour in colours.items() if name in drawn})
    return themed(alt.vconcat(*key, *panels, spacing=8), title=title, about=about, reading=reading)


def _reading(found: Sequence[PropertyScores], *, n_left_out: int) -> str:
    text = "Bar: the mean over the classes of a group; stroke: 95 % interval; n: how many classes."
    most = max(len(one.groups) for one in found)
    if most > MOST_GROUPS:
        text += f" The {MOST_GROUPS} largest of {most} groups."
    if n_left_out:
        text += f" {n_left_out} more panels are in the tables."
    n_without = max(one.n_without for one in found)
    if not n_without:
        return text
    return f"{text} {n_without:,} {'class has' if n_without == 1 else 'classes have'} no value."


def _panels_shown(found: Sequence[PropertyScores], values: Sequence[str]) -> list[str]:
    """As many as the figure has room for, at least one."""
    shown: list[str] = []
    n_bars = 0
    for value in values:
        n_bars += sum(len(_groups_shown(one)) for one in found if one.within_value == value)
        if shown and n_bars > MOST_BARS:
            break
        shown.append(value)
    return shown


def _groups_shown(one: PropertyScores) -> list[GroupScore]:
    """In the order given; of many the largest."""
    largest = sorted(one.groups, key=lambda group: -len(group.classes))[:MOST_GROUPS]
    kept = {group.value for group in largest}
    return [group for group in one.groups if group.value in kept]


def _limit(found: Sequence[PropertyScores]) -> float:
    ends = [
        end
        for one in found
        for group in one.groups
        for end in (group.mean, group.high)
        if not math.isnan(end)
    ]
    return max(*ends, 0.05)


def _panel(
    found: Sequence[PropertyScores],
    colours: Mapping[str, str],
    *,
    limit: float,
    title: str,
    x_title: str | None,
) -> alt.LayerChart:
    values = list(dict.fromkeys(group.value for one in found for group in _groups_shown(one)))
    step = BAR_PX * len(found) + GAP_PX
    rows = [
        _record(
            group,
            one.system,
            colours[one.system],
            step * values.index(group.value) + BAR_PX * line,
        )
        for line, one in enumerate(found)
        for group in _groups_shown(one)
    ]
    height = step * len(values) - GAP_PX
    y_scale = alt.Scale(domain=[height, 0], nice=False)
    middle = alt.Y("middle:Q", scale=y_scale, axis=None)
    plot = alt.Chart(inline(rows), width=PLOT_PX, height=height)
    counts = plot.mark_text(
        align="left", color=SOFT_INK, fontSize=FONT_PX - 1, baseline="middle"
    ).encode(x=fixed(alt.XValue, PLOT_PX + 6), y=middle, text="count:N")
    heads = [
        {"name": short(value, LABEL_CHARACTERS), "middle": step * at + (step - GAP_PX) / 2}
        for at, value in enumerate(values)
    ]
    names = (
        alt.Chart(inline(heads))
        .mark_text(align="right", baseline="middle")
        .encode(x=fixed(alt.XValue, -6), y=middle, text="name:N")
    )
    layers = alt.LayerChart(layer=[*_bars(plot, y_scale, limit, x_title), counts, names])
    if not title:
        return layers
    titled: alt.LayerChart = layers.properties(title=panel_title(title))
    return titled


def _bars(
    plot: alt.Chart, y_scale: alt.Scale, limit: float, x_title: str | None
) -> tuple[alt.Chart, alt.Chart]:
    """Means, and their intervals on top."""
    axis = alt.Axis(title=x_title, labelExpr=DECIMAL_AXIS, tickCount=5, labels=x_title is not None)
    scale = alt.Scale(domain=[0, 1.02 * limit], nice=False, clamp=True)

    def at(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    bars = plot.mark_rect(opacity=0.75).encode(
        x=at("zero"),
        x2="mean:Q",
        y=alt.Y("top:Q", scale=y_scale, axis=None),
        y2="bottom:Q",
        color=alt.Color("colour:N", scale=None),
        tooltip=[
            alt.Tooltip("group:N"),
            alt.Tooltip("system:N"),
            alt.Tooltip("text:N", title="mean"),
            alt.Tooltip("interval:N", title="95 %"),
            alt.Tooltip("n:Q", title="classes", format=","),
        ],
    )
    middle = alt.Y("middle:Q", scale=y_scale, axis=None)
    spans = plot.mark_rule(color=INK, strokeWidth=1).encode(x=at("low"), x2="high:Q", y=middle)
    return bars, spans


def _record(group: GroupScore, system: str, colour: str, top: int) -> dict[str, Any]:
    known = not math.isnan(group.low) and not math.isnan(group.high)
    numbers = {"mean": group.mean, "low": group.low, "high": group.high}
    return {
        "group": group.value,
        "system": system,
        "colour": colour,
        "zero": 0,
        **{name: None if math.isnan(value) else value for name, value in numbers.items()},
        "text": decimal(group.mean),
        "interval": f"{decimal(group.low)} to {decimal(group.high)}" if known else "n/a",
        "n": group.n_classes,
        "count": f"{decimal(group.mean)}, n = {group.n_classes:,}",
        "top": top,
        "bottom": top + BAR_PX - 1,
        "middle": top + (BAR_PX - 1) / 2,
    }
