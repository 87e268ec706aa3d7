"""What any verb leaves behind with -o: report.html, results.json, tables and figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxlens.report.charts.drawing import Drawing
from boxlens.report.described import describe
from boxlens.report.readers.figures import study_figures
from boxlens.report.readers.frames import study_frames
from boxlens.report.readers.page import study_page
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.run_record import study_verdict
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
    from collections.abc import Callable, Sequence
    from os import PathLike

    from boxlens.data import Dataset
    from boxlens.display import Displayed
    from boxlens.formats.files import Progress
    from boxlens.metrics.results import Provenance
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.pictures.gallery import Gallery
    from boxlens.report.study import Study
    from boxlens.report.writing.output_folder import OutputFolder
    from boxlens.studies.comparison import ComparisonResult
    from boxlens.studies.diagnosis import DiagnosisResult


@dataclass(frozen=True, slots=True)
class ForApp:
    """What the app shows image by image."""

    verb: str
    dataset: Dataset
    # One per detector.
    diagnoses: Sequence[DiagnosisResult]
    provenance: Provenance
    comparison: ComparisonResult | None = None


def write_study(
    result: Displayed,
    folder: str | PathLike[str],
    *,
    formats: Sequence[ChartFormat] = ("svg",),
    study: Study | None = None,
    gallery: Gallery | None = None,
    for_app: ForApp | None = None,
    pdf: Callable[[OutputFolder, dict[str, Any]], None] | None = None,
    progress: Progress | None = None,
) -> str:
    """Writes everything; returns in a line what was written.

    `study` describes the result with pictures, `gallery` holds those of the contact sheets, `pdf`
    writes a typeset report.
    """
    study = study or describe(result)
    with output_folder(Path(folder)) as output, Drawing(formats) as drawing:
        drawn = draw_figures([study_figures(study)], drawing, progress)
        document = result.to_json()
        tables = study_frames(study)
        write_numbers(output, document, tables)
        if for_app is not None:
            tables |= write_for_app(output, _run(study, result, for_app), drawn)
        write_sheets(gallery, output)
        save_figures(output, drawing, progress)
        output.write_text("report.html", study_page(study, document, drawn[0], result.all_notices))
        if pdf is not None:
            pdf(output, document)
    return what_was_written(Path(folder), len(tables), drawn, formats, gallery, pdf=pdf is not None)


def _run(study: Study, result: Displayed, given: ForApp) -> Run:
    return Run(
        verb=given.verb,
        title=f"{study.title} on {study.data}",
        dataset=given.dataset,
        diagnoses=given.diagnoses,
        verdict=study_verdict(study),
        provenance=given.provenance,
        notices=result.all_notices,
        comparison=given.comparison,
    )
