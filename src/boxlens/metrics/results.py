"""What an evaluation found, as plain frozen values: they know no file, no plot, no terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxlens.data import Dataset, Detections, Notice, Source
from boxlens.display import Displayed
from boxlens.metrics.confidence import ConfidenceResult
from boxlens.metrics.confusion import ConfusionResult
from boxlens.metrics.image_counts import ImageCountsResult
from boxlens.metrics.intervals import Interval
from boxlens.metrics.json_form import IF_GIVEN, JsonRecord, as_key, inline, to_json
from boxlens.metrics.olrp import OlrpResult
from boxlens.wording import score

if TYPE_CHECKING:
    from boxlens.metrics.pr_curves import PrCurvesResult

SCHEMA = "boxlens/evaluate/1"


@dataclass(frozen=True, slots=True)
class ClassResult(JsonRecord):
    """One class: its objects, its detections and its numbers."""

    name: str = field(metadata=as_key("class"))
    n_gt: int
    n_detections: int
    metrics: Mapping[str, float] = field(metadata=inline())
    # By the same names, if asked for.
    intervals: Mapping[str, Interval] | None = field(default=None, metadata=IF_GIVEN)


@dataclass(frozen=True, slots=True)
class Extras(JsonRecord):
    """Further readings of the same matches, present where they were asked for."""

    curves: PrCurvesResult | None = field(default=None, metadata=IF_GIVEN)
    confidence: ConfidenceResult | None = field(default=None, metadata=IF_GIVEN)
    confusion: ConfusionResult | None = field(default=None, metadata=IF_GIVEN)
    olrp: OlrpResult | None = field(default=None, metadata=IF_GIVEN)
    images: ImageCountsResult | None = field(default=None, metadata=IF_GIVEN)


def _tie_band_to_json(band: tuple[float, float] | None) -> dict[str, Any] | None:
    return None if band is None else {"AP": to_json(band)}


@dataclass(frozen=True, slots=True)
class DetectorResult(JsonRecord):
    """One detector: summary numbers, classes, and what was skipped."""

    name: str
    n_detections: int
    metrics: Mapping[str, float]
    # AP with detections of equal score in their worst and best order (METHODS 10).
    tie_band: tuple[float, float] | None = field(
        default=None, metadata=as_key("tie_band", _tie_band_to_json), kw_only=True
    )
    intervals: Mapping[str, Interval] | None = field(default=None, metadata=IF_GIVEN, kw_only=True)
    classes: tuple[ClassResult, ...]
    extras: Extras = field(default_factory=Extras, metadata=inline())
    notices: tuple[Notice, ...] = ()


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
        **({"attributes": _source_to_json(source.attributes)} if source.attributes else {}),
        **({"split": source.split} if source.split else {}),
        **({"classes": list(source.classes)} if source.classes else {}),
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
    """One evaluation of one or more detectors under one protocol.

    >>> result = evaluate(gt, [dt, other_dt])
    >>> [(one.name, round(one.metrics["AP"], 3)) for one in result.detectors]
    [('window', 0.201), ('region', 0.204)]
    """

    protocol: str
    """Whose rules were followed."""
    parameters: Mapping[str, Any]
    """The settings of `evaluate`, as in the JSON."""
    dataset: str
    """The name of the ground truth."""
    n_images: int
    """How many images there are."""
    n_objects: int
    """How many objects there are."""
    detectors: tuple[DetectorResult, ...]
    """One per detector, in the order given."""
    provenance: Provenance
    """The inputs with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or filled in when the ground truth was read."""
    inputs: EvaluationInputs | None = field(default=None, compare=False)
    """The tables; None: they were not kept."""

    @property
    def all_notices(self) -> tuple[Notice, ...]:
        """What was skipped or filled in, of the ground truth and of every detector."""
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
            results={"detectors": self.detectors},
        )


def envelope(
    schema: str,
    *,
    provenance: Provenance,
    parameters: Mapping[str, Any],
    dataset: Mapping[str, Any] | None,
    notices: Sequence[Notice],
    results: Mapping[str, Any],
) -> dict[str, Any]:
    """The one form of every result in JSON: what was asked of which files, and what was found.

    `results` may hold records, arrays and undefined numbers: they are written by `to_json`.
    `dataset` has a name and counts; None where a verb reads several data sets, or none.
    """
    return {
        "schema": schema,
        "provenance": provenance.to_json(),
        "parameters": to_json(parameters),
        "dataset": dataset,
        "notices": to_json(notices),
        "results": to_json(results),
    }


def about_dataset(dataset: Dataset) -> dict[str, Any]:
    """Its name and how much there is of everything, for an envelope."""
    return {
        "name": dataset.name,
        "n_images": len(dataset.images),
        "n_objects": len(dataset.gt),
        "n_classes": len(dataset.classes),
    }
