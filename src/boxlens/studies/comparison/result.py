"""What a comparison found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import Floats
from boxlens.display import Displayed
from boxlens.metrics import DetectorResult
from boxlens.metrics.results import Provenance, about_dataset, envelope
from boxlens.studies.comparison.cases.annotation_gain import AnnotationGainResult
from boxlens.studies.comparison.cases.disagreement import DisagreementResult
from boxlens.studies.comparison.cases.discriminative import DiscriminativeResult
from boxlens.studies.comparison.choice import ComparisonChoice
from boxlens.studies.comparison.league import League
from boxlens.studies.comparison.paired import ClassPair, PairResult
from boxlens.studies.comparison.together.joint_bound import JointBoundResult
from boxlens.studies.comparison.together.strengths import StrengthsResult
from boxlens.wording import score

SCHEMA = "boxlens/compare/1"


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonResult(Displayed):
    """Two or more detectors on the same images.

    >>> result = compare(gt, [dt, other_dt], replicates=100)
    >>> [row.name for row in result.league.rows], round(result.headline[0].difference.value, 4)
    (['region', 'window'], -0.0035)
    """

    dataset: Dataset
    """The images and classes that were compared over."""
    detections: tuple[Detections, ...]
    """One table per detector, in the order given."""
    choice: ComparisonChoice
    """The settings of `compare`, as checked."""
    detectors: tuple[DetectorResult, ...]
    """Every metric of each detector, with its interval."""
    own_metrics: tuple[Mapping[str, float], ...]
    """The metrics of each detector on all images and classes, as `evaluate` gives them."""
    league: League
    """Detectors from best to worst, and which of them cannot be told apart."""
    pairs: tuple[PairResult, ...]
    """Every two detectors by every metric."""
    classes: tuple[ClassPair, ...]
    """Every two detectors by AP of every class."""
    min_score: tuple[float, ...]
    """The score cut of each detector, where images are scored one by one."""
    image_scores: Floats
    """[detector, image]: the score of each image, NaN where it is undefined."""
    discriminative: tuple[DiscriminativeResult, ...]
    """Tests of the image scores, one per pair."""
    together: DiscriminativeResult | None
    """The same for all detectors together; None for two."""
    disagreement: DisagreementResult
    """Images ranked by how much the detectors disagree."""
    annotation_gain: AnnotationGainResult
    """What annotating images in that order would find."""
    joint: JointBoundResult
    """What the detectors could reach together."""
    strengths: tuple[StrengthsResult, ...]
    """Which objects each detector of a pair finds, one per pair."""
    parameters: dict[str, Any]
    """How the detectors were evaluated, as in the JSON."""
    provenance: Provenance
    """The inputs with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped, or looks wrong."""

    def __repr__(self) -> str:
        """Short: the whole is in `to_json()`."""
        order = ", ".join(f"{row.name} {score(row.score.value)}" for row in self.league.rows)
        return f"ComparisonResult({self.dataset.name}, {self.league.metric}: {order})"

    @property
    def headline(self) -> tuple[PairResult, ...]:
        """The pairs by the metric of the league."""
        return tuple(row for row in self.pairs if row.metric == self.league.metric)

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens compare --json -` prints; undefined is null."""
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters={**self.parameters, **self.choice.to_json()},
            dataset=about_dataset(self.dataset),
            notices=self.notices,
            results={
                "detectors": [self._detector(row) for row in range(len(self.detectors))],
                "league": self.league,
                "pairs": self.pairs,
                "classes": self.classes,
                "discriminative": self.discriminative,
                "discriminative_together": self.together,
                "disagreement": {**self.disagreement.ranking(), "gain": self.annotation_gain},
                "joint": self.joint,
                "strengths": self.strengths,
            },
        )

    def _detector(self, row: int) -> dict[str, Any]:
        one = self.detectors[row]
        return {
            "name": one.name,
            "n_detections": one.n_detections,
            "min_score": self.min_score[row],
            "metrics": one.intervals or {},
            "own_metrics": self.own_metrics[row],
            "classes": [
                {
                    "class": of_class.name,
                    "n_gt": of_class.n_gt,
                    "n_detections": of_class.n_detections,
                    "metrics": of_class.intervals or {},
                }
                for of_class in one.classes
            ],
        }
