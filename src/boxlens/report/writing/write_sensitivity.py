"""What `sensitivity -o` leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.metrics.results import Provenance
from boxlens.report.charts.drawing import Drawing
from boxlens.report.frames.tables import sensitivity_tables
from boxlens.report.pages.sensitivity_page import sensitivity_page, summary
from boxlens.report.planning.figures import sensitivity_figures
from boxlens.report.writing.documents import sensitivity_document
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.run_record import RunVerdict
from boxlens.report.writing.write import (
    Run,
    draw_figures,
    plain_diagnoses,
    save_figures,
    what_was_written,
    write_for_app,
    write_numbers,
)
from boxlens.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boxlens.data import Dataset, Detections
    from boxlens.formats.files import Progress
    from boxlens.object_sensitivity import SensitivityResult
    from boxlens.report.charts.export import ChartFormat


def write_sensitivity(
    result: SensitivityResult,
    dataset: Dataset,
    detections: Detections,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    threads: int = 0,
    progress: Progress | None = None,
) -> str:
    """Writes everything about a sensitivity analysis; returns in a line what was written."""
    with output_folder(folder) as output, Drawing(formats) as drawing:
        plan = sensitivity_figures(result).of_detector(result.detector)
        drawn = draw_figures([plan], drawing, progress)
        document = sensitivity_document(result, dataset, detections)
        tables = sensitivity_tables(result)
        write_numbers(output, document, tables)
        run = Run(
            verb="sensitivity",
            title=f"{result.detector} on {result.dataset}",
            dataset=dataset,
            diagnoses=plain_diagnoses(dataset, [detections], result.choice.iou, threads=threads),
            verdict=RunVerdict(summary(result), (), (("mean AP_N", result.ap_n),)),
            provenance=Provenance(VERSION, dataset.source, (detections.source,)),
            notices=result.notices,
        )
        own = write_for_app(output, run, drawn)
        save_figures(output, drawing, progress)
        output.write_text("report.html", sensitivity_page(result, document, drawn[0]))
    return what_was_written(folder, len(tables) + len(own), drawn, formats)
