"""Is a kind of classes hard, or are its objects? Cumulative curves of every group (METHODS 3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boxlens.dataset_difficulty.cumulative import CONTROLS
from boxlens.report.charts.cumulative_scores import FEW_CLASSES, cumulative_panel, highest
from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.system_lines import (
    GROUP_COLOURS,
    MEASURE_WORDS,
    colours_of,
    key_lines,
    panel_grid,
    score_words,
)
from boxlens.report.charts.theme import WIDTH, themed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from boxlens.dataset_difficulty.accuracy import ScoreName
    from boxlens.dataset_difficulty.cumulative import CumulativeCurve
    from boxlens.dataset_difficulty.measures import MeasureName
    from boxlens.dataset_difficulty.result import DifficultyResult

PANEL_PX: Final = 130
MOST_SYSTEMS: Final = 3


def controlled_scores_chart(
    result: DifficultyResult, property_name: str, score: ScoreName, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """A panel a system and measure, a curve a group."""
    title = f"{score_words(result, score)} up to a difficulty, by {property_name}"
    found = group_curves(result, property_name, score)
    if not found:
        empty = message("no class has both a score and a measure", width=WIDTH, height=PANEL_PX)
        return themed(empty, title=title, about=about)
    colours = group_colours(found)
    curves = [one for one in found if one.group in colours]
    shown = _panels_shown(curves)
    limit = highest(curves)
    panels = [
        cumulative_panel(
            {one.group: one for one in curves if (one.system, one.measure) == (system, measure)},
            colours,
            limit=limit,
            title=panel_title(f"{short(system)}, {MEASURE_WORDS[measure]}"),
            y_title=score_words(result, score) if at % 2 == 0 else "",
            panel_px=PANEL_PX,
        )
        for at, (system, measure) in enumerate(shown)
    ]
    reading = f"{groups_reading(found)} CPL along its root."
    n_systems = len({one.system for one in curves})
    if n_systems > MOST_SYSTEMS:
        reading += f" The first {MOST_SYSTEMS} of {n_systems} systems."
    return themed(
        panel_grid(key_lines(colours), panels, 2, spacing=16),
        title=title,
        about=about,
        reading=reading,
    )


def group_curves(
    result: DifficultyResult, property_name: str, score: ScoreName, within: str = ""
) -> list[CumulativeCurve]:
    """Curves of the groups of a property; `within` is the property that they are nested in."""
    return [
        one
        for one in result.cumulative
        if (one.property, one.within_property, one.score) == (property_name, within, score)
        and one.measure in CONTROLS
        and len(one.x)
    ]


def group_colours(curves: Sequence[CumulativeCurve]) -> dict[str, str]:
    return colours_of(list(dict.fromkeys(one.group for one in curves)), GROUP_COLOURS)


def groups_reading(curves: Sequence[CumulativeCurve]) -> str:
    """What a curve is, and how many groups there was no colour for."""
    text = (
        "At x: the mean over the classes of a group whose measure is at most x; pale: fewer than "
        f"{FEW_CLASSES} classes."
    )
    n_groups, n_shown = len({one.group for one in curves}), len(group_colours(curves))
    return text if n_groups == n_shown else f"{text} The first {n_shown} of {n_groups} groups."


def _panels_shown(curves: Sequence[CumulativeCurve]) -> list[tuple[str, MeasureName]]:
    """Systems and measures that have a curve."""
    known = {(one.system, one.measure) for one in curves}
    systems = list(dict.fromkeys(one.system for one in curves))[:MOST_SYSTEMS]
    return [
        (system, measure)
        for system in systems
        for measure in CONTROLS
        if (system, measure) in known
    ]
