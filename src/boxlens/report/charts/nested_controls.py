"""Groups of classes within the values of another property, at equal difficulty (METHODS 3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boxlens.report.charts.controlled_scores import (
    MOST_SYSTEMS,
    group_colours,
    group_curves,
    groups_reading,
)
from boxlens.report.charts.cumulative_scores import cumulative_panel, highest
from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.system_lines import (
    MEASURE_WORDS,
    ROOTED,
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

# By how many panels stand in a line.
PANEL_PX: Final = {2: 130, 3: 88}
LABEL_CHARACTERS: Final = {2: 25, 3: 19}
MOST_LINES: Final = 3


def nested_controls_chart(
    result: DifficultyResult,
    property_name: str,
    score: ScoreName,
    measure: MeasureName,
    *,
    within: str,
    about: str = "",
) -> alt.VConcatChart | alt.Chart:
    """A line a value of `within`, a panel a system, a curve a group."""
    words = score_words(result, score)
    title = f"{words} up to a value of {MEASURE_WORDS[measure]}, by {property_name} within {within}"
    of_property = group_curves(result, property_name, score, within)
    found = [one for one in of_property if one.measure == measure]
    if not found:
        empty = message("no class has both a score and a measure", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    # Of both measures, so that a group has one colour.
    colours = group_colours(of_property)
    curves = [one for one in found if one.group in colours]
    systems = list(dict.fromkeys(one.system for one in curves))
    shown_systems = systems[:MOST_SYSTEMS]
    n_columns = max(2, len(shown_systems))
    values = list(dict.fromkeys(one.within_value for one in curves))
    shown_values = values[: MOST_LINES * (2 if len(shown_systems) == 1 else 1)]
    reading = groups_reading(of_property)
    if measure in ROOTED:
        reading += f" {MEASURE_WORDS[measure]} along its root."
    for word, n_shown, n in (
        ("systems", len(shown_systems), len(systems)),
        (f"values of {within}", len(shown_values), len(values)),
    ):
        reading += f" The first {n_shown} of {n} {word}." if n_shown < n else ""
    panels = _panels(curves, colours, shown_values, shown_systems, n_columns, words)
    return themed(
        panel_grid(key_lines(colours), panels, n_columns, spacing=16),
        title=title,
        about=about,
        reading=reading,
    )


def _panels(
    curves: Sequence[CumulativeCurve],
    colours: dict[str, str],
    values: Sequence[str],
    systems: Sequence[str],
    n_columns: int,
    words: str,
) -> list[alt.Chart | alt.LayerChart]:
    """Value by value; where no group has two classes, the panel says so."""
    side, most = PANEL_PX[n_columns], LABEL_CHARACTERS[n_columns]
    limit = highest(curves)
    panels: list[alt.Chart | alt.LayerChart] = []
    for value in values:
        for system in systems:
            title = panel_title(f"within {short(value, most - len('within '))}")
            title.subtitle = short(system, most)
            of_panel = {
                one.group: one
                for one in curves
                if (one.within_value, one.system) == (value, system)
            }
            if not of_panel:
                empty = message("no group has two classes", width=side, height=side)
                panels.append(empty.properties(title=title))
                continue
            first = len(panels) % n_columns == 0
            drawn = cumulative_panel(
                of_panel,
                colours,
                limit=limit,
                title=title,
                y_title=words if first else "",
                panel_px=side,
            )
            panels.append(drawn)
    return panels
