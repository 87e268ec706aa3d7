"""What `proposals repeatability -o` leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.drawing import Drawing
from boxlens.report.frames.repeatability_tables import repeatability_frames
from boxlens.report.pages.repeatability_page import repeatability_page
from boxlens.report.planning.repeatability_figures import repeatability_figures
from boxlens.report.writing.output_folder import OutputFolder
from boxlens.report.writing.write import (
    draw_figures,
    save_figures,
    what_was_written,
    write_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boxlens.formats.files import Progress
    from boxlens.proposals.repeatability.result import RepeatabilityResult
    from boxlens.report.charts.export import ChartFormat


def write_repeatability(
    result: RepeatabilityResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    progress: Progress | None = None,
) -> str:
    """Writes everything about a study of repeatability; returns in a line what was written."""
    output = OutputFolder(folder)
    with Drawing(formats) as drawing:
        drawn = draw_figures([repeatability_figures(result)], drawing, progress)
        document = result.to_json()
        tables = repeatability_frames(result)
        write_numbers(output, document, tables)
        save_figures(output, drawing, progress)
        output.write_text("report.html", repeatability_page(result, document, drawn[0]))
        output.close()
    return what_was_written(folder, len(tables), drawn, formats)
