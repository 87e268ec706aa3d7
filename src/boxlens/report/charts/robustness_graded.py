"""AP as pictures change by degrees: one panel per kind of change."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.images.perturbing.families import FAMILIES
from boxlens.report.charts.detector_lines import detector_styles
from boxlens.report.charts.level_axis import level_axis, level_place
from boxlens.report.charts.method_lines import (
    PANEL_PX,
    above_panel,
    method_marks,
    method_panels,
    recall_limit,
)
from boxlens.report.charts.theme import DECIMAL_AXIS, inline
from boxlens.studies.robustness.steps import (
    CLEAN_WORDS,
    by_transform,
    changing,
    family_of,
    step_words,
)
from boxlens.wording import score, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.report.charts.method_lines import LineStyle
    from boxlens.studies.robustness.result import (
        DetectorRobustness,
        RobustnessResult,
        StepRobustness,
    )

PLOT_PX: Final = 130


def robustness_graded_chart(result: RobustnessResult, names: Sequence[str]) -> alt.VConcatChart:
    """These transforms, in their order, with the same axis of AP."""
    shown = result.detectors
    styles = detector_styles(one.name for one in shown)
    scores = [
        one.metrics["AP"]
        for detector in shown
        for one in (detector.clean, *detector.steps)
        if one is detector.clean or one.group == "graded"
    ]
    top = recall_limit(scores)
    return method_panels(styles, [_panel(shown, name, styles, top) for name in names])


def _panel(
    detectors: Sequence[DetectorRobustness],
    name: str,
    styles: Mapping[str, LineStyle],
    top: float,
) -> alt.LayerChart:
    family = FAMILIES[family_of(name)]
    found = {of.name: by_transform(of, "graded").get(name, ()) for of in detectors}
    levels = sorted({one.step.level for steps in found.values() for one in steps})
    rows: list[dict[str, Any]] = [
        {
            "method": who,
            "x": level_place(family, levels, one.step.level),
            "level": one.label,
            "ap": one.metrics["AP"],
            "text": score(one.metrics["AP"]),
            "relative": share(one.relative["AP"]),
        }
        for who, steps in found.items()
        for one in steps
        if not math.isnan(one.metrics["AP"])
    ]
    plot = alt.Chart(inline(rows), width=PANEL_PX, height=PLOT_PX).encode(
        x=alt.X(**level_axis(family, levels).channel("x")),
        y=_ap(top),
        tooltip=[
            alt.Tooltip("method:N", title="detector"),
            alt.Tooltip("level:N"),
            alt.Tooltip("text:N", title="AP"),
            alt.Tooltip("relative:N"),
        ],
    )
    rules = _reference_rules([of for of in detectors if found[of.name]], name, styles, top)
    return alt.LayerChart(layer=[rules, *method_marks(plot, styles), above_panel(family.title)])


def _ap(top: float) -> alt.Y:
    return alt.Y(
        "ap:Q",
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(title=None, labelExpr=DECIMAL_AXIS, tickCount=4),
    )


def _reference_rules(
    detectors: Sequence[DetectorRobustness],
    name: str,
    styles: Mapping[str, LineStyle],
    top: float,
) -> alt.Chart:
    """What the levels of a transform are compared with."""
    rows = [
        {
            "method": one.name,
            "ap": reference.metrics["AP"],
            "text": score(reference.metrics["AP"]),
            "level": CLEAN_WORDS if reference is one.clean else step_words(reference),
        }
        for one in detectors
        if not math.isnan((reference := _reference(one, name)).metrics["AP"])
    ]
    colours = alt.Scale(
        domain=tuple(styles), range=tuple(style.colour for style in styles.values())
    )
    rules: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_rule(strokeDash=[3, 2], strokeWidth=0.8)
        .encode(
            y=_ap(top),
            color=alt.Color("method:N", scale=colours, legend=None),
            tooltip=[
                alt.Tooltip("method:N", title="detector"),
                alt.Tooltip("level:N", title="pictures"),
                alt.Tooltip("text:N", title="AP"),
            ],
        )
    )
    return rules


def _reference(detector: DetectorRobustness, name: str) -> StepRobustness:
    levels = by_transform(detector, "graded")[name]
    return detector.reference_of(next(iter(changing(levels)), levels[0]))
