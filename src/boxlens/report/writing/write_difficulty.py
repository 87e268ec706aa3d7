"""What `difficulty -o` leaves behind: a report, subsets as data sets, and a run for the app."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.formats import write_dataset
from boxlens.report.charts.drawing import Drawing
from boxlens.report.described import describe
from boxlens.report.readers.figures import study_figures
from boxlens.report.readers.frames import study_frames
from boxlens.report.readers.page import study_page
from boxlens.report.study import file_name
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.run_record import study_verdict
from boxlens.report.writing.write import (
    Run,
    draw_figures,
    plain_diagnoses,
    save_figures,
    what_was_written,
    write_for_app,
    write_numbers,
)
from boxlens.studies.difficulty.matched_subset import subset_dataset
from boxlens.wording import counted, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.study import Study
    from boxlens.report.writing.output_folder import OutputFolder
    from boxlens.studies.difficulty.result import DifficultyResult


def write_difficulty(
    result: DifficultyResult,
    folder: str | PathLike[str],
    *,
    formats: Sequence[ChartFormat] = ("svg",),
    strict_coco: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> str:
    """Writes everything; returns in a line what was written.

    Without detections there is nothing for the app to show, and no run.json. `strict_coco` writes
    subsets with COCO's own fields alone.
    """
    study = describe(result)
    with output_folder(Path(folder)) as output, Drawing(formats) as drawing:
        drawn = draw_figures([study_figures(study)], drawing, progress)
        document = result.to_json()
        tables = study_frames(study)
        write_numbers(output, document, tables)
        n_tables = len(tables)
        subsets = list(_write_subsets(output, result, strict_coco))
        if result.detections:
            run = _run(result, study, threads)
            n_tables += len(write_for_app(output, run, drawn))
        save_figures(output, drawing, progress)
        output.write_text("report.html", study_page(study, document, drawn[0]))
    return ", ".join([what_was_written(Path(folder), n_tables, drawn, formats), *subsets])


def _write_subsets(
    output: OutputFolder, result: DifficultyResult, strict_coco: bool
) -> Iterator[str]:
    """Those that were asked for, each as a COCO file."""
    by_name = {one.name: one for one in result.inputs}
    used: set[str] = set()
    for one in result.subsets:
        if not result.choice.match or one.dataset not in by_name or not one.means.size:
            continue
        name = f"subset_{one.measure}"
        if name in used:
            name = f"{name}_{file_name(one.target_of or number(one.target))}"
        used.add(name)
        if not one.reached:
            yield f"no {name}.json, since no subset matches"
            continue
        part = subset_dataset(by_name[one.dataset], one)
        with output.file(f"{name}.json") as waiting:
            lost = write_dataset(part, waiting, format="coco", strict_coco=strict_coco)
        told = counted(len(part.classes), "class", "classes"), counted(len(part.images), "image")
        notes = "".join(f"; {notice.message.removeprefix(f'{waiting}: ')}" for notice in lost)
        yield f"{name}.json ({', '.join(told)}{notes})"


def _run(result: DifficultyResult, study: Study, threads: int) -> Run:
    first = result.inputs[0]
    return Run(
        verb="difficulty",
        title=f"{study.title} on {study.data}",
        dataset=first,
        diagnoses=plain_diagnoses(first, result.detections, result.choice.iou, threads=threads),
        verdict=study_verdict(study),
        provenance=result.provenance,
        notices=result.notices,
    )
