"""What a report asks, and what was found: one part per question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.known_classes import ClassesChoice
from boxlens.display import Displayed
from boxlens.errors import ParameterError
from boxlens.metrics import EvaluationResult
from boxlens.metrics.evaluation import EvaluationChoice
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.results import Provenance, about_dataset, envelope
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.shared_images import ImagesChoice
from boxlens.studies.diagnosis import DiagnosisChoice, DiagnosisResult
from boxlens.studies.difficulty import DifficultyResult
from boxlens.wording import listed

SCHEMA = "boxlens/report/1"
Question = Literal["scores", "errors", "sensitivity", "difficulty", "comparison"]
QUESTIONS: tuple[Question, ...] = get_args(Question)
MOST_NAMES = 3


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
class ReportResult(Displayed):
    """What was found, one part per question; every detector is diagnosed in any case.

    >>> result = write_report(gt, dt, "report", ask=["scores"], figures="none")
    >>> result.written
    'report/: report.html, results.json, ...'
    >>> round(result.evaluation.detectors[0].metrics["AP"], 3)
    0.201
    """

    dataset: Dataset
    """The ground truth."""
    detections: tuple[Detections, ...]
    """One table per detector, in the order given."""
    asked: tuple[Question, ...]
    """The questions that were answered, in the order of the page."""
    choice: ReportChoice
    """The settings of `write_report`, as checked."""
    evaluation: EvaluationResult | None
    """The scores; None: not asked for."""
    diagnoses: tuple[DiagnosisResult, ...]
    """The errors, one diagnosis per detector."""
    comparison: ComparisonResult | None
    """The comparison of the detectors; None: not asked for."""
    difficulty: DifficultyResult | None
    """How hard the data set is; None: not asked for."""
    provenance: Provenance
    """The inputs with their hashes, and the version of Boxlens."""
    written: str = ""
    """What was written, in a line; empty: nothing was."""

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self.detections)
        return f"ReportResult({names} on {self.dataset.name}: {', '.join(self.asked)})"

    @property
    def names(self) -> str:
        """Names of the detectors, as a title has them."""
        return listed([one.name for one in self.detections], MOST_NAMES, "detectors")

    @property
    def notices(self) -> tuple[Notice, ...]:  # type: ignore[override]
        """What was skipped or filled in, of all parts, each once."""
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
        asked, choice = self.asked, self.choice
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters={
                "ask": asked,
                "protocol": choice.evaluation.protocol,
                "iou": choice.diagnosis.iou,
                "resampling": choice.resampling,
                "images": choice.images,
                "classes": choice.classes,
            },
            dataset=about_dataset(self.dataset),
            notices=self.notices,
            results={
                "evaluate": self.evaluation,
                "diagnose": self.diagnoses if "errors" in asked else None,
                "sensitivity": [one.sensitivity for one in self.diagnoses]
                if "sensitivity" in asked
                else None,
                "difficulty": self.difficulty,
                "compare": self.comparison,
            },
        )
