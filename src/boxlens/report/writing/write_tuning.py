"""What `proposals tune -o` leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.drawing import Drawing
from boxlens.report.frames.tuning_tables import tuning_frames
from boxlens.report.pages.tuning_page import tuning_page
from boxlens.report.planning.tuning_figures import tuning_figures
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
    from boxlens.proposals.tuning.result import ProposalTuningResult
    from boxlens.report.charts.export import ChartFormat


def write_tuning(
    result: ProposalTuningResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    progress: Progress | None = None,
) -> str:
    """Writes everything about a search for settings; returns in a line what was written."""
    output = OutputFolder(folder)
    with Drawing(formats) as drawing:
        drawn = draw_figures([tuning_figures(result)], drawing, progress)
        document = result.to_json()
        tables = tuning_frames(result)
        write_numbers(output, document, tables)
        save_figures(output, drawing, progress)
        output.write_text("report.html", tuning_page(result, document, drawn[0]))
        output.close()
    return what_was_written(folder, len(tables), drawn, formats)
