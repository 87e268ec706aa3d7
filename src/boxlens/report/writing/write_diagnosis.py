"""What `diagnose -o` leaves behind: the general files, examples, a PDF, and all for the app."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.report.described import describe
from boxlens.report.described.examples import (
    MEGABYTES,
    diagnosis_examples,
    fit_pictures,
    with_examples,
)
from boxlens.report.pdf.writing import check_typst, write_pdf
from boxlens.report.writing.output_folder import check_output
from boxlens.report.writing.write_study import ForApp, write_study

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.studies.diagnosis import DiagnosisResult


def write_diagnosis(
    result: DiagnosisResult,
    folder: str | PathLike[str],
    *,
    formats: Sequence[ChartFormat] = ("svg",),
    images: str | PathLike[str] | None = None,
    images_mb: float = MEGABYTES,
    pdf: bool = False,
    progress: Progress | None = None,
) -> str:
    """Writes everything; returns in a line what was written."""
    check_output(Path(folder))
    if pdf:
        check_typst()
    gallery = None
    if images is not None:
        from boxlens.report.pictures.gallery import open_gallery

        gallery = open_gallery(result, Path(images), progress=progress)
    pictures = fit_pictures(gallery, images_mb)
    return write_study(
        result,
        folder,
        formats=formats,
        progress=progress,
        study=with_examples(describe(result), diagnosis_examples(result, pictures), pictures),
        gallery=gallery,
        for_app=ForApp("diagnose", result.dataset, (result,), result.provenance),
        pdf=partial(write_pdf, diagnoses=(result,), progress=progress) if pdf else None,
    )
