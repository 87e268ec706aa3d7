"""AP of each class of a detector: unchanged, and under what costs it most."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_lines import detector_styles
from boxlens.report.charts.kinds import kind_of
from boxlens.report.charts.method_lines import above_panel
from boxlens.report.charts.panels import rows_axis
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    INK,
    NEUTRAL,
    inline,
)
from boxlens.studies.robustness.steps import (
    CLEAN_WORDS,
    level_words,
)
from boxlens.wording import score, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.studies.robustness.result import (
        DetectorRobustness,
        RobustnessResult,
        StepRobustness,
    )

ROW_PX: Final = 11
PANEL_PX: Final = 122
NAME_CHARACTERS: Final = 24
TITLE_CHARACTERS: Final = 24
# None of the bars has it.
UAP_COLOUR: Final = kind_of("both").colour


def robustness_classes_chart(
    result: RobustnessResult,
    detector: DetectorRobustness,
    steps: Sequence[StepRobustness],
    rows: Sequence[int],
) -> alt.HConcatChart:
    """One panel for the unchanged pictures, and one per step; `rows` are those of classes."""
    colour = detector_styles(one.name for one in result.detectors)[detector.name].colour
    labels = {str(row): short(result.classes[row], NAME_CHARACTERS) for row in rows}
    uap = result.uap_by_class
    panels = [_panel(detector, detector.clean, labels, NEUTRAL, uap)]
    panels += [_panel(detector, one, labels, colour, uap) for one in steps]
    return alt.hconcat(*panels, spacing=8)


def _panel(
    detector: DetectorRobustness,
    one: StepRobustness,
    labels: dict[str, str],
    colour: str,
    uap: Sequence[float] | None,
) -> alt.LayerChart:
    first, reference = one is detector.clean, detector.reference_of(one)
    columns = {"ap": one.by_class, "before": reference.by_class} | ({"uap": uap} if uap else {})
    records = [_record(row, label, columns) for row, label in labels.items()]
    before = "unchanged" if reference is detector.clean else level_words(reference)
    plot = alt.Chart(inline(records), width=PANEL_PX, height=ROW_PX * len(labels)).encode(
        y=rows_axis("row", list(labels), _names(labels, shown=first)),
        tooltip=[
            alt.Tooltip("class:N"),
            alt.Tooltip("ap_text:N", title="AP"),
            alt.Tooltip("before_text:N", title=before),
            *[alt.Tooltip("uap_text:N", title="UAP")] * bool(uap),
        ],
    )
    x = alt.X(
        "ap:Q",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(title=None, labelExpr=DECIMAL_AXIS, values=[0, 0.5, 1]),
    )
    layers = [plot.mark_bar(color=colour).encode(x=x)]
    if not first:
        stroke = plot.mark_tick(color=INK, thickness=1, bandSize=ROW_PX - 3)
        layers.append(stroke.encode(x="before:Q"))
    if uap:
        stroke = plot.mark_tick(color=UAP_COLOUR, thickness=1.5, size=ROW_PX)
        layers.append(stroke.encode(x="uap:Q"))
    title = CLEAN_WORDS if first else short(f"{one.title} {one.label}", TITLE_CHARACTERS)
    return alt.LayerChart(layer=[*layers, above_panel(title)])


def _names(labels: dict[str, str], *, shown: bool) -> alt.Axis:
    return alt.Axis(
        labels=shown,
        ticks=False,
        domain=False,
        labelFontSize=9,
        labelOverlap=False,
        labelExpr=f"({json.dumps(labels)})[datum.value]",
    )


def _record(row: str, label: str, columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    record: dict[str, Any] = {"row": row, "class": label}
    for name, values in columns.items():
        value = values[int(row)]
        record |= {name: None if math.isnan(value) else value, f"{name}_text": score(value)}
    return record
