"""What `reconcile -o` leaves behind: report.html, results.json, two tables and the figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from boxlens.report.charts.convention_steps import convention_steps_chart
from boxlens.report.charts.drawing import Drawing
from boxlens.report.pages.reconcile_page import STEPS, reconcile_page
from boxlens.report.planning.figure_plan import Figure, plan_of
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.write import draw_figures, save_figures, what_was_written, write_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boxlens.comparison.conventions.results import ReconciliationResult
    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat

NUMBERS = ("before", "after", "change", "first_alone", "last_alone", "value")


def write_reconciliation(
    result: ReconciliationResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    progress: Progress | None = None,
) -> str:
    """Writes everything about a reconciliation; returns in a line what was written."""
    with output_folder(folder) as output, Drawing(formats) as drawing:
        drawn = draw_figures([plan_of([reconciliation_figure(result)])], drawing, progress)
        document = result.to_json()
        tables = {name: _frame(document["results"][name]) for name in ("steps", "protocols")}
        write_numbers(output, document, tables)
        save_figures(output, drawing, progress)
        output.write_text("report.html", reconcile_page(result, document, drawn[0]))
    return what_was_written(folder, len(tables), drawn, formats)


def _frame(records: list[dict[str, Any]]) -> pl.DataFrame:
    """One type a column, also where everything is undefined."""
    schema = {name: pl.Float64 if name in NUMBERS else pl.String for name in records[0]}
    return pl.DataFrame(records, schema=schema)


def reconciliation_figure(result: ReconciliationResult) -> Figure:
    about = f"{result.detector} on {result.dataset}"
    return Figure(
        name="convention_steps",
        title=f"From {result.start.protocol.title} to {result.end.protocol.title}",
        reading="Which conventions make the difference between the two numbers?",
        section=STEPS,
        draw=lambda: convention_steps_chart(result, about=about),
    )
