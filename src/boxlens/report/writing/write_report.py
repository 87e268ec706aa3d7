"""A whole report in one folder: every question about one detector or several, on one page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from boxlens.data.known_classes import ClassesChoice
from boxlens.data.similarity import Similarity
from boxlens.formats.class_groups import read_similarity
from boxlens.formats.given import (
    GivenAttributes,
    GivenDataset,
    GivenDetections,
    Reading,
    pairs_of,
    several_names,
    shared_settings,
)
from boxlens.metrics import choose
from boxlens.metrics.intervals import IntervalMethod, ResamplingChoice
from boxlens.progress import Progress
from boxlens.report.charts.export import figure_formats
from boxlens.report.described.examples import MEGABYTES, check_megabytes
from boxlens.report.pdf.writing import check_typst
from boxlens.report.writing.output_folder import check_output
from boxlens.studies.comparison.shared_images import ImagesChoice
from boxlens.studies.diagnosis import DiagnosisChoice
from boxlens.studies.report import ReportChoice, ReportResult, answer_tables, check_questions


@shared_settings
def write_report(
    gt: GivenDataset,
    dt: GivenDetections | Sequence[GivenDetections],
    folder: str | PathLike[str],
    *,
    ask: str | Sequence[str] = (),
    protocol: str = "coco",
    iou: float = 0.5,
    similar: Similarity | Mapping[str, Collection[str]] | str | PathLike[str] = None,
    by: str | Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float | str]] | None = None,
    cross: str | Sequence[str | tuple[str, str]] = (),
    images: str | PathLike[str] | None = None,
    images_mb: float = MEGABYTES,
    figures: str = "svg",
    pdf: bool = False,
    replicates: int = 1000,
    level: float = 0.95,
    interval_method: IntervalMethod = "normal",
    seed: int = 0,
    images_used: ImagesChoice = "check",
    attributes: GivenAttributes = None,
    classes: str | Sequence[str] = (),
    classes_used: ClassesChoice = "check",
    split: str | None = None,
    gt_format: str | None = None,
    dt_format: str | None = None,
    names: str | Sequence[str] = (),
    strict: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> ReportResult:
    """Writes report.html and all behind it into a `folder`, and returns what was found.

    `ask` picks questions ("scores", "errors", "sensitivity", "difficulty", "comparison");
    all that apply are asked otherwise. `iou` and `similar` are those of `diagnose`,
    `by`, `bins` and `cross` those of `sensitivity`. `images` is a folder with
    the pictures; those in the page take `images_mb` megabytes at most. `figures` are "svg", "pdf",
    "png" with commas between, or "none"; `pdf` adds a typeset report. `images_used` and
    `classes_used` are of the comparison, as in `compare`; "known" classes are of everything.

    >>> result = write_report(gt, dt, "out", ask=["errors"], figures="none")
    >>> result
    ReportResult(window on ground_truth: errors)
    """
    figure_formats(figures)
    questions = check_questions(several_names(ask))
    if pdf:
        check_typst()
    check_megabytes(images_mb)
    check_output(Path(folder))
    reading = Reading(
        split, classes, gt_format, dt_format, names, strict, threads, progress, attributes
    )
    whole, tables = reading.whole(gt, dt)
    dataset, tables = reading.of_classes(
        whole, tables, "known" if classes_used == "known" else "all"
    )
    choice = ReportChoice(
        ask=questions,
        evaluation=choose(protocol),
        diagnosis=DiagnosisChoice(
            iou=iou,
            similar=read_similarity(similar, whole.classes, dataset.classes),
            characteristics=None if by is None else several_names(by),
            bins={name: tuple(values) for name, values in (bins or {}).items()},
            interactions=pairs_of(cross, "cross"),
        ),
        resampling=ResamplingChoice(replicates, seed, level, interval_method),
        images=images_used,
        classes=classes_used,
    )
    result = answer_tables(dataset, tables, choice, threads=threads, progress=progress)
    written = result.save(
        folder, figures=figures, images=images, images_mb=images_mb, pdf=pdf, progress=progress
    )
    return replace(result, written=written)
