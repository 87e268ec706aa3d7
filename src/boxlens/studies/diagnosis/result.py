"""What a diagnosis found, and its stable JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.similarity import Similarity, known_similarity
from boxlens.display import Displayed
from boxlens.errors import ParameterError
from boxlens.limits import GALLERY
from boxlens.metrics.confusion import ConfusionResult
from boxlens.metrics.grid import IOU_THRESHOLDS
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.results import Provenance, about_dataset, envelope
from boxlens.studies.diagnosis.borji import BorjiResult
from boxlens.studies.diagnosis.coco_analyze import CocoAnalyzeResult
from boxlens.studies.diagnosis.crosswalk import Crosswalk
from boxlens.studies.diagnosis.gallery import Exhibit
from boxlens.studies.diagnosis.hoiem import HoiemResult
from boxlens.studies.diagnosis.hoiem_types import Assignment
from boxlens.studies.diagnosis.intervals import DiagnosisIntervals
from boxlens.studies.diagnosis.outcomes import Outcomes
from boxlens.studies.diagnosis.places import Place
from boxlens.studies.diagnosis.tide import TideRange, TideResult
from boxlens.studies.diagnosis.verdict import Verdict
from boxlens.studies.sensitivity import SensitivityResult

SCHEMA = "boxlens/diagnose/1"


@dataclass(frozen=True, slots=True)
class DiagnosisChoice:
    """What to look at; thresholds are those of all schemes."""

    iou: float = 0.5
    # None: .1, or half of `iou` where that is no looser.
    background_iou: float | None = None
    similar: Similarity = None
    assignment: Assignment = "priority"
    # tidecv's own numbers beside ours; TIDE at COCO's ten thresholds, too.
    tidecv: bool = False
    tide_range: bool = False
    n_gallery: int = 15
    characteristics: tuple[str, ...] | None = None
    bins: Mapping[str, tuple[float | str, ...]] | None = None
    interactions: tuple[tuple[str, str], ...] = ()
    # How sure the numbers are, by resampling images; None: not asked for.
    intervals: ResamplingChoice | None = None

    def __post_init__(self) -> None:
        GALLERY.check(self.n_gallery, "n_gallery (--n-gallery)")
        background = self.background_iou
        if self.tide_range and background is not None and background >= IOU_THRESHOLDS[0]:
            raise ParameterError(
                f"TIDE over the range starts at {IOU_THRESHOLDS[0]:g}: background_iou lies below "
                f"it, got {background:g}"
            )


@dataclass(frozen=True, slots=True, repr=False)
class DiagnosisResult(Displayed):
    """One detector, read under every scheme.

    >>> result = diagnose(gt, dt)
    >>> {error: round(gain, 3) for error, gain in result.tide.gain.items() if gain > 0.1}
    {'miss': 0.119, 'fp': 0.223, 'fn': 0.212}
    """

    dataset: Dataset
    """The ground truth."""
    detections: Detections
    """The detections that were diagnosed."""
    choice: DiagnosisChoice
    """The settings of `diagnose`, as checked."""
    metrics: Mapping[str, float]
    """COCO's AP and AP at the foreground IoU, as fractions."""
    hoiem: HoiemResult
    """Types of false positives by Hoiem et al. (METHODS 1.2)."""
    tide: TideResult
    """AP gained by fixing each kind of error, by TIDE (METHODS 9.2)."""
    tidecv: TideResult | None
    """The same as the tidecv package counts it; None: not asked for."""
    tide_range: TideRange | None
    """TIDE at each IoU from 0.5 to 0.95; None: not asked for."""
    coco_analyze: CocoAnalyzeResult
    """The seven precision-recall curves of COCO's analysis."""
    borji: BorjiResult
    """AP after each of the four repairs of Borji and Iranmanesh (METHODS 4.5)."""
    crosswalk: Crosswalk
    """What each scheme calls every detection and object, and where they disagree."""
    confusion: ConfusionResult
    """[true class, predicted class]: how many boxes."""
    outcomes: Outcomes
    """The object of every detection, the detection of every object, and their IoU."""
    sensitivity: SensitivityResult
    """How AP depends on size, aspect ratio and other properties of objects."""
    places: tuple[Place, ...]
    """Where errors of a kind are concentrated, with their share of the gain."""
    verdict: Verdict
    """The answer in words, the most rewarding fix first."""
    gallery: tuple[Exhibit, ...]
    """The most confident false positives, as many of each kind as `n_gallery`."""
    provenance: Provenance
    """The inputs with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or filled in."""
    intervals: DiagnosisIntervals | None = None
    """Confidence intervals of the main numbers; None: not asked for."""

    def __repr__(self) -> str:
        """Short: the whole is in `to_json()`."""
        return (
            f"DiagnosisResult({self.detections.name} on {self.dataset.name}: "
            f"{self.verdict.summary})"
        )

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens diagnose --json -` prints; undefined is null."""
        further = {"tidecv": self.tidecv, "range": self.tide_range}
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters=_parameters(self.choice, self.tide.background_iou, self.dataset),
            dataset=about_dataset(self.dataset),
            notices=self.notices,
            results={
                "detector": self.detections.name,
                "n_detections": len(self.detections),
                "metrics": self.metrics,
                **_given({"intervals": self.intervals}),
                "verdict": self.verdict,
                "schemes": {
                    "hoiem": self.hoiem,
                    "tide": {**self.tide.to_json(), **_given(further)},
                    "coco_analyze": self.coco_analyze,
                    "borji": self.borji,
                },
                "crosswalk": self.crosswalk,
                "orders": {
                    "hoiem": self.hoiem.orders,
                    "tide": self.tide.orders,
                    "borji": self.borji.orders,
                },
                **self.sensitivity.parts_to_json(),
                "confusion": self.confusion,
                "gallery": self.gallery,
            },
        )


def _given(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in parts.items() if part is not None}


def _parameters(choice: DiagnosisChoice, background_iou: float, dataset: Dataset) -> dict[str, Any]:
    similar = choice.similar if choice.similar is not None else known_similarity(dataset.classes)
    return {
        "iou": choice.iou,
        "background_iou": background_iou,
        "similar": similar,
        "assignment": choice.assignment,
        "tidecv": choice.tidecv,
        "tide_range": choice.tide_range,
        "n_gallery": choice.n_gallery,
        "characteristics": choice.characteristics,
        "bins": choice.bins or {},
        "interactions": choice.interactions,
        "intervals": choice.intervals or False,
    }
