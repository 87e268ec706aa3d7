"""What `proposals recall -o` leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.drawing import Drawing
from boxlens.report.frames.recall_tables import recall_frames
from boxlens.report.pages.recall_page import recall_page
from boxlens.report.planning.recall_figures import recall_figures
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
    from boxlens.proposals.recall.result import ProposalRecallResult
    from boxlens.report.charts.export import ChartFormat


def write_recall(
    result: ProposalRecallResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    progress: Progress | None = None,
) -> str:
    """Writes everything about a study of recall; returns in a line what was written."""
    output = OutputFolder(folder)
    with Drawing(formats) as drawing:
        drawn = draw_figures([recall_figures(result)], drawing, progress)
        document = result.to_json()
        tables = recall_frames(result)
        write_numbers(output, document, tables)
        save_figures(output, drawing, progress)
        output.write_text("report.html", recall_page(result, document, drawn[0]))
        output.close()
    return what_was_written(folder, len(tables), drawn, formats)
