"""AP of each class of a detector: unchanged, and under what costs it most."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.proposals.words import counted
from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.kinds import kind_of
from boxlens.report.charts.method_lines import above_panel
from boxlens.report.charts.panels import message, rows_axis
from boxlens.report.charts.robustness_steps import (
    CLEAN_WORDS,
    level_words,
    worst_of_transforms,
)
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
    from collections.abc import Mapping, Sequence

    from boxlens.detector_robustness.result import (
        DetectorRobustness,
        RobustnessResult,
        StepRobustness,
    )

TITLE: Final = "AP of each class, unchanged and under what costs most"
NOTHING_FOUND: Final = "AP of every class is 0 or undefined"
N_STEPS: Final = 3
MOST_CLASSES: Final = 80
ROW_PX: Final = 11
PANEL_PX: Final = 122
NAME_CHARACTERS: Final = 24
TITLE_CHARACTERS: Final = 24
# None of the bars has it.
UAP_COLOUR: Final = kind_of("both").colour


def robustness_classes_chart(
    result: RobustnessResult, detector: DetectorRobustness, colour: str, *, about: str = ""
) -> alt.HConcatChart | alt.Chart:
    """Transforms of the study that cost most AP, and the worst of all others."""
    steps = shown_steps(detector)
    rows = shown_classes(detector, steps)
    if not rows:
        empty = message(NOTHING_FOUND, width=WIDTH, height=80)
        return themed(empty, title=TITLE, about=about)
    labels = {str(row): short(result.classes[row], NAME_CHARACTERS) for row in rows}
    uap = result.uap_by_class
    panels = [_panel(detector, detector.clean, labels, NEUTRAL, uap)]
    panels += [_panel(detector, one, labels, colour, uap) for one in steps]
    return themed(
        alt.hconcat(*panels, spacing=8),
        title=TITLE,
        about=about,
        reading=_reading(result, detector, steps, len(rows)),
    )


def _reading(
    result: RobustnessResult,
    detector: DetectorRobustness,
    steps: Sequence[StepRobustness],
    n_shown: int,
) -> str:
    n_found = len(_found(detector, steps))
    n_never = sum(not math.isnan(value) for value in detector.clean.by_class) - n_found
    cropped = any(detector.reference_of(one) is not detector.clean for one in steps)
    reading = (
        "Classes by AP on the unchanged pictures, which strokes repeat in every panel"
        + " (of rotations: on the same crop unturned)" * cropped
        + ". No bar: no object of the class is there, or none is found."
        + f" Of {n_found:,} classes the {n_shown} that lose most." * (n_shown < n_found)
        + f" Without {counted(n_never, 'class', 'classes')} of AP 0 in all panels." * (n_never > 0)
    )
    if result.bound is None:
        return reading
    return (
        f"{reading} Pink strokes: UAP, what {result.bound.classifier} reaches on the true boxes "
        "of the unchanged pictures."
    )


def shown_steps(detector: DetectorRobustness) -> list[StepRobustness]:
    """The study's, and last the worst of all others; one level a transform."""
    groups = {
        is_study: worst_of_transforms(
            detector, [one for one in detector.steps if (one.group == "study") == is_study]
        )
        for is_study in (True, False)
    }
    others = groups[False][: max(N_STEPS - len(groups[True]), 1)]
    return [*groups[True][: N_STEPS - len(others)], *others]


def shown_classes(detector: DetectorRobustness, steps: Sequence[StepRobustness]) -> list[int]:
    """Rows of classes that are ever found, the best first; of too many those that lose most."""
    clean = detector.clean.by_class
    pairs = [(detector.reference_of(one).by_class, one.by_class) for one in steps]

    def lost(row: int) -> float:
        drops = [before[row] - after[row] for before, after in pairs]
        told = [drop for drop in drops if not math.isnan(drop)]
        return math.fsum(told) / len(told) if told else -1.0

    kept = sorted(_found(detector, steps), key=lambda row: -lost(row))[:MOST_CLASSES]
    return sorted(kept, key=lambda row: (-clean[row], row))


def _found(detector: DetectorRobustness, steps: Sequence[StepRobustness]) -> list[int]:
    """Rows of classes whose AP is above 0 somewhere."""
    looked_at = (detector.clean, *steps, *map(detector.reference_of, steps))
    return [
        row
        for row, value in enumerate(detector.clean.by_class)
        if not math.isnan(value) and any(one.by_class[row] > 0 for one in looked_at)
    ]


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
        record |= {name: None if math.isnan(value) else value, f"{name}_text": decimal(value)}
    return record
