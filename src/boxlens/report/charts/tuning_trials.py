"""A search for settings: average recall trial by trial, and against every setting."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_pair import FIRST, SECOND, key
from boxlens.report.charts.method_lines import above_panel
from boxlens.report.charts.panels import message
from boxlens.report.charts.system_lines import columns_of, panel_grid
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    LINE,
    NEUTRAL,
    SOFT_INK,
    WIDTH,
    decimal,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.proposals.tuning.result import ProposalTuningResult, Trial

PLOT_PX: Final = 480
HEIGHT_PX: Final = 240
PANEL_PX: Final = 180
PANEL_HEIGHT_PX: Final = 130
PANEL_GAP_PX: Final = 18
# Labels below a panel that do not touch each other.
MOST_LABELS: Final = 4
# Along the axis, so that its labels are whole numbers.
FEWEST_PLACES: Final = 4
# Settings that span more than this factor are drawn by their logarithm.
LOGARITHMIC_FROM: Final = 8
COLOURS: Final = {"first": SECOND, "best": FIRST, "other": NEUTRAL}
WORDS: Final = {"first": "before", "best": "best", "other": "tried"}


def tuning_trials_chart(
    result: ProposalTuningResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """In the order they were tried."""
    title = "Average recall of every trial"
    rows = _records(result)
    if not rows:
        return themed(_nothing(), title=title, about=about)
    reading = (
        f"On the pictures tuned on ({result.n_tuned_on:,}). Line: the best so far. Dashed: the "
        "settings before."
    ) + held_out_words(result)
    best_so_far = [
        {"number": row["number"], "ar": ar}
        for row, ar in zip(rows, accumulate((row["ar"] for row in rows), max), strict=True)
    ]
    x = alt.X(
        "number:Q",
        scale=alt.Scale(domain=[-0.5, max(rows[-1]["number"], FEWEST_PLACES) + 0.5], nice=False),
        axis=alt.Axis(title="trial", format="d", tickMinStep=1, tickCount=8, grid=False),
    )
    y = alt.Y(
        "ar:Q",
        scale=_ar_scale(rows),
        axis=alt.Axis(title="AR", labelExpr=DECIMAL_AXIS, tickCount=5),
    )
    plot = alt.Chart(inline(_marked_last(rows)), width=PLOT_PX, height=HEIGHT_PX)
    first = alt.Chart(inline(rows[:1])).mark_rule(color=SECOND, strokeDash=[4, 3])
    line = alt.Chart(inline(best_so_far)).mark_line(
        interpolate="step-after", color=SOFT_INK, strokeWidth=1.25
    )
    whole = alt.LayerChart(
        layer=[first.encode(y=y), line.encode(x=x, y=y), _points(plot).encode(x=x, y=y)]
    )
    return themed(
        alt.vconcat(_key(rows), whole, spacing=6), title=title, about=about, reading=reading
    )


def tuning_settings_chart(
    result: ProposalTuningResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """A panel for every setting that was varied."""
    title = "Average recall against each setting"
    rows, settings = _records(result), varied_settings(result)
    if not rows or not settings:
        return themed(_nothing(), title=title, about=about)
    n_columns = columns_of(len(settings))
    panels = [
        _setting_panel(rows, name, first=at % n_columns == 0) for at, name in enumerate(settings)
    ]
    reading = (
        "A point a trial; all settings vary at once, so points scatter even where a setting "
        "matters." + held_out_words(result)
    )
    return themed(
        panel_grid([_key(rows)], panels, n_columns, spacing=PANEL_GAP_PX),
        title=title,
        about=about,
        reading=reading,
    )


def varied_settings(result: ProposalTuningResult) -> list[str]:
    """Those that are not the same in every trial."""
    first = result.trials[0].settings
    return [
        name
        for name in first
        if any(one.settings.get(name) != first[name] for one in result.trials)
    ]


def held_out_words(result: ProposalTuningResult) -> str:
    """A sentence about pictures that were kept apart; else that there were none."""
    before, after = result.held_out_before, result.held_out_after
    if math.isnan(before) or math.isnan(after):
        return " No pictures were held out."
    pictures = "1 picture" if result.n_held_out == 1 else f"{result.n_held_out:,} pictures"
    return f" On {pictures} held out: AR {decimal(before)} before, {decimal(after)} after."


def _records(result: ProposalTuningResult) -> list[dict[str, Any]]:
    """Trials with a number, in their order."""
    return [
        {
            "number": one.number,
            "kind": _kind(one, result),
            "words": WORDS[_kind(one, result)],
            "colour": COLOURS[_kind(one, result)],
            "ar": one.ar,
            "recall": decimal(one.recall_50),
            "seconds": None if math.isnan(one.seconds_per_image) else one.seconds_per_image,
            "settings": ", ".join(f"{name} {value:g}" for name, value in one.settings.items()),
            **{f"setting {name}": value for name, value in one.settings.items()},
        }
        for one in result.trials
        if not math.isnan(one.ar)
    ]


def _kind(one: Trial, result: ProposalTuningResult) -> str:
    if one is result.trials[result.best]:
        return "best"
    return "first" if one is result.trials[0] else "other"


def _key(rows: Sequence[Mapping[str, Any]]) -> alt.LayerChart:
    kinds = {row["kind"] for row in rows}
    entries = [(WORDS[kind], colour) for kind, colour in COLOURS.items() if kind in kinds]
    return key(entries, width=60 * len(entries))


def _points(plot: alt.Chart) -> alt.Chart:
    points: alt.Chart = plot.mark_point(filled=True, opacity=0.9).encode(
        color=alt.Color("colour:N", scale=None),
        size=alt.condition("datum.kind == 'other'", alt.value(16), alt.value(44)),
        tooltip=[
            alt.Tooltip("number:Q", title="trial"),
            alt.Tooltip("ar:Q", title="AR", format=".4f"),
            alt.Tooltip("recall:N", title="recall at .5"),
            alt.Tooltip("seconds:Q", title="s an image", format=".3f"),
            alt.Tooltip("settings:N"),
        ],
    )
    return points


def _setting_panel(rows: Sequence[Mapping[str, Any]], name: str, *, first: bool) -> alt.LayerChart:
    field = f"setting {name}"
    known = [row for row in rows if field in row]
    values = [row[field] for row in known]
    low, high = min(values), max(values)
    log = low > 0 and high / low > LOGARITHMIC_FROM
    room = 0.06 * (high - low) or 1.0
    ends = [low / 1.1, high * 1.1] if log else [low - room, high + room]
    scale = alt.Scale(type="log" if log else "linear", domain=ends, nice=False)
    axis = alt.Axis(
        title=None,
        labelExpr=DECIMAL_AXIS,
        labelOverlap=False,
        grid=False,
        values=_powers(low, high) if log else _steps(low, high),
    )
    plot = alt.Chart(inline(_marked_last(known)), width=PANEL_PX, height=PANEL_HEIGHT_PX)
    points = _points(plot).encode(
        x=alt.X(f"{field}:Q", scale=scale, axis=axis),
        y=alt.Y(
            "ar:Q",
            scale=_ar_scale(rows),
            axis=alt.Axis(
                title="AR" if first else None, labels=first, labelExpr=DECIMAL_AXIS, tickCount=4
            ),
        ),
    )
    return alt.LayerChart(
        layer=[points, above_panel(name)],
        view=alt.ViewConfig(stroke=LINE, strokeWidth=0.5),
    )


def _ar_scale(rows: Sequence[Mapping[str, Any]]) -> alt.Scale:
    """The same in every panel."""
    low, high = min(row["ar"] for row in rows), max(row["ar"] for row in rows)
    room = 0.06 * (high - low) or 0.01
    return alt.Scale(domain=[low - room, high + room], nice=False)


def _powers(low: float, high: float) -> list[float]:
    """Round values between both, for a logarithmic axis: at last only powers of ten."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        values = (float(f"{digit}e{power}") for power in powers for digit in digits)
        kept = [value for value in values if low <= value <= high]
        if len(kept) <= MOST_LABELS + 1:
            return kept
    return kept


def _steps(low: float, high: float) -> list[float]:
    """Multiples of a round step between both, so few that each has room for its label."""
    if low == high:
        return [low]
    power = math.floor(math.log10(high - low)) - 1
    steps = (float(f"{digit}e{power + more}") for more in (0, 1, 2) for digit in (1, 2, 5))
    for step in steps:
        first, last = math.ceil(round(low / step, 6)), math.floor(round(high / step, 6))
        if last - first < MOST_LABELS:
            # As it is written: a multiple of .1 may miss it by a hair.
            return [float(f"{place * step:.12g}") for place in range(first, last + 1)]
    return [low, high]


def _marked_last(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What is drawn last lies on top."""
    return sorted(rows, key=lambda row: row["kind"] != "other")


def _nothing() -> alt.Chart:
    return message("no trial has a number", width=WIDTH, height=HEIGHT_PX // 2)
