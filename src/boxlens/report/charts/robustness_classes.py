"""AP of each class of a detector: unchanged, and under what costs it most."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.method_lines import above_panel
from boxlens.report.charts.panels import message, rows_axis
from boxlens.report.charts.robustness_steps import CLEAN_WORDS, step_words, worst_of_transforms
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    INK,
    NEUTRAL,
    WIDTH,
    decimal,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.detector_robustness.result import (
        DetectorRobustness,
        RobustnessResult,
        StepRobustness,
    )

TITLE: Final = "AP of each class, unchanged and under what costs most"
N_STEPS: Final = 3
MOST_CLASSES: Final = 80
ROW_PX: Final = 11
PANEL_PX: Final = 122
NAME_CHARACTERS: Final = 24
TITLE_CHARACTERS: Final = 24


def robustness_classes_chart(
    result: RobustnessResult, detector: DetectorRobustness, colour: str, *, about: str = ""
) -> alt.HConcatChart | alt.Chart:
    """Transforms of the study, those that cost most AP; without one, any others."""
    steps = shown_steps(detector)
    rows = shown_classes(detector, steps)
    if not rows:
        empty = message("AP of every class is undefined", width=WIDTH, height=80)
        return themed(empty, title=TITLE, about=about)
    labels = {str(row): short(result.classes[row], NAME_CHARACTERS) for row in rows}
    panels = [_panel(detector, detector.clean, labels, CLEAN_WORDS, NEUTRAL, first=True)]
    panels += [
        _panel(detector, one, labels, short(step_words(one), TITLE_CHARACTERS), colour, first=False)
        for one in steps
    ]
    n_known = sum(not math.isnan(value) for value in detector.clean.by_class)
    reading = (
        "Classes by AP on the unchanged pictures, which strokes repeat in every panel. No bar: "
        "no object of the class is there, or none is found."
        + f" Of {n_known:,} classes the {len(rows)} that lose most."
        * (len(rows) < n_known)
    )
    return themed(alt.hconcat(*panels, spacing=8), title=TITLE, about=about, reading=reading)


def shown_steps(detector: DetectorRobustness) -> list[StepRobustness]:
    """The study's, or where none was run all others: one level a transform."""
    study = [one for one in detector.steps if one.group == "study"]
    return worst_of_transforms(detector, study or detector.steps)[:N_STEPS]


def shown_classes(detector: DetectorRobustness, steps: Sequence[StepRobustness]) -> list[int]:
    """Rows of classes that have a score, the best first; of too many those that lose most."""
    clean = detector.clean.by_class
    known = [row for row, value in enumerate(clean) if not math.isnan(value)]

    def lost(row: int) -> float:
        left = [one.by_class[row] for one in steps if not math.isnan(one.by_class[row])]
        return clean[row] - math.fsum(left) / len(left) if left else -1.0

    kept = sorted(known, key=lambda row: -lost(row))[:MOST_CLASSES]
    return sorted(kept, key=lambda row: (-clean[row], row))


def _panel(
    detector: DetectorRobustness,
    one: StepRobustness,
    labels: dict[str, str],
    title: str,
    colour: str,
    *,
    first: bool,
) -> alt.LayerChart:
    records: list[dict[str, Any]] = [
        {
            "row": row,
            "class": label,
            "ap": None if math.isnan(value := one.by_class[int(row)]) else value,
            "clean": detector.clean.by_class[int(row)],
            "text": decimal(value),
            "clean_text": decimal(detector.clean.by_class[int(row)]),
        }
        for row, label in labels.items()
    ]
    plot = alt.Chart(inline(records), width=PANEL_PX, height=ROW_PX * len(labels)).encode(
        y=rows_axis(
            "row",
            list(labels),
            alt.Axis(
                labels=first,
                ticks=False,
                domain=False,
                labelFontSize=9,
                labelOverlap=False,
                labelExpr=f"({json.dumps(labels)})[datum.value]",
            ),
        ),
        tooltip=[
            alt.Tooltip("class:N"),
            alt.Tooltip("text:N", title="AP"),
            alt.Tooltip("clean_text:N", title="unchanged"),
        ],
    )
    x = alt.X(
        "ap:Q",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(title=None, labelExpr=DECIMAL_AXIS, values=[0, 0.5, 1]),
    )
    strokes = [plot.mark_tick(color=INK, thickness=1, bandSize=ROW_PX - 3).encode(x="clean:Q")] * (
        not first
    )
    layers = [plot.mark_bar(color=colour).encode(x=x), *strokes, above_panel(title)]
    return alt.LayerChart(layer=layers)
