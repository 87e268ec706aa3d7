"""What a sensitivity analysis found, as plain frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.columns import Bools, Floats, Rows
from boxlens.display import Displayed
from boxlens.metrics.json_form import HIDDEN, JsonRecord, as_key, fields_to_json, to_json
from boxlens.metrics.results import Provenance, about_dataset, envelope
from boxlens.studies.sensitivity.characteristics import Column
from boxlens.studies.sensitivity.choice import SensitivityChoice
from boxlens.version import VERSION
from boxlens.wording import score

SCHEMA = "boxlens/sensitivity/1"


@dataclass(frozen=True, slots=True)
class ClassScore(JsonRecord):
    """All objects of one class: AP by area and normalized AP, with standard errors."""

    name: str = field(metadata=as_key("class"))
    n_objects: int
    n_missed: int
    ap: float = field(metadata=as_key("AP"))
    ap_se: float = field(metadata=as_key("AP_se"))
    ap_n: float = field(metadata=as_key("AP_N"))
    ap_n_se: float = field(metadata=as_key("AP_N_se"))


@dataclass(frozen=True, slots=True)
class Subset(JsonRecord):
    """The objects of one class with one value of a characteristic."""

    name: str
    n_objects: int
    n_missed: int
    ap_n: float = field(metadata=as_key("AP_N"))
    ap_n_se: float = field(metadata=as_key("AP_N_se"))


@dataclass(frozen=True, slots=True)
class ClassSpread:
    """One class under one characteristic; highest and lowest over subsets of enough objects."""

    name: str = field(metadata=as_key("class"))
    ap_n: float = field(metadata=as_key("AP_N"))
    ap_n_se: float = field(metadata=as_key("AP_N_se"))
    subsets: tuple[Subset, ...] = field(metadata=HIDDEN)
    highest: float
    lowest: float
    # Share of the entropy of "missed" that the subset explains.
    entropy_share: float

    def to_json(self) -> dict[str, Any]:
        """Subsets without any object are left out."""
        subsets = [subset.to_json() for subset in self.subsets if subset.n_objects]
        return {**fields_to_json(self), "subsets": subsets}


@dataclass(frozen=True, slots=True)
class Characteristic:
    """A property of objects: its spread in each class and on average over classes (METHODS 2.5)."""

    name: str
    # "bins" (of a number), "values" (of a category) or "flags" (several yes/no columns pooled).
    kind: str
    subset_names: tuple[str, ...]
    classes: tuple[ClassSpread, ...]
    # Means over the classes for which they are defined. AP_N of all objects is averaged over the
    # classes that have a highest and a lowest, so that the three can be compared.
    subset_ap_n: tuple[float, ...]
    # Over all classes.
    subset_n_objects: tuple[int, ...]
    subset_n_missed: tuple[int, ...]
    ap_n: float
    highest: float
    lowest: float
    # How many classes these are means over: those with a subset of so many objects.
    n_classes: int
    min_objects: int
    # What the sensitivity would be if all subsets were equally hard: the best and the worst of
    # several small subsets always differ.
    chance: float
    entropy_share: float
    entropy_chance: float
    # Why the spread is undefined.
    reason: str | None

    @property
    def sensitivity(self) -> float:
        return self.highest - self.lowest

    @property
    def impact(self) -> float:
        return self.highest - self.ap_n

    def to_json(self) -> dict[str, Any]:
        subsets = zip(
            self.subset_names,
            self.subset_ap_n,
            self.subset_n_objects,
            self.subset_n_missed,
            strict=True,
        )
        keys = ("name", "AP_N", "n_objects", "n_missed")
        written: dict[str, Any] = to_json(
            {
                "name": self.name,
                "kind": self.kind,
                "sensitivity": self.sensitivity,
                "impact": self.impact,
                "AP_N": self.ap_n,
                "highest": self.highest,
                "lowest": self.lowest,
                "sensitivity_by_chance": self.chance,
                "entropy_share": self.entropy_share,
                "entropy_share_by_chance": self.entropy_chance,
                "n_classes": self.n_classes,
                "undefined_because": self.reason,
                "subsets": [dict(zip(keys, one, strict=True)) for one in subsets],
                "classes": self.classes,
            }
        )
        return written


@dataclass(frozen=True, slots=True)
class Interaction(JsonRecord):
    """Two characteristics at once: [first, second], means over classes with enough objects."""

    first: str
    second: str
    first_names: tuple[str, ...]
    second_names: tuple[str, ...]
    ap_n: Floats = field(metadata=as_key("AP_N"))
    n_objects: Rows


@dataclass(frozen=True, slots=True)
class LooserOverlap(JsonRecord):
    """How many objects stay undetected when a looser overlap counts as correct."""

    iou: float
    n_missed: int
    # Of those missed at the strict overlap.
    share_recovered: float


@dataclass(frozen=True, slots=True)
class Unexpected(JsonRecord):
    """An object found much worse, or better, than its characteristics predict (METHODS 2.7)."""

    gt_row: int = field(metadata=HIDDEN)
    image_id: int | str
    object_id: int | str
    class_name: str = field(metadata=as_key("class"))
    predicted: float
    achieved: float


@dataclass(frozen=True, slots=True)
class Misses(JsonRecord):
    """Undetected objects: no correct detection where P_N is .05 or more (METHODS 2.6)."""

    p_n: float
    n_objects: int
    n_missed: int
    # By object; False for those that do not count.
    missed: Bools = field(metadata=HIDDEN)
    # P_N of the object's correct detection, 0 where there is none, NaN where it does not count.
    achieved: Floats = field(metadata=HIDDEN)
    predicted: Floats = field(metadata=HIDDEN)
    looser: tuple[LooserOverlap, ...]
    # Only objects worse, or better, than predicted; the largest differences first.
    difficult: tuple[Unexpected, ...]
    easy: tuple[Unexpected, ...]


@dataclass(frozen=True, slots=True, repr=False)
class SensitivityResult(Displayed):
    """One detector: AP_N of every class, characteristics, interactions and missed objects.

    >>> result = sensitivity(gt, dt, by=["area"])
    >>> area = result.characteristics[0]
    >>> dict(zip(area.subset_names, [round(value, 2) for value in area.subset_ap_n]))
    {'XS': 0.03, 'S': 0.25, 'M': 0.36, 'L': 0.35, 'XL': 0.33}
    """

    dataset: Dataset
    """The ground truth."""
    detections: Detections
    """The detections that were looked at."""
    iou: float
    """IoU from which a detection is right."""
    normal: float
    """N of P_N: the number of positives every class is made to have (METHODS 2.1)."""
    ap_n: float
    """Normalized AP (AP_N), a fraction: the mean over classes."""
    characteristics: tuple[Characteristic, ...]
    """One per property of objects: AP_N of each subset, and how far they differ."""
    interactions: tuple[Interaction, ...]
    """AP_N by two properties at once, one per pair asked for."""
    misses: Misses
    """Objects not found, and those found much worse or better than predicted."""
    choice: SensitivityChoice
    """The settings of `sensitivity`, as checked."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or filled in."""
    classes: tuple[ClassScore, ...] = ()
    """One per class: its objects, its AP and AP_N with standard errors."""
    columns: tuple[Column, ...] = ()
    """The subset of every object, one column per characteristic."""

    def __repr__(self) -> str:
        """Short: the whole is in `to_json()`."""
        spreads = [f"{row.name} {score(row.sensitivity)}" for row in self.characteristics[:5]]
        by = f"; sensitivity to {', '.join(spreads)}" if spreads else ""
        return (
            f"SensitivityResult({self.detections.name} on {self.dataset.name}: "
            f"AP_N {score(self.ap_n)}{by})"
        )

    @property
    def provenance(self) -> Provenance:
        """The inputs with their hashes, and the version of Boxlens."""
        return Provenance(VERSION, self.dataset.source, (self.detections.source,))

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens sensitivity --json -` prints; undefined is null."""
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters=self._parameters(),
            dataset=about_dataset(self.dataset),
            notices=self.notices,
            results={
                "detector": self.detections.name,
                "n_detections": len(self.detections),
                **self.parts_to_json(),
            },
        )

    def parts_to_json(self) -> dict[str, Any]:
        """The parts of `to_json()` that a diagnosis repeats."""
        found = {
            "detector": self.detections.name,
            "dataset": self.dataset.name,
            "iou": self.iou,
            "N": self.normal,
            "AP_N": self.ap_n,
            "classes": self.classes,
            "characteristics": self.characteristics,
            "interactions": self.interactions,
        }
        return {"sensitivity": to_json(found), "misses": self.misses.to_json()}

    def _parameters(self) -> dict[str, Any]:
        choice = self.choice
        return {
            "iou": choice.iou,
            "min_objects": choice.min_objects,
            "missed_p_n": choice.missed_p_n,
            "positives_share": choice.positives_share,
            "n_unexpected": choice.n_unexpected,
            "looser": choice.looser_overlaps,
            "characteristics": [row.name for row in self.characteristics],
            "bins": choice.bins,
            "interactions": choice.interactions,
        }
