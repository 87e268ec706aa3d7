"""What changes of pictures cost: which errors grow, and which classes are lost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from boxlens.report.charts.colours import INK, NEUTRAL, PINK
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.cells import cell, matrix
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import bars, ticks
from boxlens.report.charts.forms.panels import beside, name_rows
from boxlens.report.charts.kinds import kind_of
from boxlens.report.charts.robustness import detector_colours
from boxlens.studies.diagnosis.tide_types import ERRORS
from boxlens.studies.robustness.error_growth import ErrorGrowth
from boxlens.studies.robustness.result import (
    DetectorRobustness,
    RobustnessResult,
    StepRobustness,
)
from boxlens.studies.robustness.steps import CLEAN_WORDS, level_words
from boxlens.wording import change, count, score, short

CLASS_PX: Final = 11
NAME_CHARACTERS: Final = 24


def robustness_errors_chart(
    found: Mapping[str, Sequence[ErrorGrowth]], full_colour: float, least_told: float
) -> Spec:
    """One row per transform, one column per kind of error, side by side for detectors.

    From `full_colour` on cells have all of their colour; those below `least_told` have no number.
    """
    known = {
        who: [one for one in growth if not math.isnan(one.per_object)]
        for who, growth in found.items()
    }
    every = [one for of in known.values() for one in of]
    # Of at least a hundredth, else noise would be painted as loud as change; and no more than is
    # told, else one cell would make all others pale.
    largest = min(max(0.01, *(abs(one.per_object) for one in every)), full_colour)
    titles = {
        one.name: f"{one.title} ({one.n_levels})" if one.n_levels > 1 else one.title
        for one in every
    }
    kinds = {kind.label: kind_of(kind.label).label for kind in ERRORS}
    panels = [
        matrix(
            [_error_cell(one, largest, told=abs(one.per_object) >= least_told) for one in of],
            Names(kinds, px=29, gap=0.04),
            Names(titles, px=15, characters=32, gap=0.04, shown=at == 0),
            letters_px=8,
            diverging=True,
            title=short(who, 28),
        )
        for at, (who, of) in enumerate(known.items())
    ]
    return beside(*panels)


def _error_cell(one: ErrorGrowth, largest: float, *, told: bool) -> Row:
    tip = {
        "pictures": one.title,
        "error": kind_of(one.kind).label,
        "AP50 gained by fixing it, more than before": change(one.gain),
        "errors per object, more than before": change(one.per_object),
        "mean over levels": count(one.n_levels),
    }
    return cell(
        min(max(one.per_object / largest, -1.0), 1.0),
        change(one.per_object, 2) if told else "",
        diverging=True,
        row=one.name,
        column=one.kind,
        tip=tip,
    )


def robustness_classes_chart(
    result: RobustnessResult,
    detector: DetectorRobustness,
    steps: Sequence[StepRobustness],
    rows: Sequence[int],
) -> Spec:
    """AP of classes, given by row: a panel for the unchanged pictures, and one per step."""
    colour = detector_colours(result)[detector.name]
    names = {str(row): result.classes[row] for row in rows}
    panels = []
    for one in (detector.clean, *steps):
        first = one is detector.clean
        panel = name_rows(
            [_class_row(result, detector, one, row) for row in rows],
            Names(
                names,
                px=CLASS_PX,
                characters=NAME_CHARACTERS,
                shown=first,
                more={"labelFontSize": 9},
            ),
            Axis(ends=(0, 1), values=(0, 0.5, 1)),
            bars("value", color=NEUTRAL if first else colour),
            *([] if first else [ticks("before", color=INK, thickness=1, bandSize=CLASS_PX - 3)]),
            # None of the bars has this colour.
            ticks("uap", color=PINK, size=CLASS_PX),
            width=122,
            title=CLEAN_WORDS if first else short(f"{one.title} {one.label}", NAME_CHARACTERS),
        )
        panels.append(panel)
    return beside(*panels, gap=8)


def _class_row(
    result: RobustnessResult, detector: DetectorRobustness, one: StepRobustness, row: int
) -> Row:
    reference = detector.reference_of(one)
    before = "unchanged" if reference is detector.clean else level_words(reference)
    values = {"value": one.by_class[row], "before": reference.by_class[row]}
    tip = {
        "class": short(result.classes[row], NAME_CHARACTERS),
        "AP": score(values["value"]),
        before: score(values["before"]),
    }
    if result.uap_by_class:
        values["uap"] = result.uap_by_class[row]
        tip["UAP"] = score(values["uap"])
    return {"row": str(row), **values, "tip": tip}
