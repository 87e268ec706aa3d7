"""What `compare -o` leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.comparison.verdict import comparison_sentences
from boxlens.report.charts.drawing import Drawing
from boxlens.report.frames.comparison_tables import comparison_tables
from boxlens.report.pages.comparison_page import comparison_page
from boxlens.report.pages.examples import (
    MEGABYTES,
    comparison_examples,
    examples_section,
    fit_pictures,
)
from boxlens.report.pages.page import names_of
from boxlens.report.pdf.writing import write_pdf
from boxlens.report.planning.comparison_figures import comparison_figures
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
    write_sheets,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boxlens.comparison import ComparisonResult
    from boxlens.diagnosis import DiagnosisResult
    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.pictures.gallery import Gallery

# The overlap of the app's tables; the comparison itself goes by its protocol.
IOU = 0.5


def write_comparison(
    result: ComparisonResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    images: str | Path | None = None,
    images_mb: float = MEGABYTES,
    pdf: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> str:
    """Writes everything about a comparison; returns in a line what was written."""
    with output_folder(folder) as output, Drawing(formats) as drawing:
        gallery: Gallery | None = None
        if images is not None:
            from boxlens.report.pictures.comparison_exhibits import comparison_walls
            from boxlens.report.pictures.gallery import hang

            gallery = hang(comparison_walls(result), result.dataset, images, progress=progress)
        drawn = draw_figures([comparison_figures(result)], drawing, progress)
        document = result.to_json()
        tables = comparison_tables(result)
        write_numbers(output, document, tables)
        diagnoses = plain_diagnoses(result.dataset, result.tables, IOU, threads=threads)
        own = write_for_app(output, _run(result, diagnoses), drawn)
        write_sheets(gallery, output)
        save_figures(output, drawing, progress)
        pictures = fit_pictures(gallery, images_mb)
        examples = examples_section(comparison_examples(result, pictures), pictures)
        output.write_text("report.html", comparison_page(result, document, drawn[0], examples))
        if pdf:
            write_pdf(output, document, comparison=result, progress=progress)
    return what_was_written(folder, len(tables) + len(own), drawn, formats, gallery, pdf=pdf)


def comparison_verdict(result: ComparisonResult) -> RunVerdict:
    lead, *sentences = comparison_sentences(result)
    league = result.league
    numbers = tuple((f"{league.metric} of {row.name}", row.score.value) for row in league.rows)
    return RunVerdict(lead, sentences, numbers)


def _run(result: ComparisonResult, diagnoses: Sequence[DiagnosisResult]) -> Run:
    return Run(
        verb="compare",
        title=f"{names_of(result.tables)} on {result.dataset.name}",
        dataset=result.dataset,
        diagnoses=diagnoses,
        verdict=comparison_verdict(result),
        provenance=result.provenance,
        notices=result.notices,
        comparison=result,
    )
