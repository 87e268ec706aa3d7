"""Which errors grow under changes of pictures: TIDE's kinds, transform by transform."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from boxlens.report.charts.forms.axes import Names
from boxlens.report.charts.forms.cells import cell, matrix
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.panels import beside
from boxlens.report.charts.kinds import kind_of
from boxlens.report.described.robustness.steps import MOST_PANELS, NAMED, plot_of, rows_of, who
from boxlens.report.study import CHANGE, SCORE, TEXT, Part, Table, table_of
from boxlens.studies.diagnosis.tide import GAINS
from boxlens.studies.diagnosis.tide_types import ERRORS
from boxlens.studies.robustness.error_growth import ErrorGrowth, error_growth
from boxlens.studies.robustness.result import DetectorRobustness, RobustnessResult
from boxlens.studies.robustness.steps import own_references, step_words
from boxlens.wording import change, count, number, short

# So many more errors per object have the full colour; fewer than the least have no number.
FULL_COLOUR, LEAST_TOLD = 0.5, 0.005
KINDS = {kind.label: kind_of(kind.label).label for kind in ERRORS}


def parts(result: RobustnessResult) -> tuple[Part, ...]:
    crop = " (rotations: on the same crop unrotated)" * bool(own_references(result))
    figure = plot_of(
        result,
        "robustness_errors",
        "Which errors grow",
        "Missed objects: the change hides them. Background: it makes things look like objects. "
        "Wrong class: objects are found, but not recognised.",
        "Errors per object, of detections with a score of "
        f"{number(result.choice.shown_score)} or more, minus those on the unchanged "
        f"pictures{crop}. Orange: more of them (full colour from {number(FULL_COLOUR)}); blue: "
        f"fewer; no number: less than {number(LEAST_TOLD)}; no cell: pictures of one object "
        "each have more background. Where a transform has several levels (how many, in "
        "brackets), their mean.",
        _chart,
        there=any(map(_known_growth, result.detectors[:MOST_PANELS])),
        most=MOST_PANELS,
    )
    return figure, *_tables(result)


def _known_growth(detector: DetectorRobustness) -> list[ErrorGrowth]:
    return [one for one in error_growth(detector) if not math.isnan(one.per_object)]


def _chart(result: RobustnessResult) -> Spec:
    """One row per transform, one column per kind of error, side by side for detectors."""
    known = {of.name: _known_growth(of) for of in result.detectors}
    every = [one for of in known.values() for one in of]
    # Of at least a hundredth, else noise would be painted as loud as change; and no more than is
    # told, else one cell would make all others pale.
    largest = min(max(0.01, *(abs(one.per_object) for one in every)), FULL_COLOUR)
    titles = {one.name: one.title + f" ({one.n_levels})" * (one.n_levels > 1) for one in every}
    panels = [
        matrix(
            [_cell(one, largest) for one in of],
            Names(KINDS, px=29, gap=0.04),
            Names(titles, px=15, characters=32, gap=0.04, shown=at == 0),
            letters_px=8,
            diverging=True,
            title=short(name, 28),
        )
        for at, (name, of) in enumerate(known.items())
    ]
    return beside(*panels)


def _cell(one: ErrorGrowth, largest: float) -> Row:
    tip = {
        "pictures": one.title,
        "error": KINDS[one.kind],
        "AP50 gained by fixing it, more than before": change(one.gain),
        "errors per object, more than before": change(one.per_object),
        "mean over levels": count(one.n_levels),
    }
    return cell(
        min(max(one.per_object / largest, -1.0), 1.0),
        change(one.per_object, 2) if abs(one.per_object) >= LEAST_TOLD else "",
        diverging=True,
        row=one.name,
        column=one.kind,
        tip=tip,
    )


def _tables(result: RobustnessResult) -> Iterator[Table[Any]]:
    """As they are on unchanged pictures, and how many more under a transform."""
    before, more = [], []
    for of in result.detectors:
        per_object = of.clean.errors_per_object
        before.append((step_words(of.clean), of.name, *(per_object[kind] for kind in KINDS)))
        growth = error_growth(of)
        for at in range(0, len(growth), len(KINDS)):
            grown = growth[at : at + len(KINDS)]
            more.append((grown[0].title, of.name, *(one.per_object for one in grown)))
    for caption, rows, form in (
        ("Errors per object on the unchanged pictures", before, SCORE),
        ("More or fewer errors per object under each transform", more, CHANGE),
    ):
        forms = {"pictures": TEXT, who(result): TEXT, **dict.fromkeys(KINDS.values(), form)}
        yield table_of("", caption, forms, rows, folded=True, detail=True)
    numbers = dict.fromkeys(("dAP", "dAP_growth", "per_object"), SCORE)
    every = (
        (*row.named, kind, one.error_gain[kind], one.error_growth[kind], per_object[kind])
        for row in rows_of(result)
        for one, per_object in ((row.one, row.one.errors_per_object),)
        for kind in GAINS
    )
    yield table_of("robustness_errors", "", {**NAMED, "error": TEXT, **numbers}, every)
