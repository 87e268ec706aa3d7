"""What an evaluation found, as plain frozen values: they know no file, no plot, no terminal."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from boxlens.display import Displayed
from boxlens.wording import score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.data import Dataset, Detections, Notice, Source
    from boxlens.metrics.confidence import ConfidenceResult
    from boxlens.metrics.confusion import ConfusionResult
    from boxlens.metrics.image_counts import ImageCountsResult
    from boxlens.metrics.intervals import Interval
    from boxlens.metrics.olrp import OlrpResult
    from boxlens.metrics.pr_curves import PrCurvesResult

SCHEMA = "boxlens/evaluate/1"


@dataclass(frozen=True, slots=True)
class ClassResult:
    """One class: its objects, its detections and its numbers."""

    name: str
    n_gt: int
    n_detections: int
    metrics: Mapping[str, float]
    # By the same names, if asked for.
    intervals: Mapping[str, Interval] | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "class": self.name,
            "n_gt": self.n_gt,
            "n_detections": self.n_detections,
            **defined(self.metrics),
            **_intervals_to_json(self.intervals),
        }


@dataclass(frozen=True, slots=True)
class Extras:
    """Further readings of the same matches, present where they were asked for."""

    curves: PrCurvesResult | None = None
    confidence: ConfidenceResult | None = None
    confusion: ConfusionResult | None = None
    olrp: OlrpResult | None = None
    images: ImageCountsResult | None = None


@dataclass(frozen=True, slots=True)
class DetectorResult:
    """One detector: summary numbers, classes, and what was skipped."""

    name: str
    n_detections: int
    metrics: Mapping[str, float]
    classes: tuple[ClassResult, ...]
    # AP with detections of equal score in their worst and best order (METHODS 10).
    tie_band: tuple[float, float] | None = None
    notices: tuple[Notice, ...] = ()
    extras: Extras = field(default_factory=Extras)
    intervals: Mapping[str, Interval] | None = None

    def to_json(self) -> dict[str, Any]:
        readings = {name: getattr(self.extras, name) for name in Extras.__slots__}
        return {
            "name": self.name,
            "n_detections": self.n_detections,
            "metrics": defined(self.metrics),
            "tie_band": None
            if self.tie_band is None
            else {"AP": [number(end) for end in self.tie_band]},
            **_intervals_to_json(self.intervals),
            "classes": [row.to_json() for row in self.classes],
            **{name: value.to_json() for name, value in readings.items() if value is not None},
            "notices": [notice_to_json(notice) for notice in self.notices],
        }


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a result was made from; hashes are taken when asked for."""

    version: str
    ground_truth: Source | None
    detections: tuple[Source | None, ...]
    # Further files, each with what it is: a tree, windows, a second data set.
    others: tuple[tuple[str, Source], ...] = ()

    def to_json(self) -> dict[str, Any]:
        others = [{"what": what, **(_source_to_json(one) or {})} for what, one in self.others]
        return {
            "boxlens": self.version,
            "ground_truth": _source_to_json(self.ground_truth),
            "detections": [_source_to_json(source) for source in self.detections],
            **({"others": others} if others else {}),
        }


def _source_to_json(source: Source | None) -> dict[str, Any] | None:
    if source is None:
        return None
    return {
        "path": str(source.path),
        "format": source.format,
        "size_bytes": source.size_bytes,
        "sha256": source.sha256(),
    }


@dataclass(frozen=True, slots=True)
class EvaluationInputs:
    """What was evaluated, for whoever looks at single images."""

    dataset: Dataset
    detections: tuple[Detections, ...]
    # The overlap from which a box is right there; metrics have their own.
    iou: float


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationResult(Displayed):
    """One evaluation of one or more detectors under one protocol."""

    protocol: str
    parameters: Mapping[str, Any]
    # The name of the ground truth.
    dataset: str
    n_images: int
    n_objects: int
    # One per detector, in the order given.
    detectors: tuple[DetectorResult, ...]
    provenance: Provenance
    notices: tuple[Notice, ...] = ()
    # The tables; None: they were not kept.
    inputs: EvaluationInputs | None = field(default=None, compare=False)
    _writer: ClassVar = ("writing.write_evaluation", "write_evaluation")

    @property
    def all_notices(self) -> tuple[Notice, ...]:
        """Of the ground truth and of every detector."""
        return (*self.notices, *(notice for one in self.detectors for notice in one.notices))

    def __repr__(self) -> str:
        """Short: the whole is in `to_json()`."""
        scores = ", ".join(
            f"{row.name} {name} {score(value)}"
            for row in self.detectors
            for name, value in list(row.metrics.items())[:1]
        )
        return f"EvaluationResult({self.protocol}, {self.dataset}: {scores})"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens evaluate --json -` prints; undefined is null."""
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters={"protocol": self.protocol, **self.parameters},
            dataset={
                "name": self.dataset,
                "n_images": self.n_images,
                "n_objects": self.n_objects,
            },
            notices=self.notices,
            results={"detectors": [detector.to_json() for detector in self.detectors]},
        )


def _intervals_to_json(intervals: Mapping[str, Interval] | None) -> dict[str, Any]:
    if intervals is None:
        return {}
    return {"intervals": {name: one.to_json() for name, one in intervals.items()}}


def envelope(
    schema: str,
    *,
    provenance: Provenance,
    parameters: Mapping[str, Any],
    dataset: Mapping[str, Any] | None,
    notices: Sequence[Notice],
    results: Any,
) -> dict[str, Any]:
    """The one form of every result in JSON: what was asked of which files, and what was found.

    `dataset` has a name and counts; None where a verb reads several data sets, or none.
    """
    return {
        "schema": schema,
        "provenance": provenance.to_json(),
        "parameters": dict(parameters),
        "dataset": dataset,
        "notices": [notice_to_json(notice) for notice in notices],
        "results": results,
    }


def about_dataset(dataset: Dataset) -> dict[str, Any]:
    """Its name and how much there is of everything, for an envelope."""
    return {
        "name": dataset.name,
        "n_images": len(dataset.images),
        "n_objects": len(dataset.gt),
        "n_classes": len(dataset.classes),
    }


def notice_to_json(notice: Notice) -> dict[str, Any]:
    return {"code": notice.code, "count": notice.count, "message": notice.message}


def defined(metrics: Mapping[str, float]) -> dict[str, float | None]:
    """NaN becomes None, which JSON can say."""
    return {name: number(value) for name, value in metrics.items()}


def number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
