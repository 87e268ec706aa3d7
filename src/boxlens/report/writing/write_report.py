"""A whole report in one folder: every question about one detector or several, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.data.selection import shared_classes
from boxlens.formats.class_groups import read_similarity
from boxlens.formats.given import open_dataset, open_detections
from boxlens.metrics import choose
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.report.charts.export import figure_formats
from boxlens.report.described.examples import MEGABYTES, check_megabytes
from boxlens.report.pdf.writing import check_typst
from boxlens.report.writing.output_folder import check_output
from boxlens.studies.diagnosis import DiagnosisChoice
from boxlens.studies.report import ReportChoice, ReportResult, answer_tables, check_questions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from os import PathLike

    from boxlens.data.known_classes import ClassesChoice
    from boxlens.data.similarity import Similarity
    from boxlens.formats.files import Progress
    from boxlens.formats.given import GivenDataset, GivenDetections
    from boxlens.metrics.intervals import IntervalMethod
    from boxlens.studies.comparison.shared_images import ImagesChoice


def write_report(
    gt: GivenDataset,
    dt: GivenDetections | Sequence[GivenDetections],
    folder: str | PathLike[str],
    *,
    ask: Sequence[str] = (),
    protocol: str = "coco",
    iou: float = 0.5,
    similar: Similarity | Mapping[str, Collection[str]] | str | PathLike[str] = None,
    characteristics: Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    interactions: Sequence[tuple[str, str]] = (),
    images: str | PathLike[str] | None = None,
    images_mb: float = MEGABYTES,
    figures: str = "svg",
    pdf: bool = False,
    replicates: int = 1000,
    level: float = 0.95,
    interval_method: IntervalMethod = "normal",
    seed: int = 0,
    images_used: ImagesChoice = "check",
    classes_used: ClassesChoice = "check",
    split: str | None = None,
    strict: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> ReportResult:
    """Writes report.html and all behind it into a folder, and returns what was found.

    Both may be tables or files of any known format; detections are those of one detector or of
    several. `ask` picks questions ("scores", "errors", "sensitivity", "difficulty", "comparison");
    all that apply are asked otherwise. `images` is a folder with the pictures; those in the page
    take `images_mb` megabytes at most. `figures` are "svg", "pdf", "png" with commas between, or
    "none"; `pdf` adds a typeset report. `images_used` and `classes_used` are of the comparison, as
    in `compare`; "known" classes are of everything.

    >>> result = write_report(gt, dt, "out", ask=["errors"], figures="none")
    >>> result
    ReportResult(window on ground_truth: errors)
    """
    figure_formats(figures)
    if pdf:
        check_typst()
    check_megabytes(images_mb)
    check_output(Path(folder))
    dataset = open_dataset(gt, split=split, threads=threads, progress=progress)
    tables = open_detections(dt, dataset, strict=strict, threads=threads, progress=progress)
    classes = dataset.classes
    if classes_used == "known":
        dataset, tables = shared_classes(dataset, tables, classes_used)
    choice = ReportChoice(
        ask=check_questions(ask),
        evaluation=choose(protocol),
        diagnosis=DiagnosisChoice(
            iou=iou,
            similar=read_similarity(similar, classes, dataset.classes),
            characteristics=None if characteristics is None else tuple(characteristics),
            bins={name: tuple(values) for name, values in (bins or {}).items()},
            interactions=tuple((first, second) for first, second in interactions),
        ),
        resampling=ResamplingChoice(
            n_replicates=replicates, level=level, method=interval_method, seed=seed
        ),
        images=images_used,
        classes=classes_used,
    )
    result = answer_tables(dataset, tables, choice, threads=threads, progress=progress)
    result.save(
        folder, figures=figures, images=images, images_mb=images_mb, pdf=pdf, progress=progress
    )
    return result
