"""What changes of the pictures do to detectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any

from boxlens.data import Notice
from boxlens.data.columns import Boxes, Floats
from boxlens.detectors.run_result import Failure, Remark
from boxlens.display import Displayed
from boxlens.images.transforming.transform import Group, Step
from boxlens.metrics.intervals import Interval
from boxlens.metrics.json_form import HIDDEN, JsonRecord, as_key, defined, inline, number, to_json
from boxlens.metrics.results import Provenance, envelope
from boxlens.studies.robustness.bound_file import KnownBound
from boxlens.studies.robustness.choice import RobustnessChoice, step_to_json
from boxlens.studies.robustness.picture_set import StepPictures
from boxlens.wording import counted, score

SCHEMA = "boxlens/robustness/1"
METRICS = ("AP", "AP50", "AP75", "APs", "APm", "APl")


@dataclass(frozen=True, slots=True)
class Drop(JsonRecord):
    """AP of the step's reference minus that of the step, on the same resampled pictures."""

    interval: Interval = field(metadata=inline())
    # Two-sided, and adjusted for all steps of the detector (Holm).
    p: float
    p_holm: float
    # The smallest true drop that would be found on four of five such data sets (METHODS 11).
    detectable: float = float("nan")


@dataclass(frozen=True, slots=True)
class Example:
    """A changed picture in which objects were lost that are found in the unchanged one."""

    # Row in the changed set, and the picture it was made of.
    row: int
    image_id: int | str
    file_name: str
    # x, y, w, h in pixels of the changed picture, and where they are found in the unchanged one.
    lost_box: Boxes
    lost_clean_box: Boxes
    lost_class: tuple[str, ...]
    # Objects that are still found.
    found_box: Boxes
    found_class: tuple[str, ...]
    # False positives of at least the shown score, the most confident first.
    false_box: Boxes
    false_class: tuple[str, ...]
    false_score: Floats

    def to_json(self) -> dict[str, Any]:
        return {
            "image_id": self.image_id,
            "file_name": self.file_name,
            "lost": _boxes_to_json(self.lost_box, self.lost_class),
            "found": _boxes_to_json(self.found_box, self.found_class),
            "false": _boxes_to_json(self.false_box, self.false_class),
        }


@dataclass(frozen=True, slots=True)
class StepRobustness:
    """One detector under one step."""

    # The transform and its level, the transform's title, and what kind it is.
    step: Step
    title: str
    group: Group
    # The level as it is written at an axis; "" for transforms without levels.
    label: str
    n_images: int
    n_objects: int
    n_detections: int
    # Of METRICS, 0 to 1; NaN where there are no objects.
    metrics: Mapping[str, float]
    # What it is compared with: the unchanged pictures, but for transforms with a reference level.
    reference: Step
    # By metric: its share of that of the reference.
    relative: Mapping[str, float]
    # TIDE at IoU 0.5, keys are those of diagnosis.tide.GAINS. AP gained by fixing each kind of
    # error, over classes with objects; how much more that is than in the reference, over classes
    # with objects in both; and errors per object.
    error_gain: Mapping[str, float]
    error_growth: Mapping[str, float]
    errors_per_object: Mapping[str, float]
    # AP by class, in the order of the classes of the result.
    by_class: tuple[float, ...]
    # [row, column] on the unit square: detections of at least the shown score over each cell.
    density: Floats
    # Where most objects are lost.
    examples: tuple[Example, ...] = ()
    # None: not asked for.
    drop: Drop | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            **step_to_json(self.step),
            "label": self.label,
            "group": self.group,
            **defined(self.metrics),
            "relative": number(self.relative["AP"]),
            "relative_AP50": number(self.relative["AP50"]),
            "reference": self.reference.slug,
            **({} if self.drop is None else {"drop": self.drop.to_json()}),
            "n_images": self.n_images,
            "n_objects": self.n_objects,
            "n_detections": self.n_detections,
            "errors": {
                "dAP": defined(self.error_gain),
                "dAP_growth": defined(self.error_growth),
                "per_object": defined(self.errors_per_object),
            },
            "AP_by_class": to_json(self.by_class),
            "examples": to_json(self.examples),
        }


@dataclass(frozen=True, slots=True)
class CorruptionMean(JsonRecord):
    """Mean performance under corruption: over severities, then over the corruptions."""

    # "all", or a group of corruptions.
    group: str
    n_corruptions: int
    # Whether these are the benchmark's fifteen at five severities (for "all").
    complete: bool
    # Mean AP (mPC), and its share of that on the unchanged pictures (rPC).
    ap: float = field(metadata=as_key("AP"))
    relative: float


@dataclass(frozen=True, slots=True)
class DetectorRobustness(JsonRecord):
    """One detector: on the unchanged pictures, under every step, and under corruption."""

    name: str
    clean: StepRobustness
    # "all" first; empty where no corruption was run.
    corrupted: tuple[CorruptionMean, ...]
    # In the order of the choice.
    steps: tuple[StepRobustness, ...] = field(metadata=as_key("transforms"))

    def reference_of(self, one: StepRobustness) -> StepRobustness:
        """What a step of this detector is compared with."""
        slug = one.reference.slug
        return next((step for step in self.steps if step.step.slug == slug), self.clean)


@dataclass(frozen=True, slots=True)
class SetSummary(JsonRecord):
    """The changed pictures of one step, whoever looks at them."""

    step: Step = field(metadata=inline(step_to_json))
    n_images: int
    n_objects: int
    # Objects of the data set that are in no picture of the step.
    n_objects_gone: int
    # As the density of detections, of the objects.
    density: Floats = field(metadata=HIDDEN)


@dataclass(frozen=True, slots=True, repr=False)
class RobustnessResult(Displayed):
    """What breaks each detector.

    >>> flip = "vertical_flip"
    >>> result = robustness(gt, "region", images="images", transforms=flip, n_images=2)
    >>> one = result.detectors[0].steps[0]
    >>> one.title, round(one.relative["AP"], 1)
    ('Vertical flip', 0...)
    """

    choice: RobustnessChoice
    """The settings of `robustness`, as checked."""
    dataset: str
    """The name of the ground truth."""
    classes: tuple[str, ...]
    """Names of the classes."""
    sets: tuple[SetSummary, ...]
    """The unchanged pictures first, then the steps of the choice."""
    detectors: tuple[DetectorRobustness, ...]
    """One per detector: AP on the unchanged pictures and under every change."""
    failed: tuple[Failure, ...]
    """Pictures that could not be used, with step, detector and reason."""
    provenance: Provenance
    """The inputs with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or filled in."""
    remarks: tuple[Remark, ...] = ()
    """What is odd about pictures that were used."""
    bound: KnownBound | None = None
    """The upper bound on the unchanged pictures, where it was given."""
    pictures: StepPictures | None = field(default=None, compare=False)
    """To show examples in a report; None: they are listed."""

    @property
    def uap(self) -> float:
        """The upper bound on the unchanged pictures, a fraction; NaN where it was not given."""
        return nan if self.bound is None else self.bound.uap

    @property
    def uap_by_class(self) -> tuple[float, ...] | None:
        """The upper bound of each class; NaN where it has none, None where it was not given."""
        return None if self.bound is None else self.bound.by_class

    def __repr__(self) -> str:
        told = ", ".join(
            f"{one.name} AP {score(one.clean.metrics['AP'])}" for one in self.detectors
        )
        changes = counted(len(self.sets) - 1, "change")
        return f"RobustnessResult({self.dataset}, {changes}: {told} unchanged)"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens robustness --json -` prints."""
        clean = self.sets[0]
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters=self.choice.to_json(),
            dataset={
                "name": self.dataset,
                "n_images": clean.n_images,
                "n_objects": clean.n_objects,
                "n_classes": len(self.classes),
            },
            notices=self.notices,
            results={
                "classes": self.classes,
                "transforms": [
                    {"detector": detector.name, **_short(one)}
                    for detector in self.detectors
                    for one in detector.steps
                ],
                "bound": self.bound,
                "sets": self.sets,
                "detectors": self.detectors,
                "failed": self.failed,
                "remarks": self.remarks,
            },
        )


def _short(one: StepRobustness) -> dict[str, Any]:
    """The row that most readers want."""
    return {
        **step_to_json(one.step),
        **defined(one.metrics),
        "relative": number(one.relative["AP"]),
        "reference": one.reference.slug,
    }


def _boxes_to_json(boxes: Boxes, classes: tuple[str, ...]) -> list[dict[str, Any]]:
    pairs = zip(boxes.tolist(), classes, strict=True)
    return [{"class": name, "box": box} for box, name in pairs]
