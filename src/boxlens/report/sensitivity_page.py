"""A sensitivity analysis as a page: what matters to the detector, and which objects it misses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from boxlens.report.charts.theme import decimal
from boxlens.report.figure_plan import OBJECTS
from boxlens.report.markup import count_cell, score_cell, share_cell, table, text_cell, tiles
from boxlens.report.page import Section, figure_cards, page, provenance_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.object_sensitivity import SensitivityResult
    from boxlens.report.figure_plan import LeftOut
    from boxlens.report.page import DrawnFigure


def sensitivity_page(
    result: SensitivityResult,
    document: dict[str, Any],
    drawn: Sequence[DrawnFigure],
    left_out: Sequence[LeftOut],
) -> str:
    """`document` is what results.json holds."""
    n_images = document["dataset"]["n_images"]
    about = f"{document['results']['n_detections']:,} detections, {n_images:,} images"
    return page(
        (result.detector, result.dataset),
        about,
        [
            Section("summary", "Summary", (_summary(result), _characteristics(result))),
            Section("objects", "Objects", (figure_cards(drawn, left_out, OBJECTS),)),
            Section("classes", "Classes", (_classes(result),)),
            provenance_section(document),
        ],
    )


def _summary(result: SensitivityResult) -> str:
    misses = result.misses
    return tiles(
        [
            ("mean AP_N", decimal(result.ap_n)),
            ("objects", f"{misses.n_objects:,}"),
            ("undetected", f"{misses.n_missed:,}"),
        ]
    )


def _characteristics(result: SensitivityResult) -> str:
    # The widest spread first, undefined ones last.
    ordered = sorted(
        result.characteristics, key=lambda row: (math.isnan(row.sensitivity), -row.sensitivity)
    )
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
        for row in ordered
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
