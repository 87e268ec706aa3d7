"""What `proposals oracle -o` leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.charts.drawing import Drawing
from boxlens.report.frames.oracle_tables import oracle_frames
from boxlens.report.pages.oracle_page import oracle_page
from boxlens.report.planning.oracle_figures import oracle_figures
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
    from boxlens.proposals.detection_use.oracle_result import ProposalOracleResult
    from boxlens.report.charts.export import ChartFormat


def write_oracles(
    result: ProposalOracleResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    progress: Progress | None = None,
) -> str:
    """Writes everything about a study of oracles and scores; returns in a line what was written."""
    output = OutputFolder(folder)
    with Drawing(formats) as drawing:
        drawn = draw_figures([oracle_figures(result)], drawing, progress)
        document = result.to_json()
        tables = oracle_frames(result)
        write_numbers(output, document, tables)
        save_figures(output, drawing, progress)
        output.write_text("report.html", oracle_page(result, document, drawn[0]))
        output.close()
    return what_was_written(folder, len(tables), drawn, formats)
