"""What a diagnosis found, and its stable JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.data.similarity import known_similarity
from boxlens.display import Displayed
from boxlens.errors import ParameterError
from boxlens.limits import GALLERY
from boxlens.metrics.grid import IOU_THRESHOLDS
from boxlens.metrics.results import about_dataset, defined, envelope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.data import Dataset, Detections, Notice
    from boxlens.data.similarity import Similarity
    from boxlens.metrics.confusion import ConfusionResult
    from boxlens.metrics.intervals import ResamplingChoice
    from boxlens.metrics.results import Provenance
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
    bins: Mapping[str, tuple[float, ...]] | None = None
    interactions: tuple[tuple[str, str], ...] = ()
    # How sure the numbers are, by resampling images; None: not asked for.
    intervals: ResamplingChoice | None = None

    def __post_init__(self) -> None:
        GALLERY.check(self.n_gallery, "n_gallery (--gallery)")
        background = self.background_iou
        if self.tide_range and background is not None and background >= IOU_THRESHOLDS[0]:
            raise ParameterError(
                f"TIDE over the range starts at {IOU_THRESHOLDS[0]:g}: background_iou lies below "
                f"it, got {background:g}"
            )


@dataclass(frozen=True, slots=True, repr=False)
class DiagnosisResult(Displayed):
    """One detector, read under every scheme."""

    dataset: Dataset
    detections: Detections
    choice: DiagnosisChoice
    # COCO's AP and AP at the foreground IoU.
    metrics: Mapping[str, float]
    hoiem: HoiemResult
    tide: TideResult
    tidecv: TideResult | None
    tide_range: TideRange | None
    coco_analyze: CocoAnalyzeResult
    borji: BorjiResult
    crosswalk: Crosswalk
    confusion: ConfusionResult
    outcomes: Outcomes
    sensitivity: SensitivityResult
    places: tuple[Place, ...]
    verdict: Verdict
    gallery: tuple[Exhibit, ...]
    provenance: Provenance
    notices: tuple[Notice, ...] = ()
    intervals: DiagnosisIntervals | None = None

    def __repr__(self) -> str:
        """Short: the whole is in `to_json()`."""
        return (
            f"DiagnosisResult({self.detections.name} on {self.dataset.name}: "
            f"{self.verdict.summary})"
        )

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens diagnose --json -` prints; undefined is null."""
        tide_json = self.tide.to_json()
        if self.tidecv is not None:
            tide_json["tidecv"] = self.tidecv.to_json()
        if self.tide_range is not None:
            tide_json["range"] = self.tide_range.to_json()
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters=_parameters(self.choice, self.tide.background_iou, self.dataset),
            dataset=about_dataset(self.dataset),
            notices=self.notices,
            results={
                "detector": self.detections.name,
                "n_detections": len(self.detections),
                "metrics": defined(self.metrics),
                **({} if self.intervals is None else {"intervals": self.intervals.to_json()}),
                "verdict": self.verdict.to_json(),
                "schemes": {
                    "hoiem": self.hoiem.to_json(),
                    "tide": tide_json,
                    "coco_analyze": self.coco_analyze.to_json(),
                    "borji": self.borji.to_json(),
                },
                "crosswalk": self.crosswalk.to_json(),
                "orders": {
                    "hoiem": [row.to_json() for row in self.hoiem.orders],
                    "tide": [row.to_json() for row in self.tide.orders],
                    "borji": [row.to_json() for row in self.borji.orders],
                },
                **self.sensitivity.parts_to_json(),
                "confusion": self.confusion.to_json(),
                "gallery": [exhibit.to_json() for exhibit in self.gallery],
            },
        )


def _parameters(choice: DiagnosisChoice, background_iou: float, dataset: Dataset) -> dict[str, Any]:
    similar = choice.similar if choice.similar is not None else known_similarity(dataset.classes)
    return {
        "iou": choice.iou,
        "background_iou": background_iou,
        "similar": similar
        if similar is None or isinstance(similar, str)
        else [list(group) for group in similar],
        "assignment": choice.assignment,
        "tidecv": choice.tidecv,
        "tide_range": choice.tide_range,
        "n_gallery": choice.n_gallery,
        "characteristics": None if choice.characteristics is None else list(choice.characteristics),
        "bins": {name: list(values) for name, values in (choice.bins or {}).items()},
        "interactions": [list(pair) for pair in choice.interactions],
        "intervals": False if choice.intervals is None else choice.intervals.to_json(),
    }
