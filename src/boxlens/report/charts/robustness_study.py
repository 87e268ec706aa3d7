"""What is left under each transform of the study: AP and AP50 beside the unchanged pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from boxlens.report.charts.detector_lines import detector_styles
from boxlens.report.charts.robustness_bars import Bar, bar_panel
from boxlens.report.charts.system_lines import key_lines
from boxlens.studies.robustness.steps import by_transform

if TYPE_CHECKING:
    from boxlens.studies.robustness.result import DetectorRobustness, RobustnessResult

SHOWN: Final = ("AP", "AP50")
PANEL_PX: Final = 220


def robustness_study_chart(result: RobustnessResult) -> alt.VConcatChart:
    """Transforms in the order of the choice."""
    styles = detector_styles(one.name for one in result.detectors)
    labels = study_labels(result)
    panels = [
        bar_panel(
            [bar for one in result.detectors for bar in _bars(one, metric)],
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
    return alt.vconcat(
        *key_lines(colours, width=2 * PANEL_PX), alt.hconcat(*panels, spacing=12), spacing=8
    )


def study_labels(result: RobustnessResult) -> dict[str, str]:
    """Titles of the study's transforms by name, as they are in the choice."""
    return {
        name: steps[0].title
        for detector in result.detectors
        for name, steps in by_transform(detector, "study").items()
    }


def _bars(detector: DetectorRobustness, metric: str) -> list[Bar]:
    clean = detector.clean.metrics[metric]
    return [
        Bar(one.step.name, detector.name, one.metrics[metric], clean)
        for one in detector.steps
        if one.group == "study"
    ]
