"""Mean performance under corruption, over all corruptions and group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from boxlens.report.charts.detector_lines import detector_styles
from boxlens.report.charts.robustness_bars import Bar, bar_panel
from boxlens.report.charts.system_lines import key_lines
from boxlens.studies.robustness.steps import GROUP_WORDS, telling_means

if TYPE_CHECKING:
    from boxlens.studies.robustness.result import RobustnessResult

PANEL_PX: Final = 220


def robustness_groups_chart(result: RobustnessResult) -> alt.VConcatChart:
    """AP, and its share of the AP on the unchanged pictures."""
    styles = detector_styles(one.name for one in result.detectors)
    means = [
        (one.name, one.clean.metrics["AP"], mean)
        for one in result.detectors
        for mean in telling_means(one)
    ]
    labels = {mean.group: f"{GROUP_WORDS[mean.group]} ({mean.n_corruptions})" for *_, mean in means}
    shown = (
        ("AP", "AP", [Bar(of.group, who, of.ap, clean) for who, clean, of in means]),
        (
            "relative to the unchanged pictures",
            "relative",
            [Bar(of.group, who, of.relative, 1.0) for who, _, of in means],
        ),
    )
    panels = [
        bar_panel(bars, labels, styles, title=title, number=number, width=PANEL_PX, named=at == 0)
        for at, (title, number, bars) in enumerate(shown)
    ]
    colours = {name: style.colour for name, style in styles.items()}
    return alt.vconcat(
        *key_lines(colours, width=2 * PANEL_PX), alt.hconcat(*panels, spacing=12), spacing=8
    )
