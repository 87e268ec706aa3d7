"""Every question of a report: scores, errors, objects, how hard classes are, who is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from boxlens.data import Dataset, Detections
from boxlens.errors import ParameterError
from boxlens.metrics import EvaluationResult, evaluate_tables
from boxlens.metrics.evaluation import with_unique_names
from boxlens.metrics.results import Provenance
from boxlens.progress import Progress
from boxlens.studies.comparison import ComparisonChoice, ComparisonResult, compare_tables
from boxlens.studies.diagnosis import diagnose_tables
from boxlens.studies.difficulty import (
    DifficultyChoice,
    DifficultyResult,
    difficulty_tables,
    know_classes,
    read_systems,
)
from boxlens.studies.report.result import QUESTIONS, Question, ReportChoice, ReportResult
from boxlens.version import VERSION


def check_questions(names: Sequence[str]) -> tuple[Question, ...]:
    """By name; none asks all that apply."""
    unknown = [name for name in names if name not in QUESTIONS]
    if unknown:
        raise ParameterError(f"questions are {', '.join(QUESTIONS)}, got {unknown[0]!r} (--ask)")
    return tuple(one for one in QUESTIONS if one in names)


def answer_tables(
    dataset: Dataset,
    tables: Sequence[Detections],
    choice: ReportChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> ReportResult:
    """All that is asked of one detector or of several."""
    tables = with_unique_names(tables)
    asked = choice.asked(len(tables))
    comparison = None
    if "comparison" in asked:
        wanted = ComparisonChoice(
            evaluation=choice.evaluation,
            resampling=choice.resampling,
            images=choice.images,
            classes=choice.classes,
        )
        comparison = compare_tables(dataset, tables, wanted, threads=threads, progress=progress)
    evaluation = None
    if "scores" in asked:
        evaluation = _evaluation(dataset, tables, choice, comparison, threads, progress)
    return ReportResult(
        dataset=dataset,
        detections=tuple(tables),
        asked=asked,
        choice=choice,
        evaluation=evaluation,
        diagnoses=tuple(
            diagnose_tables(dataset, one, choice.diagnosis, threads=threads, progress=progress)
            for one in tables
        ),
        comparison=comparison,
        difficulty=_difficulty(dataset, tables, choice, threads, progress)
        if "difficulty" in asked
        else None,
        provenance=Provenance(VERSION, dataset.source, tuple(one.source for one in tables)),
    )


def _difficulty(
    dataset: Dataset,
    tables: Sequence[Detections],
    choice: ReportChoice,
    threads: int,
    progress: Progress | None,
) -> DifficultyResult:
    """By what the data set itself tells: its own tree or supercategories, no windows."""
    wanted = DifficultyChoice(iou=choice.diagnosis.iou, seed=choice.resampling.seed)
    systems, _ = read_systems(dataset, tables, (), wanted)
    known = know_classes(dataset)
    return difficulty_tables([dataset], systems, wanted, known, threads=threads, progress=progress)


def _evaluation(
    dataset: Dataset,
    tables: Sequence[Detections],
    choice: ReportChoice,
    comparison: ComparisonResult | None,
    threads: int,
    progress: Progress | None,
) -> EvaluationResult:
    """With intervals; a comparison over the same images and classes has them already."""
    again = comparison is None or any(
        len(own) != len(compared)
        for own, compared in (
            (dataset.images, comparison.dataset.images),
            (dataset.classes, comparison.dataset.classes),
        )
    )
    wanted = replace(choice.evaluation, intervals=choice.resampling if again else None)
    result = evaluate_tables(dataset, tables, wanted, threads=threads, progress=progress)
    if comparison is None or again:
        return result
    return replace(
        result,
        detectors=comparison.detectors,
        parameters={**result.parameters, "intervals": choice.resampling.to_json()},
    )
