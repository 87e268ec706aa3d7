"""What any verb leaves behind with -o: report.html, results.json, tables and figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from boxlens.display import Displayed
from boxlens.errors import ParameterError
from boxlens.formats import write_dataset
from boxlens.metrics.json_form import to_json
from boxlens.progress import Progress
from boxlens.report.charts.drawing import Drawing
from boxlens.report.charts.export import figure_formats
from boxlens.report.described import describe, extras_of
from boxlens.report.described.examples import MEGABYTES, check_megabytes
from boxlens.report.described.extras import Extras, Images
from boxlens.report.pdf.writing import check_typst, study_content, typeset
from boxlens.report.pictures.gallery import Gallery, contact_sheet
from boxlens.report.readers.figures import drawn_plots, spec_of
from boxlens.report.readers.frames import study_frames
from boxlens.report.readers.page import study_page
from boxlens.report.study import Study
from boxlens.report.writing.output_folder import OutputFolder, check_output, output_folder
from boxlens.report.writing.run_record import write_run
from boxlens.wording import counted

if TYPE_CHECKING:
    import polars as pl


def write_study(
    result: Displayed,
    folder: str | PathLike[str],
    *,
    figures: str = "svg",
    images: Images = None,
    images_mb: float = MEGABYTES,
    pdf: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
    **more: Any,
) -> str:
    """Writes everything; returns in a line what was written.

    `images` are the pictures, which take `images_mb` megabytes of the page at most; `more` are
    settings of single verbs.
    """
    formats, place = figure_formats(figures), Path(folder)
    extras = extras_of(result, **more)
    check_output(place)
    check_megabytes(images_mb)
    if pdf:
        check_typst()
    if extras.pictures is None and images is not None:
        raise ParameterError(f"the report of a {type(result).__name__} shows no pictures (images)")
    pictures = extras.pictures and extras.pictures(images, images_mb, progress)
    study = describe(result) if pictures is None else describe(result, pictures=pictures)
    gallery = None if pictures is None else pictures.gallery
    with output_folder(place) as output, Drawing(formats) as drawing:
        specs = _draw(study, drawing, progress)
        document = result.to_json()
        output.write("results.json", _json_lines(document) + "\n")
        document["notices"] = to_json(result.all_notices)
        tables = study_frames(study)
        _write_tables(output, tables, "csv")
        if extras.run is not None:
            tables |= write_run(output, extras.run, study, document, specs, threads=threads)
        _write_tables(output, tables, "parquet")
        subsets = list(_write_datasets(output, extras))
        _write_figures(output, drawing, gallery, progress)
        output.write("report.html", study_page(study, document, specs, formats))
        if pdf:
            content = study_content(study, document, extras.typeset())
            output.write("report.pdf", typeset(content, progress))
    pages = ["report.html", *["report.pdf"] * pdf, "results.json"]
    told = _told(len(tables), len(specs), formats, gallery)
    return f"{place}/: {', '.join([*pages, *told, *subsets])}"


def _told(
    n_tables: int, n_figures: int, formats: Sequence[str], gallery: Gallery | None
) -> Iterator[str]:
    if n_tables:
        yield counted(n_tables, "table")
    if formats and n_figures:
        yield f"{counted(n_figures, 'figure')} ({', '.join(formats)})"
    if gallery is not None:
        yield counted(len(gallery.groups), "contact sheet")
        yield from (notice.message for notice in gallery.notices)


def _draw(study: Study, drawing: Drawing, progress: Progress | None) -> dict[str, dict[str, Any]]:
    """Every figure by name, for the page; its files are drawn meanwhile."""
    plots = drawn_plots(study)
    specs: dict[str, dict[str, Any]] = {}
    for at, plot in enumerate(plots):
        if progress:
            progress("drawing figures", drawing.n_done if drawing.formats else at, len(plots))
        specs[plot.name] = spec_of(plot)
        drawing.add(plot.name, specs[plot.name])
    return specs


def _json_lines(value: Any, depth: int = 0) -> str:
    """Entries on lines of their own down to the results': indenting all would take seconds."""
    if depth == 2 or not isinstance(value, dict) or not value:
        return json.dumps(value, allow_nan=False)
    pad = "  " * depth
    entries = ",\n".join(
        f"{pad}  {json.dumps(name)}: {_json_lines(one, depth + 1)}" for name, one in value.items()
    )
    return f"{{\n{entries}\n{pad}}}"


def _write_tables(
    output: OutputFolder, tables: Mapping[str, pl.DataFrame], kind: Literal["csv", "parquet"]
) -> None:
    for name, frame in tables.items():
        # Polars has errors of its own for a full disk; in memory there is none.
        table = BytesIO()
        (frame.write_csv if kind == "csv" else frame.write_parquet)(table)
        output.write(f"tables/{name}.{kind}", table.getvalue())


def _write_datasets(output: OutputFolder, extras: Extras) -> Iterator[str]:
    """Each as a COCO file; yields what was written."""
    for name, part in extras.datasets.items():
        if part is None:
            yield f"no {name}.json, since no subset matches"
            continue
        with output.file(f"{name}.json") as waiting:
            lost = write_dataset(part, waiting, format="coco", strict_coco=extras.strict_coco)
        told = counted(len(part.classes), "class", "classes"), counted(len(part.images), "image")
        notes = "".join(f"; {notice.message.removeprefix(f'{waiting}: ')}" for notice in lost)
        yield f"{name}.json ({', '.join(told)}{notes})"


def _write_figures(
    output: OutputFolder, drawing: Drawing, gallery: Gallery | None, progress: Progress | None
) -> None:
    """Their files, and one picture per kind of example, with all of them."""
    for cropped in () if gallery is None else gallery.groups:
        output.write(f"figures/gallery_{cropped.group.name}.jpg", contact_sheet(cropped))
    for path in drawing.files(progress):
        output.write(f"figures/{path.name}", path.read_bytes())
