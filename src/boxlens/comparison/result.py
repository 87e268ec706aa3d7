"""What a comparison asks for and what it found."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxlens.comparison.cases.discriminative import DiscriminativeChoice
from boxlens.comparison.cases.fda import MAPPINGS
from boxlens.comparison.cases.image_scores import MEASURES
from boxlens.comparison.shared_images import IMAGES_CHOICES
from boxlens.data.known_classes import CLASSES_CHOICES
from boxlens.display import Displayed
from boxlens.errors import ParameterError
from boxlens.limits import PERMUTATIONS
from boxlens.metrics.evaluation import EvaluationChoice
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.results import notice_to_json, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.comparison.cases.annotation_gain import AnnotationGainResult
    from boxlens.comparison.cases.disagreement import DisagreementResult
    from boxlens.comparison.cases.discriminative import DiscriminativeResult
    from boxlens.comparison.cases.fda import Mapping as FdaMapping
    from boxlens.comparison.cases.image_scores import Measure
    from boxlens.comparison.league import League
    from boxlens.comparison.paired import ClassPair, PairResult
    from boxlens.comparison.shared_images import ImagesChoice
    from boxlens.comparison.together.joint_bound import JointBoundResult
    from boxlens.comparison.together.strengths import StrengthsResult
    from boxlens.data import Dataset, Detections, Notice
    from boxlens.data.columns import Floats
    from boxlens.data.known_classes import ClassesChoice
    from boxlens.metrics import DetectorResult
    from boxlens.metrics.results import Provenance

SCHEMA = "boxlens/compare/1"
# 1 - .95 is a little more than .05: alpha is rounded to so many digits.
ALPHA_DIGITS = 12
SMALLEST_ALPHA = 10**-ALPHA_DIGITS


@dataclass(frozen=True, slots=True)
class ComparisonChoice:
    """What is counted, how often images are resampled, and how single images are scored."""

    evaluation: EvaluationChoice = field(default_factory=EvaluationChoice)
    resampling: ResamplingChoice = field(default_factory=ResamplingChoice)
    n_permutations: int = 1000
    # The number the league goes by; None: the protocol's first.
    metric: str | None = None
    # How an image is scored, above which score cut; None: each detector's own of best F1.
    measure: Measure = "fda"
    mapping: FdaMapping = "one_to_one"
    class_agnostic: bool = False
    min_score: float | None = None
    discriminative: DiscriminativeChoice = field(default_factory=DiscriminativeChoice)
    images: ImagesChoice = "check"
    classes: ClassesChoice = "check"

    def __post_init__(self) -> None:
        PERMUTATIONS.check(self.n_permutations, "n_permutations (--permutations)")
        # A p-value of n exchanges is 1 / (n + 1) or more.
        least = math.floor(1 / max(self.alpha, SMALLEST_ALPHA))
        if self.n_permutations < least:
            raise ParameterError(
                f"at level {self.resampling.level} a test needs {least:,} exchanges or more, got "
                f"{self.n_permutations:,} (--permutations, n_permutations)"
            )
        for name, value, known in (
            ("a measure", self.measure, MEASURES),
            ("a mapping", self.mapping, MAPPINGS),
            ("images", self.images, IMAGES_CHOICES),
            ("classes", self.classes, CLASSES_CHOICES),
        ):
            if value not in known:
                raise ParameterError(f"{name}: choose from {', '.join(known)}, got {value!r}")
        if self.discriminative.test == "anova":
            raise ParameterError("anova is for all detectors together; pairs take another test")

    @property
    def alpha(self) -> float:
        return round(1 - self.resampling.level, ALPHA_DIGITS)

    def to_json(self) -> dict[str, Any]:
        return {
            "resampling": self.resampling.to_json(),
            "n_permutations": self.n_permutations,
            "metric": self.metric,
            "measure": self.measure,
            "mapping": self.mapping,
            "class_agnostic": self.class_agnostic,
            "min_score": self.min_score,
            "test": self.discriminative.test,
            "largest_t0": self.discriminative.largest_t0,
            "images": self.images,
            "classes": self.classes,
        }


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonResult(Displayed):
    """Two or more detectors on the same images."""

    dataset: Dataset
    tables: tuple[Detections, ...]
    choice: ComparisonChoice
    # With intervals.
    detectors: tuple[DetectorResult, ...]
    # Their numbers on all images and classes, as `evaluate` gives them.
    own_metrics: tuple[Mapping[str, float], ...]
    league: League
    # Every two detectors by every number, and by AP of every class.
    pairs: tuple[PairResult, ...]
    classes: tuple[ClassPair, ...]
    # Score cuts, and [detector, image] above them.
    min_score: tuple[float, ...]
    image_scores: Floats
    # One a pair; with more than two detectors also all of them together.
    discriminative: tuple[DiscriminativeResult, ...]
    together: DiscriminativeResult | None
    disagreement: DisagreementResult
    annotation_gain: AnnotationGainResult
    joint: JointBoundResult
    # One a pair.
    strengths: tuple[StrengthsResult, ...]
    parameters: dict[str, Any]
    provenance: Provenance
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        """Short: the whole is in `to_json()`."""
        order = ", ".join(f"{row.name} {row.score.value:.4f}" for row in self.league.rows)
        return f"ComparisonResult({self.dataset.name}, {self.league.metric}: {order})"

    @property
    def headline(self) -> tuple[PairResult, ...]:
        """The pairs by the league's number."""
        return tuple(row for row in self.pairs if row.metric == self.league.metric)

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens compare --json -` prints; undefined is null."""
        return {
            "schema": SCHEMA,
            "provenance": self.provenance.to_json(),
            "parameters": {**self.parameters, **self.choice.to_json()},
            "dataset": {
                "name": self.dataset.name,
                "n_images": len(self.dataset.images),
                "n_objects": len(self.dataset.gt),
            },
            "notices": [notice_to_json(notice) for notice in self.notices],
            "results": {
                "detectors": [self._detector(row) for row in range(len(self.detectors))],
                "league": self.league.to_json(),
                "pairs": [row.to_json() for row in self.pairs],
                "classes": [row.to_json() for row in self.classes],
                "discriminative": [row.to_json() for row in self.discriminative],
                "discriminative_together": None
                if self.together is None
                else self.together.to_json(),
                "disagreement": {
                    **self.disagreement.ranking(),
                    "gain": self.annotation_gain.to_json(),
                },
                "joint": self.joint.to_json(),
                "strengths": [row.to_json() for row in self.strengths],
            },
        }

    def _detector(self, row: int) -> dict[str, Any]:
        one = self.detectors[row]
        return {
            "name": one.name,
            "n_detections": one.n_detections,
            "min_score": number(self.min_score[row]),
            "metrics": {name: item.to_json() for name, item in (one.intervals or {}).items()},
            "own_metrics": {name: number(value) for name, value in self.own_metrics[row].items()},
            "classes": [
                {
                    "class": of_class.name,
                    "n_gt": of_class.n_gt,
                    "n_detections": of_class.n_detections,
                    "metrics": {
                        name: item.to_json() for name, item in (of_class.intervals or {}).items()
                    },
                }
                for of_class in one.classes
            ],
        }
