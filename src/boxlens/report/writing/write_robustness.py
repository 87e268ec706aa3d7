"""What `boxlens robustness -o` leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.drawing import Drawing
from boxlens.report.frames.robustness_tables import robustness_frames
from boxlens.report.pages.examples import MEGABYTES
from boxlens.report.pages.robustness_examples import robustness_examples
from boxlens.report.pages.robustness_page import robustness_page
from boxlens.report.planning.robustness_figures import robustness_figures
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.write import (
    draw_figures,
    save_figures,
    what_was_written,
    write_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boxlens.detector_robustness.result import RobustnessResult
    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.pictures.gallery import Gallery
    from boxlens.report.pictures.robustness_exhibits import StepPictures


def write_robustness(
    result: RobustnessResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    pictures: StepPictures | None = None,
    images_mb: float = MEGABYTES,
    progress: Progress | None = None,
) -> str:
    """Returns in a line what was written; without pictures, examples are told in a table."""
    with output_folder(folder) as output, Drawing(formats) as drawing:
        galleries: tuple[Gallery, ...] = ()
        if pictures is not None:
            from boxlens.report.pictures.robustness_exhibits import hang_robustness

            galleries = hang_robustness(result, pictures, progress=progress)
        drawn = draw_figures([robustness_figures(result)], drawing, progress)
        document = result.to_json()
        tables = robustness_frames(result)
        write_numbers(output, document, tables)
        save_figures(output, drawing, progress)
        examples = robustness_examples(result, galleries, images_mb)
        page = robustness_page(result, document, drawn[0], examples)
        output.write_text("report.html", page)
    return what_was_written(folder, len(tables), drawn, formats)
