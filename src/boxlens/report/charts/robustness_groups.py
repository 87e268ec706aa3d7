"""Mean performance under corruption, over all corruptions and group by group."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import altair as alt

from boxlens.detector_robustness.corruption_means import telling_means
from boxlens.report.charts.detector_lines import detector_styles, detector_words, first_detectors
from boxlens.report.charts.panels import message
from boxlens.report.charts.robustness_bars import Bar, bar_panel
from boxlens.report.charts.robustness_steps import GROUP_WORDS
from boxlens.report.charts.system_lines import key_lines
from boxlens.report.charts.theme import WIDTH, themed

if TYPE_CHECKING:
    from boxlens.detector_robustness.result import RobustnessResult

TITLE: Final = "Mean performance under corruption, by group"
PANEL_PX: Final = 220


def robustness_groups_chart(
    result: RobustnessResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """AP, and the share of the unchanged pictures' AP that is left."""
    styles = detector_styles(one.name for one in result.detectors)
    if not has_groups(result):
        empty = message("no corruption has a score", width=WIDTH, height=80)
        return themed(empty, title=TITLE, about=about)
    shown = [one for one in result.detectors if detector_words(one.name) in styles]
    means = [
        (detector_words(one.name), one.clean.metrics["AP"], mean)
        for one in shown
        for mean in telling_means(one)
    ]
    labels = {mean.group: f"{GROUP_WORDS[mean.group]} ({mean.n_corruptions})" for *_, mean in means}
    panels = [
        bar_panel(bars, labels, styles, title=title, number=number, width=PANEL_PX, named=at == 0)
        for at, (title, number, bars) in enumerate(
            (
                ("AP", "AP", [Bar(of.group, who, of.ap, clean) for who, clean, of in means]),
                (
                    "relative to the unchanged pictures",
                    "relative",
                    [Bar(of.group, who, of.relative, 1.0) for who, _, of in means],
                ),
            )
        )
    ]
    colours = {name: style.colour for name, style in styles.items()}
    return themed(
        alt.vconcat(
            *key_lines(colours, width=2 * PANEL_PX), alt.hconcat(*panels, spacing=12), spacing=8
        ),
        title=TITLE,
        about=about,
        reading="The mean over severities, then over the corruptions of a group (how many, in "
        "brackets). Stroke: the unchanged pictures."
        + first_detectors(len(styles), len(result.detectors)),
    )


def has_groups(result: RobustnessResult) -> bool:
    """Whether there is a bar to draw."""
    return any(not math.isnan(one.ap) for of in result.detectors for one in of.corrupted)
