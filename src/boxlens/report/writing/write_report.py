"""A whole report in one folder: every question about one detector or several, on one page."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.data import Dataset, Detections
from boxlens.data.selection import shared_classes
from boxlens.diagnosis import DiagnosisChoice
from boxlens.formats import read_dataset, read_detections
from boxlens.formats.class_groups import read_similarity
from boxlens.metrics import choose
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.report.charts.drawing import Drawing
from boxlens.report.frames.comparison_tables import comparison_tables
from boxlens.report.frames.difficulty_tables import difficulty_frames
from boxlens.report.frames.tables import diagnosis_tables
from boxlens.report.pages.evaluation_page import evaluation_verdict
from boxlens.report.pages.examples import MEGABYTES, check_megabytes, fit_pictures
from boxlens.report.pages.page import names_of
from boxlens.report.pages.report_page import ReportFigures, report_page
from boxlens.report.pages.sensitivity_page import summary
from boxlens.report.pdf.writing import check_typst, write_pdf
from boxlens.report.planning.comparison_figures import comparison_figures
from boxlens.report.planning.difficulty_figures import report_difficulty_figures
from boxlens.report.planning.evaluation_figures import evaluation_figures
from boxlens.report.planning.figure_plan import OBJECTS, FigurePlan, file_name
from boxlens.report.planning.figures import diagnosis_figures, sensitivity_figures
from boxlens.report.planning.questions import (
    ReportChoice,
    ReportResult,
    answer_tables,
    check_questions,
)
from boxlens.report.writing.output_folder import check_output, output_folder
from boxlens.report.writing.run_record import RunVerdict
from boxlens.report.writing.write import (
    Run,
    draw_figures,
    figure_formats,
    save_figures,
    what_was_written,
    write_for_app,
    write_numbers,
    write_sheets,
)
from boxlens.report.writing.write_comparison import comparison_verdict
from boxlens.report.writing.write_diagnosis import diagnosis_verdict
from boxlens.report.writing.write_difficulty import difficulty_verdict
from boxlens.report.writing.write_evaluation import scores_table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import polars as pl

    from boxlens.data.known_classes import ClassesChoice
    from boxlens.data.similarity import Similarity
    from boxlens.diagnosis import DiagnosisResult
    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.pictures.gallery import Gallery


def write_report(
    gt: Dataset | str | PathLike[str],
    dt: Detections | str | PathLike[str] | Sequence[Detections | str | PathLike[str]],
    folder: str | PathLike[str],
    *,
    ask: Sequence[str] = (),
    protocol: str = "coco",
    split: str | None = None,
    iou: float = 0.5,
    similar: Similarity | Mapping[str, Collection[str]] | str | PathLike[str] = None,
    images: str | PathLike[str] | None = None,
    images_mb: float = MEGABYTES,
    figures: str = "svg",
    pdf: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    classes_used: ClassesChoice = "check",
    strict: bool = False,
    threads: int = 0,
) -> ReportResult:
    """Writes report.html and all behind it into a folder, and returns what was found.

    Both may be tables or files of any known format. `ask` picks questions ("scores", "errors",
    "sensitivity", "difficulty", "comparison"); all that apply are asked otherwise. `images` is a
    folder with the pictures; those in the page take `images_mb` megabytes at most. `pdf` adds a
    typeset report. `classes_used` is of the comparison, as in `compare`; "known" is of everything.
    """
    formats = figure_formats(figures)
    if pdf:
        check_typst()
    check_megabytes(images_mb)
    check_output(Path(folder))
    dataset = gt if isinstance(gt, Dataset) else read_dataset(gt, split=split, threads=threads)
    tables = [
        item
        if isinstance(item, Detections)
        else read_detections(item, dataset, strict=strict, threads=threads)
        for item in ([dt] if isinstance(dt, (Detections, str, PathLike)) else dt)
    ]
    classes = dataset.classes
    if classes_used == "known":
        dataset, tables = shared_classes(dataset, tables, classes_used)
    choice = ReportChoice(
        ask=check_questions(ask),
        evaluation=choose(protocol),
        diagnosis=DiagnosisChoice(
            iou=iou, similar=read_similarity(similar, classes, dataset.classes)
        ),
        resampling=ResamplingChoice(n_replicates=replicates, seed=seed),
        classes=classes_used,
    )
    result = answer_tables(dataset, tables, choice, threads=threads)
    pictures = None if images is None else Path(images)
    write_answers(
        result, Path(folder), formats=formats, images=pictures, images_mb=images_mb, pdf=pdf
    )
    return result


def write_answers(
    result: ReportResult,
    folder: Path,
    *,
    formats: Sequence[ChartFormat],
    images: str | Path | None = None,
    images_mb: float = MEGABYTES,
    pdf: bool = False,
    progress: Progress | None = None,
) -> str:
    """Writes everything that was found; returns in a line what was written."""
    prefixes = _prefixes(result)
    with output_folder(folder) as output, Drawing(formats) as drawing:
        gallery = None if images is None else _gallery(result, prefixes, images, progress)
        plans = _plans(result, prefixes)
        drawn = draw_figures([one for one in plans if one is not None], drawing, progress)
        document = result.to_json()
        tables = dict(_tables(result, prefixes))
        write_numbers(output, document, tables)
        own = write_for_app(output, _run(result), drawn)
        write_sheets(gallery, output)
        save_figures(output, drawing, progress)
        waiting = iter(drawn)
        scores, *of_detectors, hard, compared = (
            None if one is None else next(waiting) for one in plans
        )
        shown = tuple(one for one in of_detectors if one is not None)
        page = report_page(
            result,
            document,
            ReportFigures(scores, shown, hard, compared),
            fit_pictures(gallery, images_mb),
            prefixes,
        )
        output.write_text("report.html", page)
        if pdf:
            write_pdf(
                output,
                document,
                diagnoses=result.diagnoses if {"errors", "sensitivity"} & {*result.asked} else (),
                evaluation=result.evaluation,
                comparison=result.comparison,
                progress=progress,
            )
    return what_was_written(folder, len(tables) + len(own), drawn, formats, gallery, pdf=pdf)


def report_verdict(result: ReportResult) -> RunVerdict:
    """Who is better, then what each detector lacks."""
    told = []
    if result.comparison is not None:
        told.append(comparison_verdict(result.comparison))
    for one in result.diagnoses:
        found = _verdict(one, result.asked)
        if found is not None:
            who = f"{one.detections.name}: " if len(result.tables) > 1 else ""
            told.append(replace(found, lead=f"{who}{found.lead}"))
    if result.evaluation is not None and not told:
        told.append(evaluation_verdict(result.evaluation))
    if result.difficulty is not None and not told:
        told.append(difficulty_verdict(result.difficulty))
    first, *others = told
    further = [text for one in others for text in (one.lead, *one.sentences)]
    return RunVerdict(first.lead, [*first.sentences, *further], first.numbers)


def _verdict(result: DiagnosisResult, asked: Sequence[str]) -> RunVerdict | None:
    if "errors" in asked:
        return diagnosis_verdict(result)
    if "sensitivity" not in asked:
        return None
    found = result.sensitivity
    return RunVerdict(summary(found), (), (("mean AP_N", found.ap_n),))


def _prefixes(result: ReportResult) -> list[str]:
    """What keeps files and sections of several detectors apart."""
    if len(result.tables) == 1:
        return [""]
    used: dict[str, int] = {}
    prefixes = []
    for one in result.tables:
        plain = file_name(one.name)
        used[plain] = used.get(plain, 0) + 1
        again = f"_{used[plain]}" if used[plain] > 1 else ""
        prefixes.append(f"{plain}{again}_")
    return prefixes


def _plans(result: ReportResult, prefixes: Sequence[str]) -> list[FigurePlan | None]:
    """Of the scores, of each detector, of the difficulty and of the comparison."""
    return [
        None if result.evaluation is None else evaluation_figures(result.evaluation),
        *(
            _plan(one, result.asked).of_detector(one.detections.name, prefix)
            for one, prefix in zip(result.diagnoses, prefixes, strict=True)
        ),
        None if result.difficulty is None else report_difficulty_figures(result.difficulty),
        None if result.comparison is None else comparison_figures(result.comparison),
    ]


def _plan(result: DiagnosisResult, asked: Sequence[str]) -> FigurePlan:
    if "errors" not in asked:
        objects = sensitivity_figures(result.sensitivity)
        return objects if "sensitivity" in asked else FigurePlan((), ())
    whole = diagnosis_figures(result)
    if "sensitivity" in asked:
        return whole
    return FigurePlan(
        tuple(one for one in whole.figures if one.section != OBJECTS),
        tuple(one for one in whole.left_out if one.section != OBJECTS),
    )


def _tables(result: ReportResult, prefixes: Sequence[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    if result.evaluation is not None:
        yield "scores", scores_table(result.evaluation)
    for one, prefix in zip(result.diagnoses, prefixes, strict=True):
        for name, frame in diagnosis_tables(one).items():
            yield f"{prefix}{name}", frame
    if result.difficulty is not None:
        for name, frame in difficulty_frames(result.difficulty).items():
            yield f"difficulty_{name}", frame
    if result.comparison is not None:
        yield from comparison_tables(result.comparison).items()


def _gallery(
    result: ReportResult, prefixes: Sequence[str], images: str | Path, progress: Progress | None
) -> Gallery:
    """All examples at once, so that no picture is read twice."""
    from boxlens.report.pictures.comparison_exhibits import comparison_walls
    from boxlens.report.pictures.exhibits import walls
    from boxlens.report.pictures.gallery import hang

    kinds = []
    if "errors" in result.asked:
        for one, prefix in zip(result.diagnoses, prefixes, strict=True):
            kinds += [replace(wall, name=f"{prefix}{wall.name}") for wall in walls(one)]
    if result.comparison is not None:
        kinds += comparison_walls(result.comparison)
    return hang(kinds, result.dataset, images, progress=progress)


def _run(result: ReportResult) -> Run:
    return Run(
        verb="report",
        title=f"{names_of(result.tables)} on {result.dataset.name}",
        dataset=result.dataset,
        diagnoses=result.diagnoses,
        verdict=report_verdict(result),
        provenance=result.provenance,
        notices=result.notices,
        comparison=result.comparison,
    )
