"""What `reconcile -o` leaves behind: report.html, results.json, two tables and the figure."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import polars as pl

from boxlens.report.charts.convention_steps import convention_steps_chart
from boxlens.report.charts.export import chart_json, save_chart
from boxlens.report.figure_plan import Figure
from boxlens.report.output_folder import OutputFolder
from boxlens.report.page import DrawnFigure
from boxlens.report.reconcile_page import STEPS, reconcile_page

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    output = OutputFolder(folder)
    document = result.to_json()
    output.write_text("results.json", json.dumps(document, indent=2, allow_nan=False) + "\n")
    tables = {name: document["results"][name] for name in ("steps", "protocols")}
    for name, records in tables.items():
        with output.file(f"tables/{name}.parquet") as temporary:
            _frame(records).write_parquet(temporary)
    if progress:
        progress("drawing figures", 0, 1)
    drawn = _draw(_figure(result), output, formats)
    output.write_text("report.html", reconcile_page(result, document, [drawn]))
    output.close()
    figure = f", 1 figure ({', '.join(formats)})" if formats else ""
    return f"{folder}/: report.html, results.json, {len(tables)} tables{figure}"


def _frame(records: list[dict[str, Any]]) -> pl.DataFrame:
    """One type a column, also where everything is undefined."""
    schema = {name: pl.Float64 if name in NUMBERS else pl.String for name in records[0]}
    return pl.DataFrame(records, schema=schema)


def _figure(result: ReconciliationResult) -> Figure:
    about = f"{result.detector} on {result.dataset}"
    return Figure(
        name="convention_steps",
        title=f"From {result.start.protocol.title} to {result.end.protocol.title}",
        reading="Which conventions make the difference between the two numbers?",
        section=STEPS,
        draw=lambda: convention_steps_chart(result, about=about),
    )


def _draw(figure: Figure, output: OutputFolder, formats: Sequence[ChartFormat]) -> DrawnFigure:
    chart = figure.draw()
    with TemporaryDirectory(prefix="boxlens") as scratch:
        for path in save_chart(chart, Path(scratch) / figure.name, formats) if formats else ():
            with output.file(f"figures/{path.name}") as temporary:
                temporary.write_bytes(path.read_bytes())
    return DrawnFigure(figure, chart_json(chart), tuple(formats))
