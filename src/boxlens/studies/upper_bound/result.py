"""What recognition alone would reach, and how far detectors are from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boxlens.data import Notice
from boxlens.data.columns import Boxes
from boxlens.detectors.run_result import Failure, Remark
from boxlens.display import Displayed
from boxlens.images import ImageFiles
from boxlens.metrics.intervals import Interval
from boxlens.metrics.json_form import IF_GIVEN, JsonRecord, as_key, number
from boxlens.metrics.results import Provenance, envelope
from boxlens.studies.upper_bound.choice import UpperBoundChoice
from boxlens.wording import score

SCHEMA = "boxlens/upper-bound/1"
# How labels are found: METHODS 4.1, and the two of 4.3.
OWN_BOX, MOST_CONFIDENT, MOST_FREQUENT = "own_box", "most_confident", "most_frequent"
BOUND = "UAP (bound)"
STRATEGY_TITLES = {
    OWN_BOX: "The true box",
    MOST_CONFIDENT: "Most confident box around",
    MOST_FREQUENT: "Most frequent label around",
}
# What the context study shows of an object (METHODS 4.4).
CROP_TITLES = {
    "object": "object",
    "object_and_context": "object and context",
    "context": "context alone",
    "image": "whole picture",
    "image_context": "picture without object",
}


def iou_to_json(values: Mapping[float, float]) -> dict[str, float | None]:
    """Thresholds as keys: "0.50", "0.55" ..."""
    return {f"{iou:.2f}": number(value) for iou, value in values.items()}


@dataclass(frozen=True, slots=True)
class ClassBound(JsonRecord):
    """One class; NaN where it has no objects (UAP: none that counts, as difficult ones do not)."""

    name: str = field(metadata=as_key("class"))
    n_objects: int
    # AP of the labelled true boxes, 0 to 1: mean over the IoU thresholds, and at 0.5.
    uap: float
    uap50: float
    # The share of its objects that get its label.
    accuracy: float


@dataclass(frozen=True, slots=True)
class Correlation(JsonRecord):
    """Accuracy of classes against their UAP (METHODS 4.1)."""

    # Pearson's; NaN for fewer than two classes that have both.
    r: float
    r_squared: float
    # Classes that have both.
    n_classes: int


@dataclass(frozen=True, slots=True)
class StrategyBound(JsonRecord):
    """UAP with labels found in one way."""

    # One of OWN_BOX, MOST_CONFIDENT, MOST_FREQUENT.
    strategy: str
    # Mean over the IoU thresholds, 0 to 1.
    uap: float
    # Of the UAP; None: not asked for.
    interval: Interval | None = field(default=None, metadata=IF_GIVEN, kw_only=True)
    # UAP by threshold, ascending.
    by_iou: Mapping[float, float] = field(metadata=as_key("uap_by_iou", iou_to_json))
    # UAP of "small", "medium" and "large" objects.
    by_size: Mapping[str, float] = field(metadata=as_key("uap_by_size"))
    # Share of all objects that get the right label; and its mean over classes.
    accuracy: float
    class_accuracy: float
    correlation: Correlation
    # Objects that got a label.
    n_labelled: int
    # In the order of the ground truth.
    classes: tuple[ClassBound, ...]


@dataclass(frozen=True, slots=True)
class DetectorGap(JsonRecord):
    """One detector beside the bound of the true boxes."""

    name: str
    # COCO's, 0 to 1; by IoU threshold; and by size of objects.
    ap: float = field(metadata=as_key("AP"))
    # AP as a share of the UAP.
    share: float = field(metadata=as_key("share_of_uap"))
    # UAP minus AP on the same resampled images; None: not asked for.
    gap: Interval | None = field(default=None, metadata=IF_GIVEN, kw_only=True)
    by_iou: Mapping[float, float] = field(metadata=as_key("AP_by_iou", iou_to_json))
    by_size: Mapping[str, float] = field(metadata=as_key("AP_by_size"))
    # AP by class, in the order of the classes of the bound.
    by_class: tuple[float, ...] = field(metadata=as_key("AP_by_class"))


@dataclass(frozen=True, slots=True)
class ContextAccuracy(JsonRecord):
    """How often objects get the right label from one kind of crop (METHODS 4.4)."""

    # Scales up to 1 are of kind "object", larger ones "object_and_context", or "context" with the
    # box blanked out; "image" is all of the picture, "image_context" the same without the box.
    kind: str
    # The crop's sides relative to those of the box; NaN for the picture.
    scale: float
    n_objects: int
    # Share of the objects, and its mean over classes.
    accuracy: float
    class_accuracy: float


@dataclass(frozen=True, slots=True)
class Mistake(JsonRecord):
    """An object with a wrong label of which the classifier is sure."""

    # As in the ground truth.
    object_id: int | str
    image_id: int | str
    # Empty where the ground truth has none.
    file_name: str
    # x, y, w, h in pixels, or fractions where the result is `relative`.
    box: Boxes
    true_class: str = field(metadata=as_key("class"))
    # The label it got, and the classifier's score.
    said: str
    score: float


@dataclass(frozen=True, slots=True, repr=False)
class UpperBoundResult(Displayed):
    """How good a detector would be that finds every object and has this classifier's labels.

    >>> few = read_dataset(gt).select_images(range(20))
    >>> result = upper_bound(few, other_dt, images="images", folds=2, sampled_iou=None)
    >>> round(result.bound.uap, 1), round(result.detectors[0].share, 1)
    (0.3, 0.9)
    """

    choice: UpperBoundChoice
    """The settings of `upper_bound`, as checked."""
    dataset: str
    """The name of the ground truth."""
    n_images: int
    """Images with a picture."""
    n_objects: int
    """Objects in them that are no crowds."""
    classifier: str
    """The name of the classifier."""
    learnt_from: str
    """How the classifier came to be, in words: "cross-validated in 5 folds", a file."""
    strategies: tuple[StrategyBound, ...]
    """UAP by how labels are found; from the true boxes first."""
    detectors: tuple[DetectorGap, ...]
    """AP of each detector and its share of the UAP, best first."""
    context: tuple[ContextAccuracy, ...]
    """Accuracy by how much around the box is seen; empty: not asked for."""
    mistakes: tuple[Mistake, ...]
    """Objects that got a wrong label, the most confident first."""
    failed: tuple[Failure, ...]
    """Pictures of which something could not be used, with the reason."""
    provenance: Provenance
    """The inputs with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or filled in."""
    remarks: tuple[Remark, ...] = ()
    """What is odd about pictures that were used."""
    commonest_class: str = ""
    """The class with most objects."""
    commonest_share: float = float("nan")
    """Its share of the objects, a fraction: the accuracy of always answering it."""
    training: Mapping[str, Any] | None = None
    """How the classifier was trained; None where it came ready."""
    cross_validated: bool = False
    """Whether it learnt from the images themselves, part by part."""
    relative: bool = False
    """Whether boxes of mistakes are fractions of their image, not pixels."""
    pictures: ImageFiles | None = field(default=None, compare=False)
    """Where the report finds pictures of the mistakes; None: none were given."""

    @property
    def bound(self) -> StrategyBound:
        """Strategy 1: the true boxes."""
        return self.strategies[0]

    def __repr__(self) -> str:
        found = [(f"UAP of {self.classifier}", self.bound.uap)]
        found += [(f"AP of {one.name}", one.ap) for one in self.detectors[:1]]
        told = ", ".join(f"{name} {score(value)}" for name, value in found)
        return f"UpperBoundResult({self.dataset}: {told})"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens upper-bound --json -` prints."""
        bound = self.bound
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters=self._parameters(),
            dataset={
                "name": self.dataset,
                "n_images": self.n_images,
                "n_objects": self.n_objects,
                "n_classes": len(bound.classes),
            },
            notices=self.notices,
            results={
                "uap": bound.uap,
                "uap_by_iou": iou_to_json(bound.by_iou),
                "uap_by_size": bound.by_size,
                "accuracy": bound.accuracy,
                "class_accuracy": bound.class_accuracy,
                "commonest_class": {
                    "class": self.commonest_class,
                    "share": self.commonest_share,
                },
                "classes": bound.classes,
                "correlation": bound.correlation,
                "strategies": self.strategies,
                "detectors": self.detectors,
                "context": self.context,
                "mistakes": self.mistakes,
                "failed": self.failed,
                "remarks": self.remarks,
            },
        )

    def _parameters(self) -> dict[str, Any]:
        """Without those that have changed nothing."""
        classifier = {"name": self.classifier, "learnt_from": self.learnt_from}
        stated = {"classifier": classifier, **self.choice.to_json()}
        if not self.cross_validated:
            del stated["n_folds"]
        return stated if self.training is None else {**stated, "training": self.training}
