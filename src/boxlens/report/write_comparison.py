"""What `compare -o` leaves behind: report.html, results.json, tables/*.parquet and figures/*."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.output_folder import OutputFolder
from boxlens.report.write import draw_figures, what_was_written, write_numbers, write_sheets

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boxlens.comparison import ComparisonResult
    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.gallery import Gallery


def write_comparison(
    result: ComparisonResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    images: str | Path | None = None,
    progress: Progress | None = None,
) -> str:
    """Writes everything about a comparison; returns in a line what was written."""
    from boxlens.report.comparison_figures import comparison_figures
    from boxlens.report.comparison_page import comparison_page
    from boxlens.report.comparison_tables import comparison_tables

    output = OutputFolder(folder)
    gallery: Gallery | None = None
    if images is not None:
        from boxlens.report.comparison_exhibits import comparison_walls
        from boxlens.report.gallery import hang

        gallery = hang(comparison_walls(result), result.dataset, images, progress=progress)
    document = result.to_json()
    tables = comparison_tables(result)
    write_numbers(output, document, tables)
    plan = comparison_figures(result)
    drawn = draw_figures(plan.figures, output, formats, progress)
    if gallery is not None:
        write_sheets(gallery, output)
    page = comparison_page(result, document, drawn, plan.left_out, gallery)
    output.write_text("report.html", page)
    output.close()
    return what_was_written(folder, tables, drawn, formats, gallery)
