"""What a run leaves behind: report.html, results.json, tables, figures, and all for the app."""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, get_args

from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from boxlens.data import Dataset, Detections, Notice
    from boxlens.formats.files import Progress
    from boxlens.metrics.results import Provenance
    from boxlens.report.charts.drawing import Drawing
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.pages.page import DrawnPlan
    from boxlens.report.pictures.gallery import Gallery
    from boxlens.report.readers.figures import FigurePlan
    from boxlens.report.writing.output_folder import OutputFolder
    from boxlens.report.writing.run_record import RunVerdict
    from boxlens.studies.comparison import ComparisonResult
    from boxlens.studies.diagnosis import DiagnosisResult

# Levels of results.json that are indented.
INDENTED = 2


@dataclass(frozen=True, slots=True)
class Run:
    """What the app is told of a run."""

    verb: str
    title: str
    dataset: Dataset
    # One a detector.
    diagnoses: Sequence[DiagnosisResult]
    verdict: RunVerdict
    provenance: Provenance
    notices: Sequence[Notice]
    comparison: ComparisonResult | None = None


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


def write_numbers(
    output: OutputFolder, document: dict[str, Any], tables: Mapping[str, pl.DataFrame]
) -> None:
    output.write_text("results.json", _json_lines(document) + "\n")
    for name, frame in tables.items():
        _write_table(output, name, frame)


def _write_table(output: OutputFolder, name: str, frame: pl.DataFrame) -> None:
    # Polars has errors of its own for a full disk; in memory there is none.
    table = BytesIO()
    frame.write_parquet(table)
    with output.file(f"tables/{name}.parquet") as waiting:
        waiting.write_bytes(table.getbuffer())


def _json_lines(value: Any, depth: int = 0) -> str:
    """Entries on lines of their own down to the results': indenting all would take seconds."""
    if depth == INDENTED or not isinstance(value, dict) or not value:
        return json.dumps(value, allow_nan=False)
    pad = "  " * depth
    entries = ",\n".join(
        f"{pad}  {json.dumps(name)}: {_json_lines(one, depth + 1)}" for name, one in value.items()
    )
    return f"{{\n{entries}\n{pad}}}"


def draw_figures(
    plans: Sequence[FigurePlan], drawing: Drawing, progress: Progress | None
) -> list[DrawnPlan]:
    """Every figure of every plan, for the page; its files are drawn meanwhile."""
    from altair.utils.schemapi import debug_mode

    from boxlens.report.charts.export import chart_json
    from boxlens.report.pages.page import DrawnFigure, DrawnPlan

    total = sum(len(plan.figures) for plan in plans)
    drawn: list[DrawnPlan] = []
    n_made = 0
    # The tests check every part of a figure; here it would take as long as the rest.
    with debug_mode(False):
        for plan in plans:
            figures = []
            for figure in plan.figures:
                if progress:
                    progress(
                        "drawing figures", drawing.n_done if drawing.formats else n_made, total
                    )
                spec = chart_json(figure.draw())
                drawing.add(figure.name, spec)
                figures.append(DrawnFigure(figure, spec, drawing.formats))
                n_made += 1
            drawn.append(DrawnPlan(tuple(figures), plan.left_out))
    return drawn


def save_figures(output: OutputFolder, drawing: Drawing, progress: Progress | None) -> None:
    """Waits for their files."""
    for path in drawing.files(progress):
        with output.file(f"figures/{path.name}") as temporary:
            temporary.write_bytes(path.read_bytes())


def write_sheets(gallery: Gallery | None, output: OutputFolder) -> None:
    """One picture a kind of example, with all of them."""
    if gallery is None:
        return
    from boxlens.report.pictures.gallery import contact_sheet

    for hung in gallery.walls:
        with output.file(f"figures/gallery_{hung.wall.name}.jpg") as temporary:
            temporary.write_bytes(contact_sheet(hung))


def write_for_app(
    output: OutputFolder, run: Run, drawn: Sequence[DrawnPlan]
) -> dict[str, pl.DataFrame]:
    """run.json, figures/figures.json, and every image, detection and object: these tables."""
    from boxlens.report.frames.run_tables import run_tables
    from boxlens.report.writing.run_record import figure_records, run_record

    record = run_record(
        verb=run.verb,
        title=run.title,
        dataset=run.dataset,
        diagnoses=run.diagnoses,
        verdict=run.verdict,
        provenance=run.provenance,
        notices=run.notices,
    )
    figures = figure_records([one for plan in drawn for one in plan.figures])
    for name, value in (("run.json", record), ("figures/figures.json", figures)):
        output.write_text(name, json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")
    tables = run_tables(run.dataset, run.diagnoses, run.comparison)
    for name, frame in tables.items():
        _write_table(output, name, frame)
    return tables


def plain_diagnoses(
    dataset: Dataset,
    tables: Sequence[Detections],
    iou: float,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> tuple[DiagnosisResult, ...]:
    """What every detection and object is, where nobody asked for more."""
    from boxlens.studies.diagnosis import DiagnosisChoice, diagnose_tables

    choice = DiagnosisChoice(iou=iou, n_gallery=0)
    return tuple(
        diagnose_tables(dataset, table, choice, threads=threads, progress=progress)
        for table in tables
    )


def what_was_written(
    folder: Path,
    n_tables: int,
    drawn: Sequence[DrawnPlan],
    formats: Sequence[ChartFormat],
    gallery: Gallery | None = None,
    *,
    pdf: bool = False,
) -> str:
    tables = "1 table" if n_tables == 1 else f"{n_tables} tables"
    parts = ["report.html", *["report.pdf"] * pdf, "results.json", *[tables] * (n_tables > 0)]
    n_figures = sum(len(plan.figures) for plan in drawn)
    if formats and n_figures:
        noun = "figure" if n_figures == 1 else "figures"
        parts.append(f"{n_figures} {noun} ({', '.join(formats)})")
    if gallery is not None:
        sheets = "contact sheet" if len(gallery.walls) == 1 else "contact sheets"
        parts.append(f"{len(gallery.walls)} {sheets}")
        parts += [notice.message for notice in gallery.notices]
    return f"{folder}/: {', '.join(parts)}"
