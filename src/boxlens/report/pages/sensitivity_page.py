"""A sensitivity analysis as a page: what matters to the detector, and which objects it misses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import (
    count_cell,
    paragraph,
    score_cell,
    share_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.page import Section, page, provenance_section
from boxlens.report.planning.figure_plan import OBJECTS

if TYPE_CHECKING:
    from boxlens.object_sensitivity import SensitivityResult
    from boxlens.object_sensitivity.results import Characteristic
    from boxlens.report.pages.page import DrawnPlan


def sensitivity_page(
    result: SensitivityResult,
    document: dict[str, Any],
    drawn: DrawnPlan,
) -> str:
    """`document` is what results.json holds."""
    n_images = document["dataset"]["n_images"]
    about = f"{document['results']['n_detections']:,} detections, {n_images:,} images"
    return page(
        (result.detector, result.dataset),
        about,
        [
            Section("summary", "Summary", (paragraph(summary(result), "lead"), _tiles(result))),
            objects_section(result, drawn),
            classes_section(result),
            provenance_section(document),
        ],
    )


def summary(result: SensitivityResult) -> str:
    """What it comes to, in two sentences."""
    misses = result.misses
    text = (
        f"{misses.n_missed:,} of {misses.n_objects:,} objects are undetected; mean AP_N is "
        f"{decimal(result.ap_n)}."
    )
    spread = _ordered(result)
    if not spread or math.isnan(spread[0].sensitivity):
        return text
    widest = spread[0]
    return (
        f"{text} The widest spread is that of {widest.name}: AP_N from {decimal(widest.lowest)} "
        f"to {decimal(widest.highest)} on average over classes (chance would make it "
        f"{decimal(widest.chance)})."
    )


def objects_section(result: SensitivityResult, drawn: DrawnPlan) -> Section:
    return Section(
        OBJECTS,
        "Objects",
        (drawn.cards(OBJECTS), _characteristics(result)),
        reading="Which objects are found worse than others of their class, and which are not "
        "found at all.",
        guide="sensitivity",
    )


def classes_section(result: SensitivityResult) -> Section:
    return Section(
        "classes",
        "Classes",
        (_classes(result),),
        reading="AP_N is AP as if every class had the same number of objects; ± is a standard "
        "error.",
        guide="sensitivity",
    )


def _tiles(result: SensitivityResult) -> str:
    misses = result.misses
    return tiles(
        [
            ("mean AP_N", decimal(result.ap_n)),
            ("objects", f"{misses.n_objects:,}"),
            ("undetected", f"{misses.n_missed:,}"),
        ]
    )


def _ordered(result: SensitivityResult) -> list[Characteristic]:
    """The widest spread first, undefined ones last."""
    return sorted(
        result.characteristics, key=lambda row: (math.isnan(row.sensitivity), -row.sensitivity)
    )


def _characteristics(result: SensitivityResult) -> str:
    rows = [
        [
            text_cell(row.name),
            *map(
                score_cell,
                (
                    row.highest,
                    row.lowest,
                    row.ap_n,
                    row.sensitivity,
                    row.chance,
                    row.impact,
                    row.entropy_share,
                    row.entropy_chance,
                ),
            ),
            count_cell(row.n_classes),
        ]
        for row in _ordered(result)
    ]
    if not rows:
        return ""
    headings = ["by", "best", "worst", "all", "sensitivity", "by chance", "impact"]
    headings += ["explains misses", "by chance", "classes"]
    caption = "AP_N of the best and the worst kind of objects, on average over classes"
    return table(headings, rows, caption=caption)


def _classes(result: SensitivityResult) -> str:
    rows = [
        [
            text_cell(row.name),
            count_cell(row.n_objects),
            *map(score_cell, (row.ap, row.ap_se, row.ap_n, row.ap_n_se)),
            share_cell(row.n_missed, row.n_objects),
        ]
        for row in result.classes
    ]
    headings = ["class", "objects", "AP", "± AP", "AP_N", "± AP_N", "undetected"]
    return table(headings, rows, caption="Every class", wide=True)
