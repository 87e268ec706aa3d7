"""Repeatability of proposals: what was found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from boxlens.data import Notice
from boxlens.data.columns import Floats
from boxlens.display import Displayed
from boxlens.metrics.json_form import JsonRecord
from boxlens.metrics.results import Provenance, envelope
from boxlens.studies.proposals.repeatability.choice import RepeatabilityChoice
from boxlens.wording import score

SCHEMA = "boxlens/proposals-repeatability/1"


@dataclass(frozen=True, slots=True)
class LevelRepeatability(JsonRecord):
    """One level of a change: how well its proposals meet those of the unchanged picture."""

    level: float
    """How strong the change is, in the unit of its kind."""
    label: str
    """As axes and tables write it: "-20 deg", "50%", "lossless"."""
    repeatability: float
    """Mean over the bins of size that have boxes, from 0 to 1."""
    bins: Floats
    """Mean matched IoU by size of the reference box, in ten bins; NaN without boxes."""
    n_boxes: tuple[int, ...]
    """Reference boxes by bin."""
    n_outside: int
    """Reference boxes whose centre leaves the changed picture: not counted."""


@dataclass(frozen=True, slots=True)
class FamilyRepeatability(JsonRecord):
    """One kind of change."""

    family: str
    """"scale", "jpeg", "rotation", "brightness", "blur" or "salt_pepper"."""
    mean: float
    """Mean repeatability over the levels that change something."""
    levels: tuple[LevelRepeatability, ...]
    """Ascending."""


@dataclass(frozen=True, slots=True)
class MethodRepeatability(JsonRecord):
    """One method under every kind of change."""

    name: str
    """Of the method."""
    made_by: str
    """The method with its settings."""
    baseline: bool
    """One of the four baselines."""
    n_images: int
    """Pictures that were searched."""
    families: tuple[FamilyRepeatability, ...]
    """Kinds of change, in the order asked for."""

    @property
    def mean(self) -> float:
        """Mean over the kinds of change that have a number."""
        known = [one.mean for one in self.families if not math.isnan(one.mean)]
        return math.fsum(known) / len(known) if known else math.nan


@dataclass(frozen=True, slots=True, repr=False)
class RepeatabilityResult(Displayed):
    """How stable the proposals of each method are when pictures change.

    >>> result = repeatability("sliding-window", "images", perturb=["blur"], n_images=2)
    >>> [(one.family, round(one.mean, 3)) for one in result.methods[0].families]
    [('blur', 1.0)]
    """

    choice: RepeatabilityChoice
    """What was asked for."""
    methods: tuple[MethodRepeatability, ...]
    """One per method, in the order given; scores are fractions."""
    failed: tuple[tuple[str, str], ...]
    """Pictures that could not be searched, with the reason."""
    provenance: Provenance
    """The version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or is unusual."""

    def __repr__(self) -> str:
        means = ", ".join(f"{one.name} {score(one.mean)}" for one in self.methods)
        return f"RepeatabilityResult({means})"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens proposals repeatability --json -` prints."""
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters=self.choice.to_json(),
            dataset=None,
            notices=self.notices,
            results={
                "methods": self.methods,
                "failed": [{"file": file, "reason": reason} for file, reason in self.failed],
            },
        )
