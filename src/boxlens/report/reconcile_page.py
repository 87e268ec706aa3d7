"""A reconciliation as a page: the way between two numbers, all protocols, what is uncertain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxlens.comparison.conventions.results import ORDER_MATTERS
from boxlens.report.charts.theme import decimal
from boxlens.report.markup import count_cell, notes, paragraph, score_cell, table, text_cell, tiles
from boxlens.report.page import Section, figure_cards, page, provenance_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.comparison.conventions.results import ReconciliationResult
    from boxlens.report.page import DrawnFigure

STEPS = "steps"
DIGITS = 4


def reconcile_page(
    result: ReconciliationResult, document: dict[str, Any], drawn: Sequence[DrawnFigure]
) -> str:
    """`document` is what results.json holds."""
    about = f"{result.n_detections:,} detections, {result.n_images:,} images"
    way = (paragraph(result.summary), _ends(result), figure_cards(drawn, (), STEPS), _steps(result))
    return page(
        (result.detector, result.dataset),
        about,
        [
            Section(STEPS, "From one number to the other", (*way, paragraph(ORDER_MATTERS))),
            Section("protocols", "Protocols", (_protocols(result),)),
            Section("band", "Ties and score cuts", (_band(result),)),
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
