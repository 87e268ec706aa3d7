"""Every question of a report: scores, errors, objects, how hard classes are, who is better."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from boxlens.comparison import ComparisonChoice, compare_tables
from boxlens.dataset_difficulty import (
    DifficultyChoice,
    difficulty_tables,
    know_classes,
    read_systems,
)
from boxlens.diagnosis import DiagnosisChoice, diagnose_tables
from boxlens.errors import ParameterError
from boxlens.metrics import evaluate_tables
from boxlens.metrics.evaluation import EvaluationChoice, with_unique_names
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.results import Provenance, notice_to_json
from boxlens.report.writing.documents import sensitivity_document
from boxlens.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.comparison import ComparisonResult
    from boxlens.comparison.shared_images import ImagesChoice
    from boxlens.data import Dataset, Detections, Notice
    from boxlens.data.known_classes import ClassesChoice
    from boxlens.dataset_difficulty import DifficultyResult
    from boxlens.diagnosis import DiagnosisResult
    from boxlens.formats.files import Progress
    from boxlens.metrics import EvaluationResult

SCHEMA = "boxlens/report/1"
Question = Literal["scores", "errors", "sensitivity", "difficulty", "comparison"]
QUESTIONS: tuple[Question, ...] = get_args(Question)


@dataclass(frozen=True, slots=True)
class ReportChoice:
    """What is asked, and how it is counted; without questions, all that apply are asked."""

    ask: tuple[Question, ...] = ()
    evaluation: EvaluationChoice = field(default_factory=EvaluationChoice)
    diagnosis: DiagnosisChoice = field(default_factory=DiagnosisChoice)
    resampling: ResamplingChoice = field(default_factory=ResamplingChoice)
    images: ImagesChoice = "check"
    # Of the comparison; everything else is over the classes of the data set.
    classes: ClassesChoice = "check"

    def asked(self, n_detectors: int) -> tuple[Question, ...]:
        """In the order of the page."""
        if not self.ask:
            return QUESTIONS if n_detectors > 1 else QUESTIONS[:-1]
        if "comparison" in self.ask and n_detectors < 2:
            raise ParameterError("a comparison takes two detectors: name two detections files")
        return tuple(one for one in QUESTIONS if one in self.ask)


@dataclass(frozen=True, slots=True, repr=False)
class ReportResult:
    """What was found, one part a question; every detector is diagnosed in any case."""

    dataset: Dataset
    tables: tuple[Detections, ...]
    asked: tuple[Question, ...]
    choice: ReportChoice
    evaluation: EvaluationResult | None
    diagnoses: tuple[DiagnosisResult, ...]
    comparison: ComparisonResult | None
    difficulty: DifficultyResult | None
    provenance: Provenance

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self.tables)
        return f"ReportResult({names} on {self.dataset.name}: {', '.join(self.asked)})"

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Of all parts, each once."""
        found = [notice for one in self.diagnoses for notice in one.notices]
        if self.evaluation is not None:
            found += self.evaluation.notices
            found += [notice for one in self.evaluation.detectors for notice in one.notices]
        if self.comparison is not None:
            found += self.comparison.notices
        if self.difficulty is not None:
            found += self.difficulty.notices
        return tuple(dict.fromkeys(found))

    def to_json(self) -> dict[str, Any]:
        """The stable form of results.json: the documents of the parts, null where not asked."""
        return {
            "schema": SCHEMA,
            "provenance": self.provenance.to_json(),
            "parameters": {
                "ask": list(self.asked),
                "protocol": self.choice.evaluation.protocol,
                "iou": self.choice.diagnosis.iou,
                "resampling": self.choice.resampling.to_json(),
                "images": self.choice.images,
                "classes": self.choice.classes,
            },
            "dataset": {
                "name": self.dataset.name,
                "n_images": len(self.dataset.images),
                "n_objects": len(self.dataset.gt),
            },
            "notices": [notice_to_json(notice) for notice in self.notices],
            "results": {
                "evaluate": None if self.evaluation is None else self.evaluation.to_json(),
                "diagnose": [one.to_json() for one in self.diagnoses]
                if "errors" in self.asked
                else None,
                "sensitivity": [
                    sensitivity_document(one.sensitivity, self.dataset, one.detections)
                    for one in self.diagnoses
                ]
                if "sensitivity" in self.asked
                else None,
                "difficulty": None if self.difficulty is None else self.difficulty.to_json(),
                "compare": None if self.comparison is None else self.comparison.to_json(),
            },
        }


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
        tables=tuple(tables),
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
