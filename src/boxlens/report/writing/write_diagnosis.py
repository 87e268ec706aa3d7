"""What `diagnose -o` leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.drawing import Drawing
from boxlens.report.frames.tables import diagnosis_tables
from boxlens.report.pages.diagnosis_page import diagnosis_page
from boxlens.report.pages.examples import (
    MEGABYTES,
    diagnosis_examples,
    examples_section,
    fit_pictures,
)
from boxlens.report.pdf.writing import write_pdf
from boxlens.report.planning.figures import diagnosis_figures
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.run_record import RunVerdict
from boxlens.report.writing.write import (
    Run,
    draw_figures,
    save_figures,
    what_was_written,
    write_for_app,
    write_numbers,
    write_sheets,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boxlens.diagnosis import DiagnosisResult
    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.pictures.gallery import Gallery


def write_diagnosis(
    result: DiagnosisResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    images: str | Path | None = None,
    images_mb: float = MEGABYTES,
    pdf: bool = False,
    progress: Progress | None = None,
) -> str:
    """Writes everything about a diagnosis; returns in a line what was written."""
    with output_folder(folder) as output, Drawing(formats) as drawing:
        gallery: Gallery | None = None
        if images is not None:
            from boxlens.report.pictures.gallery import open_gallery

            gallery = open_gallery(result, images, progress=progress)
        plan = diagnosis_figures(result).of_detector(result.detections.name)
        drawn = draw_figures([plan], drawing, progress)
        document = result.to_json()
        tables = diagnosis_tables(result)
        write_numbers(output, document, tables)
        own = write_for_app(output, _run(result), drawn)
        write_sheets(gallery, output)
        save_figures(output, drawing, progress)
        pictures = fit_pictures(gallery, images_mb)
        examples = examples_section(diagnosis_examples(result, pictures), pictures)
        output.write_text("report.html", diagnosis_page(result, document, drawn[0], examples))
        if pdf:
            write_pdf(output, document, diagnoses=(result,), progress=progress)
    return what_was_written(folder, len(tables) + len(own), drawn, formats, gallery, pdf=pdf)


def diagnosis_verdict(result: DiagnosisResult) -> RunVerdict:
    lead, *sentences = result.verdict.sentences()
    return RunVerdict(lead, sentences, tuple(result.metrics.items()))


def _run(result: DiagnosisResult) -> Run:
    return Run(
        verb="diagnose",
        title=f"{result.detections.name} on {result.dataset.name}",
        dataset=result.dataset,
        diagnoses=(result,),
        verdict=diagnosis_verdict(result),
        provenance=result.provenance,
        notices=result.notices,
    )
