"""What is left under each transform of the study: AP and AP50 beside the unchanged pictures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import altair as alt

from boxlens.report.charts.detector_lines import detector_styles, detector_words, first_detectors
from boxlens.report.charts.panels import message
from boxlens.report.charts.robustness_bars import Bar, bar_panel
from boxlens.report.charts.robustness_steps import by_transform
from boxlens.report.charts.system_lines import key_lines
from boxlens.report.charts.theme import WIDTH, themed

if TYPE_CHECKING:
    from boxlens.detector_robustness.result import DetectorRobustness, RobustnessResult

TITLE: Final = "What the transforms of the study leave of AP"
SHOWN: Final = ("AP", "AP50")
PANEL_PX: Final = 220


def robustness_study_chart(
    result: RobustnessResult, *, about: str = ""
) -> alt.VConcatChart | alt.Chart:
    """Transforms in the order of the choice."""
    styles = detector_styles(one.name for one in result.detectors)
    labels = study_labels(result)
    if not labels or not has_study(result):
        empty = message("no transform of the study has a score", width=WIDTH, height=80)
        return themed(empty, title=TITLE, about=about)
    shown = [one for one in result.detectors if detector_words(one.name) in styles]
    panels = [
        bar_panel(
            [bar for one in shown for bar in _bars(one, metric)],
            labels,
            styles,
            title=metric,
            number=metric,
            width=PANEL_PX,
            named=at == 0,
        )
        for at, metric in enumerate(SHOWN)
    ]
    colours = {name: style.colour for name, style in styles.items()}
    return themed(
        alt.vconcat(
            *key_lines(colours, width=2 * PANEL_PX), alt.hconcat(*panels, spacing=12), spacing=8
        ),
        title=TITLE,
        about=about,
        reading="Bar: score on the changed pictures. Stroke: the same detector on the unchanged "
        f"ones.{first_detectors(len(styles), len(result.detectors))}",
    )


def study_labels(result: RobustnessResult) -> dict[str, str]:
    """Titles of the study's transforms by name, as they are in the choice."""
    return {
        name: steps[0].title
        for detector in result.detectors
        for name, steps in by_transform(detector, "study").items()
    }


def has_study(result: RobustnessResult) -> bool:
    """Whether there is a bar to draw."""
    return any(
        not math.isnan(one.metrics[metric])
        for detector in result.detectors
        for one in detector.steps
        if one.group == "study"
        for metric in SHOWN
    )


def _bars(detector: DetectorRobustness, metric: str) -> list[Bar]:
    clean, name = detector.clean.metrics[metric], detector_words(detector.name)
    return [
        Bar(one.step.name, name, one.metrics[metric], clean)
        for one in detector.steps
        if one.group == "study"
    ]
