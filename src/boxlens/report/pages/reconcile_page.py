"""A reconciliation as a page: the way between two numbers, all protocols, what is uncertain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxlens.comparison.conventions.results import ORDER_MATTERS
from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import (
    count_cell,
    notes,
    paragraph,
    score_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.page import Section, page, provenance_section

if TYPE_CHECKING:
    from boxlens.comparison.conventions.results import ReconciliationResult
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "reconcile"
STEPS = "steps"
DIGITS = 4


def reconcile_page(result: ReconciliationResult, document: dict[str, Any], drawn: DrawnPlan) -> str:
    """`document` is what results.json holds."""
    about = f"{result.n_detections:,} detections, {result.n_images:,} images"
    way = (_ends(result), paragraph(result.summary, "lead"), drawn.cards(STEPS), _steps(result))
    return page(
        (result.detector, result.dataset),
        about,
        [
            Section(
                STEPS,
                "From one number to the other",
                (*way, paragraph(ORDER_MATTERS)),
                reading="One convention after the other is changed from the first protocol's to "
                "the last one's, and AP is computed anew.",
                guide=GUIDE,
            ),
            Section(
                "protocols",
                "Protocols",
                (_protocols(result),),
                reading="What each protocol would print for these very files.",
                guide=GUIDE,
            ),
            Section(
                "band",
                "Ties and score cuts",
                (_band(result),),
                reading="How far the first number moves with the order of equal scores, and with "
                "detections that are cut off.",
                guide=GUIDE,
            ),
            provenance_section(document),
        ],
    )


def _ends(result: ReconciliationResult) -> str:
    return tiles(
        [
            (result.start.protocol.title, decimal(result.start.value, DIGITS)),
            (result.end.protocol.title, decimal(result.end.value, DIGITS)),
            ("difference", decimal(result.difference, DIGITS)),
        ]
    )


def _steps(result: ReconciliationResult) -> str:
    rows = [
        [
            text_cell(step.title),
            text_cell(step.from_text),
            text_cell(step.to_text),
            *(
                score_cell(value, DIGITS)
                for value in (step.change, step.after, step.first_alone, step.last_alone)
            ),
        ]
        for step in result.steps
    ]
    headings = ["convention", "from", "to", "change", "then", "first alone", "last alone"]
    told = notes(f"{step.title}: {step.sentence}" for step in result.steps if step.moves)
    return table(headings, rows, caption="One convention after the other") + told


def _protocols(result: ReconciliationResult) -> str:
    rows = [
        [
            text_cell(row.protocol.name),
            text_cell(row.protocol.title),
            score_cell(row.value, DIGITS),
            score_cell(row.value - result.start.value, DIGITS),
            text_cell(row.remark or None),
        ]
        for row in result.protocols
    ]
    headings = ["protocol", "number", "value", f"from {result.start.protocol.name}", "lacking"]
    return table(headings, rows, caption="The same files under each protocol")


def _band(result: ReconciliationResult) -> str:
    band, n_all = result.band, result.n_detections
    rows = [
        [text_cell(what), count_cell(n), score_cell(value, DIGITS)]
        for what, n, value in (
            ("equal scores in their worst order", n_all, band.worst_ties),
            ("equal scores in their best order", n_all, band.best_ties),
            *(
                (f"scores above {cut.score_cut:g}", cut.n_detections, cut.value)
                for cut in band.cuts
            ),
        )
    ]
    caption = f"What else {result.start.protocol.title} could be"
    return table(["with", "detections", "value"], rows, caption=caption)
