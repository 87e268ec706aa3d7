"""What `upper-bound -o` leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.drawing import Drawing
from boxlens.report.frames.bound_tables import bound_frames
from boxlens.report.pages.bound_page import bound_page
from boxlens.report.pages.examples import MEGABYTES, fit_pictures
from boxlens.report.planning.bound_figures import bound_figures
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.write import (
    draw_figures,
    save_figures,
    what_was_written,
    write_numbers,
    write_sheets,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boxlens.formats.files import Progress
    from boxlens.images import ImageFiles
    from boxlens.recognition_bound.result import UpperBoundResult
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.pictures.gallery import Gallery


def write_bound(
    result: UpperBoundResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    files: ImageFiles | None = None,
    images_mb: float = MEGABYTES,
    progress: Progress | None = None,
) -> str:
    """Writes everything; returns in a line what was written.

    `files` are the pictures, to show mistakes.
    """
    with output_folder(folder) as output, Drawing(formats) as drawing:
        gallery = _gallery(result, files, progress)
        drawn = draw_figures([bound_figures(result)], drawing, progress)
        document = result.to_json()
        tables = bound_frames(result)
        write_numbers(output, document, tables)
        write_sheets(gallery, output)
        save_figures(output, drawing, progress)
        page = bound_page(result, document, drawn[0], fit_pictures(gallery, images_mb))
        output.write_text("report.html", page)
    return what_was_written(folder, len(tables), drawn, formats, gallery)


def _gallery(
    result: UpperBoundResult, files: ImageFiles | None, progress: Progress | None
) -> Gallery | None:
    if files is None or not result.mistakes:
        return None
    from boxlens.report.pictures.bound_gallery import bound_gallery

    return bound_gallery(result, files, progress=progress)
