"""What a study of repeatability found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.display import Displayed
from boxlens.metrics.results import notice_to_json, number

if TYPE_CHECKING:
    from boxlens.data import Notice
    from boxlens.data.columns import Floats
    from boxlens.metrics.results import Provenance
    from boxlens.proposals.repeatability.choice import RepeatabilityChoice

SCHEMA = "boxlens/proposals-repeatability/1"


@dataclass(frozen=True, slots=True)
class LevelRepeatability:
    """One perturbation: how well its proposals meet those of the reference."""

    level: float
    # As it is written at an axis: "-20 deg", "50 %", "lossless".
    label: str
    # Mean over the bins that have boxes.
    repeatability: float
    # By size of the reference box, in ten bins: mean matched IoU, NaN where there is none.
    bins: Floats
    n_boxes: tuple[int, ...]
    # Reference boxes whose centre leaves the perturbed picture: not counted.
    n_outside: int

    def to_json(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "label": self.label,
            "repeatability": number(self.repeatability),
            "bins": [number(value) for value in self.bins.tolist()],
            "n_boxes": list(self.n_boxes),
            "n_outside": self.n_outside,
        }


@dataclass(frozen=True, slots=True)
class FamilyRepeatability:
    """One kind of perturbation, level by level, ascending."""

    # "scale", "jpeg", "rotation", "brightness", "blur", "salt_pepper".
    family: str
    levels: tuple[LevelRepeatability, ...]
    # Mean over the levels that change something.
    mean: float

    def to_json(self) -> dict[str, Any]:
        return {
            "family": self.family,
            "mean": number(self.mean),
            "levels": [one.to_json() for one in self.levels],
        }


@dataclass(frozen=True, slots=True)
class MethodRepeatability:
    name: str
    made_by: str
    baseline: bool
    families: tuple[FamilyRepeatability, ...]
    n_images: int

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "made_by": self.made_by,
            "baseline": self.baseline,
            "n_images": self.n_images,
            "families": [one.to_json() for one in self.families],
        }


@dataclass(frozen=True, slots=True, repr=False)
class RepeatabilityResult(Displayed):
    """How stable the proposals of each method are."""

    choice: RepeatabilityChoice
    methods: tuple[MethodRepeatability, ...]
    # Pictures that could not be searched, with the reason.
    failed: tuple[tuple[str, str], ...]
    provenance: Provenance
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        return f"RepeatabilityResult({len(self.methods)} methods)"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens proposals repeatability --json -` prints."""
        return {
            "schema": SCHEMA,
            "provenance": self.provenance.to_json(),
            "parameters": self.choice.to_json(),
            "notices": [notice_to_json(notice) for notice in self.notices],
            "results": {
                "methods": [one.to_json() for one in self.methods],
                "failed": [{"file": file, "reason": reason} for file, reason in self.failed],
            },
        }
