"""What `compare -o` leaves behind."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.report.described import describe
from boxlens.report.described.examples import (
    MEGABYTES,
    comparison_examples,
    fit_pictures,
    with_examples,
)
from boxlens.report.pdf.writing import write_pdf
from boxlens.report.writing.output_folder import check_output
from boxlens.report.writing.write import plain_diagnoses
from boxlens.report.writing.write_study import ForApp, write_study

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.studies.comparison import ComparisonResult

# The overlap of the app's tables; the comparison itself goes by its protocol.
IOU = 0.5


def write_comparison(
    result: ComparisonResult,
    folder: str | PathLike[str],
    *,
    formats: Sequence[ChartFormat] = ("svg",),
    images: str | PathLike[str] | None = None,
    images_mb: float = MEGABYTES,
    pdf: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> str:
    """Writes everything; returns in a line what was written."""
    check_output(Path(folder))
    gallery = None
    if images is not None:
        from boxlens.report.pictures.comparison_exhibits import comparison_walls
        from boxlens.report.pictures.gallery import hang

        walls = comparison_walls(result)
        gallery = hang(walls, result.dataset, Path(images), progress=progress)
    pictures = fit_pictures(gallery, images_mb)
    diagnoses = plain_diagnoses(result.dataset, result.detections, IOU, threads=threads)
    return write_study(
        result,
        folder,
        formats=formats,
        study=with_examples(describe(result), comparison_examples(result, pictures), pictures),
        gallery=gallery,
        for_app=ForApp("compare", result.dataset, diagnoses, result.provenance, result),
        pdf=partial(write_pdf, comparison=result, progress=progress) if pdf else None,
        progress=progress,
    )
