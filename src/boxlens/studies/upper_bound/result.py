"""What recognition alone would reach, and how far detectors are from it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from boxlens.display import Displayed
from boxlens.metrics.results import defined, envelope, number
from boxlens.wording import score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.data import Notice
    from boxlens.data.columns import Boxes
    from boxlens.detectors.run_result import Failure, Remark
    from boxlens.metrics.intervals import Interval
    from boxlens.metrics.results import Provenance
    from boxlens.studies.upper_bound.choice import UpperBoundChoice

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


@dataclass(frozen=True, slots=True)
class ClassBound:
    """One class; NaN where it has no objects (UAP: none that counts, as difficult ones do not)."""

    name: str
    n_objects: int
    # AP of the labelled true boxes, 0 to 1: mean over the IoU thresholds, and at 0.5.
    uap: float
    uap50: float
    # The share of its objects that get its label.
    accuracy: float

    def to_json(self) -> dict[str, Any]:
        return {
            "class": self.name,
            "n_objects": self.n_objects,
            "uap": number(self.uap),
            "uap50": number(self.uap50),
            "accuracy": number(self.accuracy),
        }


@dataclass(frozen=True, slots=True)
class Correlation:
    """Accuracy of classes against their UAP (METHODS 4.1)."""

    # Pearson's; NaN for fewer than two classes that have both.
    r: float
    r_squared: float
    # Classes that have both.
    n_classes: int

    def to_json(self) -> dict[str, Any]:
        return {
            "r": number(self.r),
            "r_squared": number(self.r_squared),
            "n_classes": self.n_classes,
        }


@dataclass(frozen=True, slots=True)
class StrategyBound:
    """UAP with labels found in one way."""

    # One of OWN_BOX, MOST_CONFIDENT, MOST_FREQUENT.
    strategy: str
    # Mean over the IoU thresholds, 0 to 1.
    uap: float
    # UAP by threshold, ascending.
    by_iou: Mapping[float, float]
    # UAP of "small", "medium" and "large" objects.
    by_size: Mapping[str, float]
    # Share of all objects that get the right label; and its mean over classes.
    accuracy: float
    class_accuracy: float
    # In the order of the ground truth.
    classes: tuple[ClassBound, ...]
    correlation: Correlation
    # Objects that got a label.
    n_labelled: int
    # Of the UAP; None: not asked for.
    interval: Interval | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "strategy": self.strategy,
            "uap": number(self.uap),
            **({} if self.interval is None else {"interval": self.interval.to_json()}),
            "uap_by_iou": iou_to_json(self.by_iou),
            "uap_by_size": defined(self.by_size),
            "accuracy": number(self.accuracy),
            "class_accuracy": number(self.class_accuracy),
            "correlation": self.correlation.to_json(),
            "n_labelled": self.n_labelled,
            "classes": [one.to_json() for one in self.classes],
        }


@dataclass(frozen=True, slots=True)
class DetectorGap:
    """One detector beside the bound of the true boxes."""

    name: str
    # COCO's, 0 to 1; by IoU threshold; and by size of objects.
    ap: float
    by_iou: Mapping[float, float]
    by_size: Mapping[str, float]
    # AP by class, in the order of the classes of the bound.
    by_class: tuple[float, ...]
    # AP as a share of the UAP.
    share: float
    # UAP minus AP on the same resampled images; None: not asked for.
    gap: Interval | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "AP": number(self.ap),
            "share_of_uap": number(self.share),
            **({} if self.gap is None else {"gap": self.gap.to_json()}),
            "AP_by_iou": iou_to_json(self.by_iou),
            "AP_by_size": defined(self.by_size),
            "AP_by_class": [number(value) for value in self.by_class],
        }


@dataclass(frozen=True, slots=True)
class ContextAccuracy:
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

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "scale": number(self.scale),
            "n_objects": self.n_objects,
            "accuracy": number(self.accuracy),
            "class_accuracy": number(self.class_accuracy),
        }


@dataclass(frozen=True, slots=True)
class Mistake:
    """An object with a wrong label of which the classifier is sure."""

    # As in the ground truth.
    object_id: int | str
    image_id: int | str
    # Empty where the ground truth has none.
    file_name: str
    # x, y, w, h in pixels, or fractions where the result is `relative`.
    box: Boxes
    true_class: str
    # The label it got, and the classifier's score.
    said: str
    score: float

    def to_json(self) -> dict[str, Any]:
        return {
            "object_id": self.object_id,
            "image_id": self.image_id,
            "file_name": self.file_name,
            "box": self.box.tolist(),
            "class": self.true_class,
            "said": self.said,
            "score": number(self.score),
        }


@dataclass(frozen=True, slots=True, repr=False)
class UpperBoundResult(Displayed):
    """How good a detector would be that finds every object and has this classifier's labels."""

    # What was asked.
    choice: UpperBoundChoice
    # Its name.
    dataset: str
    # Those that count: images with a picture, objects that are no crowds.
    n_images: int
    n_objects: int
    # Its name.
    classifier: str
    # How the classifier came to be, in words: "cross-validated in 5 folds", a file.
    learnt_from: str
    # The true boxes first.
    strategies: tuple[StrategyBound, ...]
    # Best first.
    detectors: tuple[DetectorGap, ...]
    # Empty where it was not asked for.
    context: tuple[ContextAccuracy, ...]
    # The most confident first.
    mistakes: tuple[Mistake, ...]
    # Pictures of which something could not be used, with the reason.
    failed: tuple[Failure, ...]
    provenance: Provenance
    notices: tuple[Notice, ...] = ()
    # What is odd about pictures that were used.
    remarks: tuple[Remark, ...] = ()
    # The class with most objects, and its share of them: the accuracy of always answering it.
    commonest_class: str = ""
    commonest_share: float = float("nan")
    # How the classifier was trained; None where it came ready.
    training: Mapping[str, Any] | None = None
    # Whether it learnt from the images themselves, part by part.
    cross_validated: bool = False
    # Whether boxes of mistakes are fractions of their image, not pixels.
    relative: bool = False

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
                "uap": number(bound.uap),
                "uap_by_iou": iou_to_json(bound.by_iou),
                "uap_by_size": defined(bound.by_size),
                "accuracy": number(bound.accuracy),
                "class_accuracy": number(bound.class_accuracy),
                "commonest_class": {
                    "class": self.commonest_class,
                    "share": number(self.commonest_share),
                },
                "classes": [one.to_json() for one in bound.classes],
                "correlation": bound.correlation.to_json(),
                "strategies": [one.to_json() for one in self.strategies],
                "detectors": [one.to_json() for one in self.detectors],
                "context": [one.to_json() for one in self.context],
                "mistakes": [one.to_json() for one in self.mistakes],
                "failed": [asdict(one) for one in self.failed],
                "remarks": [asdict(one) for one in self.remarks],
            },
        )

    def _parameters(self) -> dict[str, Any]:
        """Without those that have changed nothing."""
        classifier = {"name": self.classifier, "learnt_from": self.learnt_from}
        stated = {"classifier": classifier, **self.choice.to_json()}
        if not self.cross_validated:
            del stated["n_folds"]
        return stated if self.training is None else {**stated, "training": dict(self.training)}


def iou_to_json(values: Mapping[float, float]) -> dict[str, float | None]:
    """Thresholds as keys: "0.50", "0.55" ..."""
    return {f"{iou:.2f}": number(value) for iou, value in values.items()}
