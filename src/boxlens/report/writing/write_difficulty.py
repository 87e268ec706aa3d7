"""What `difficulty -o` leaves behind."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.dataset_difficulty.matched_subset import subset_dataset
from boxlens.dataset_difficulty.verdict import difficulty_sentences, main_score
from boxlens.formats import write_dataset
from boxlens.report.charts.drawing import Drawing
from boxlens.report.charts.system_lines import (
    MEASURE_WORDS,
    measure_text,
    score_words,
)
from boxlens.report.frames.difficulty_tables import difficulty_frames
from boxlens.report.pages.difficulty_page import difficulty_page, page_title
from boxlens.report.pages.markup import counted
from boxlens.report.planning.difficulty_figures import difficulty_figures
from boxlens.report.planning.figure_plan import file_name
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.run_record import RunVerdict
from boxlens.report.writing.write import (
    Run,
    draw_figures,
    plain_diagnoses,
    save_figures,
    what_was_written,
    write_for_app,
    write_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from boxlens.data import Dataset, Detections
    from boxlens.dataset_difficulty.result import DifficultyResult
    from boxlens.diagnosis import DiagnosisResult
    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.writing.output_folder import OutputFolder


def write_difficulty(
    result: DifficultyResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    datasets: Sequence[Dataset] = (),
    detections: Sequence[Detections] = (),
    strict_coco: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> str:
    """Writes everything about an analysis of difficulty; returns in a line what was written.

    Of the data sets matched subsets are written. `detections` are those of systems that are
    detectors: what the app walks through. Without them there is no run.json. `strict_coco` writes
    subsets with COCO's own fields alone.
    """
    with output_folder(folder) as output, Drawing(formats) as drawing:
        plan = difficulty_figures(result)
        if len(result.systems) == 1:
            plan = plan.of_detector(result.systems[0].name)
        drawn = draw_figures([plan], drawing, progress)
        document = result.to_json()
        tables = difficulty_frames(result)
        write_numbers(output, document, tables)
        n_tables = len(tables)
        subsets = list(_write_subsets(output, result, datasets, strict_coco))
        if datasets and detections:
            first = datasets[0]
            diagnoses = plain_diagnoses(first, detections, result.choice.iou, threads=threads)
            run = _run(result, first, diagnoses)
            n_tables += len(write_for_app(output, run, drawn))
        save_figures(output, drawing, progress)
        output.write_text("report.html", difficulty_page(result, document, drawn[0]))
    return ", ".join([what_was_written(folder, n_tables, drawn, formats), *subsets])


def _write_subsets(
    output: OutputFolder, result: DifficultyResult, datasets: Sequence[Dataset], strict_coco: bool
) -> Iterator[str]:
    """Those that were asked for, each as a COCO file."""
    by_name = {
        shown.name: dataset for shown, dataset in zip(result.datasets, datasets, strict=False)
    }
    used: set[str] = set()
    for one in result.subsets:
        if not result.choice.match or one.dataset not in by_name or not one.means.size:
            continue
        name = f"subset_{one.measure}"
        if name in used:
            name = f"{name}_{file_name(one.target_of or measure_text(one.target))}"
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


def difficulty_verdict(result: DifficultyResult) -> RunVerdict:
    """The sentences, the means of the first data set, and the main score of each system."""
    lead, *sentences = difficulty_sentences(result)
    means = result.datasets[0].means
    numbers = [
        (f"mean {words}", means[name])
        for name, words in MEASURE_WORDS.items()
        if not math.isnan(means[name])
    ]
    for one in result.systems:
        score = main_score(one)
        if score is not None:
            numbers.append((f"{score_words(result, score)}, {one.name}", one.scores[score]))
    return RunVerdict(lead, sentences, numbers)


def _run(result: DifficultyResult, dataset: Dataset, diagnoses: Sequence[DiagnosisResult]) -> Run:
    return Run(
        verb="difficulty",
        title=" on ".join(page_title(result)),
        dataset=dataset,
        diagnoses=diagnoses,
        verdict=difficulty_verdict(result),
        provenance=result.provenance,
        notices=result.notices,
    )
