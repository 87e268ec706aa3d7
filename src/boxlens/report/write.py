"""What a run leaves behind: report.html, results.json, tables/*.parquet and figures/*."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, get_args

from boxlens.errors import ParameterError
from boxlens.report.documents import sensitivity_document
from boxlens.report.output_folder import OutputFolder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from boxlens.data import Dataset, Detections
    from boxlens.diagnosis import DiagnosisResult
    from boxlens.formats.files import Progress
    from boxlens.object_sensitivity import SensitivityResult
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.figure_plan import Figure
    from boxlens.report.gallery import Gallery
    from boxlens.report.page import DrawnFigure


def figure_formats(text: str) -> tuple[ChartFormat, ...]:
    """ "svg,png" as formats; "none" writes no figures."""
    from boxlens.report.charts.export import ChartFormat

    known: tuple[ChartFormat, ...] = get_args(ChartFormat)
    names = [name.strip().lower() for name in text.split(",")]
    if names == ["none"]:
        return ()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ParameterError(
            f"figures are written as {', '.join(known)} or none, got {unknown[0]!r}"
        )
    return tuple(name for name in known if name in names)


def write_diagnosis(
    result: DiagnosisResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    images: str | Path | None = None,
    progress: Progress | None = None,
) -> str:
    """Writes everything about a diagnosis; returns in a line what was written."""
    from boxlens.report.diagnosis_page import diagnosis_page
    from boxlens.report.figures import diagnosis_figures
    from boxlens.report.tables import diagnosis_tables

    output = OutputFolder(folder)
    gallery: Gallery | None = None
    if images is not None:
        from boxlens.report.gallery import open_gallery

        gallery = open_gallery(result, images, progress=progress)
    document = result.to_json()
    tables = diagnosis_tables(result)
    write_numbers(output, document, tables)
    plan = diagnosis_figures(result)
    drawn = draw_figures(plan.figures, output, formats, progress)
    if gallery is not None:
        write_sheets(gallery, output)
    page = diagnosis_page(result, document, drawn, plan.left_out, gallery)
    output.write_text("report.html", page)
    output.close()
    return what_was_written(folder, tables, drawn, formats, gallery)


def write_sensitivity(
    result: SensitivityResult,
    dataset: Dataset,
    detections: Detections,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    progress: Progress | None = None,
) -> str:
    """The same of a sensitivity analysis."""
    from boxlens.report.figures import sensitivity_figures
    from boxlens.report.sensitivity_page import sensitivity_page
    from boxlens.report.tables import sensitivity_tables

    output = OutputFolder(folder)
    document = sensitivity_document(result, dataset, detections)
    tables = sensitivity_tables(result, dataset)
    write_numbers(output, document, tables)
    plan = sensitivity_figures(result)
    drawn = draw_figures(plan.figures, output, formats, progress)
    output.write_text("report.html", sensitivity_page(result, document, drawn, plan.left_out))
    output.close()
    return what_was_written(folder, tables, drawn, formats)


def write_numbers(
    output: OutputFolder, document: dict[str, Any], tables: Mapping[str, pl.DataFrame]
) -> None:
    output.write_text("results.json", json.dumps(document, indent=2, allow_nan=False) + "\n")
    for name, frame in tables.items():
        with output.file(f"tables/{name}.parquet") as temporary:
            frame.write_parquet(temporary)


def draw_figures(
    figures: Sequence[Figure],
    output: OutputFolder,
    formats: Sequence[ChartFormat],
    progress: Progress | None,
) -> list[DrawnFigure]:
    """Draws every figure once, for its files and for the page."""
    from boxlens.report.charts.export import chart_json, save_chart
    from boxlens.report.page import DrawnFigure

    drawn: list[DrawnFigure] = []
    with TemporaryDirectory(prefix="boxlens") as scratch:
        for figure in figures:
            if progress:
                progress("drawing figures", len(drawn), len(figures))
            chart = figure.draw()
            stem = Path(scratch) / figure.name
            for path in save_chart(chart, stem, formats) if formats else ():
                with output.file(f"figures/{path.name}") as temporary:
                    temporary.write_bytes(path.read_bytes())
            drawn.append(DrawnFigure(figure, chart_json(chart), tuple(formats)))
    return drawn


def write_sheets(gallery: Gallery, output: OutputFolder) -> None:
    from boxlens.report.gallery import contact_sheet

    for hung in gallery.walls:
        with output.file(f"figures/gallery_{hung.wall.name}.jpg") as temporary:
            temporary.write_bytes(contact_sheet(hung))


def what_was_written(
    folder: Path,
    tables: Mapping[str, pl.DataFrame],
    drawn: Sequence[DrawnFigure],
    formats: Sequence[ChartFormat],
    gallery: Gallery | None = None,
) -> str:
    parts = ["report.html", "results.json", f"{len(tables)} tables"]
    if formats:
        noun = "figure" if len(drawn) == 1 else "figures"
        parts.append(f"{len(drawn)} {noun} ({', '.join(formats)})")
    if gallery is not None:
        parts.append(f"{len(gallery.walls)} contact sheets")
        parts += [notice.message for notice in gallery.notices]
    return f"{folder}/: {', '.join(parts)}"
