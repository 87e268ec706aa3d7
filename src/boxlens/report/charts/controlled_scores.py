"""Is a kind of classes hard, or are its objects? Cumulative curves of every group (METHODS 3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boxlens.report.charts.cumulative_scores import cumulative_panel, highest
from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.panels import message
from boxlens.report.charts.system_lines import (
    GROUP_COLOURS,
    MEASURE_WORDS,
    SCORE_WORDS,
    colours_of,
    key_lines,
    panel_grid,
)
from boxlens.report.charts.theme import WIDTH, themed

if TYPE_CHECKING:
    import altair as alt

    from boxlens.dataset_difficulty.accuracy import ScoreName
    from boxlens.dataset_difficulty.measures import MeasureName
    from boxlens.dataset_difficulty.result import DifficultyResult

# What the study controls for.
CONTROLS: Final[tuple[MeasureName, ...]] = ("cpl", "clutter")
PANEL_PX: Final = 130
MOST_SYSTEMS: Final = 3


def controlled_scores_chart(
    result: DifficultyResult, property_name: str, score: ScoreName, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """A panel a system and measure, a curve a group."""
    title = f"{SCORE_WORDS[score]} up to a difficulty, by {property_name}"
    curves = [
        one
        for one in result.cumulative
        if one.score == score
        and one.property == property_name
        and one.measure in CONTROLS
        and len(one.x)
    ]
    groups = list(dict.fromkeys(one.group for one in curves))
    colours = colours_of(groups, GROUP_COLOURS)
    curves = [one for one in curves if one.group in colours]
    if not curves:
        empty = message("no class has both a score and a measure", width=WIDTH, height=PANEL_PX)
        return themed(empty, title=title, about=about)
    systems = list(dict.fromkeys(one.system for one in curves))
    measures = [name for name in CONTROLS if any(one.measure == name for one in curves)]
    limit = highest(curves)
    shown = [
        (system, measure)
        for system in systems[:MOST_SYSTEMS]
        for measure in measures
        if any((one.system, one.measure) == (system, measure) for one in curves)
    ]
    panels = [
        cumulative_panel(
            {one.group: one for one in curves if (one.system, one.measure) == (system, measure)},
            colours,
            limit=limit,
            title=f"{short(system)}, {MEASURE_WORDS[measure]}",
            y_title=SCORE_WORDS[score] if at % 2 == 0 else "",
            panel_px=PANEL_PX,
        )
        for at, (system, measure) in enumerate(shown)
    ]
    reading = (
        "At x: the mean over the classes of a group whose measure is at most x; pale: fewer than "
        "5 classes. CPL along its root."
    )
    if len(groups) > len(colours):
        reading += f" The first {len(colours)} of {len(groups)} groups."
    if len(systems) > MOST_SYSTEMS:
        reading += f" The first {MOST_SYSTEMS} of {len(systems)} systems."
    return themed(
        panel_grid(key_lines(colours), panels, 2, spacing=16),
        title=title,
        about=about,
        reading=reading,
    )
