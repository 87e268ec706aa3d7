"""What `evaluate -o` leaves behind."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from boxlens.metrics.evaluation import with_unique_names
from boxlens.report.charts.drawing import Drawing
from boxlens.report.pages.evaluation_page import evaluation_page, evaluation_verdict
from boxlens.report.pages.page import names_of
from boxlens.report.planning.evaluation_figures import evaluation_figures
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.write import (
    Run,
    draw_figures,
    plain_diagnoses,
    save_figures,
    what_was_written,
    write_for_app,
    write_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from boxlens.data import Dataset, Detections
    from boxlens.formats.files import Progress
    from boxlens.metrics import EvaluationResult
    from boxlens.metrics.intervals import Interval
    from boxlens.report.charts.export import ChartFormat

COLUMNS = {
    "detector": pl.String,
    "class": pl.String,
    "n_objects": pl.Int64,
    "n_detections": pl.Int64,
    "metric": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


def write_evaluation(
    result: EvaluationResult,
    dataset: Dataset,
    detections: Sequence[Detections],
    folder: Path,
    *,
    iou: float,
    formats: Sequence[ChartFormat],
    threads: int = 0,
    progress: Progress | None = None,
) -> str:
    """Writes everything about an evaluation; returns in a line what was written.

    `iou` is the overlap that the app's tables go by.
    """
    tables = with_unique_names(detections)
    with output_folder(folder) as output, Drawing(formats) as drawing:
        drawn = draw_figures([evaluation_figures(result)], drawing, progress)
        document = result.to_json()
        scores = {"scores": scores_table(result)}
        write_numbers(output, document, scores)
        run = Run(
            verb="evaluate",
            title=f"{names_of(tables)} on {result.dataset}",
            dataset=dataset,
            diagnoses=plain_diagnoses(dataset, tables, iou, threads=threads),
            verdict=evaluation_verdict(result),
            provenance=result.provenance,
            notices=[*result.notices, *(n for one in result.detectors for n in one.notices)],
        )
        own = write_for_app(output, run, drawn)
        save_figures(output, drawing, progress)
        page = evaluation_page(result, names_of(tables), document, drawn[0])
        output.write_text("report.html", page)
    return what_was_written(folder, len(scores) + len(own), drawn, formats)


def scores_table(result: EvaluationResult) -> pl.DataFrame:
    """A row a number: of a detector as a whole (no class), and of each class."""
    rows: list[tuple[object, ...]] = []
    for one in result.detectors:
        whole = (one.name, None, result.n_objects, one.n_detections)
        rows += [(*whole, *number) for number in _numbers(one.metrics, one.intervals)]
        for row in one.classes:
            of_class = (one.name, row.name, row.n_gt, row.n_detections)
            rows += [(*of_class, *number) for number in _numbers(row.metrics, row.intervals)]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def _numbers(
    metrics: Mapping[str, float], intervals: Mapping[str, Interval] | None
) -> Iterator[tuple[str, float | None, float | None, float | None]]:
    for name, value in metrics.items():
        found = (intervals or {}).get(name)
        ends = (math.nan, math.nan) if found is None else (found.low, found.high)
        low, high = (None if math.isnan(end) else end for end in ends)
        yield name, None if math.isnan(value) else value, low, high
