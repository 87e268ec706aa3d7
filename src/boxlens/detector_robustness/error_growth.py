"""Which errors a detector makes on a set of pictures, and which of them a change makes more of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.diagnosis.evidence import gather
from boxlens.diagnosis.tide import GAINS, tide
from boxlens.diagnosis.tide_types import ERRORS, TideType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.data import Dataset, Detections
    from boxlens.detector_robustness.result import StepRobustness

IOU = 0.5
# What a repair must bring more than in the reference for its error to be named.
LEAST_GAIN_GROWTH = 0.01


@dataclass(frozen=True, slots=True)
class ErrorProfile:
    """TIDE's kinds: what repairing each would bring, and how many there are for each object."""

    # NaN where no object counts.
    gain: Mapping[str, float]
    per_object: Mapping[str, float]


def error_profile(dataset: Dataset, detections: Detections, *, threads: int = 0) -> ErrorProfile:
    """METHODS 9.2, without every order of repairs."""
    evidence = gather(dataset, detections, foreground_iou=IOU, threads=threads)
    found = tide(evidence, orders=False, threads=threads)
    n_objects = int(np.count_nonzero(found.types.positive))
    per_object = {name: found.n[name] / n_objects if n_objects else math.nan for name in GAINS}
    return ErrorProfile(found.gain, per_object)


@dataclass(frozen=True, slots=True)
class GrownError:
    """A kind of error of which there is more than in the reference."""

    kind: str
    per_object_before: float
    per_object: float

    @property
    def growth(self) -> float:
        return self.per_object - self.per_object_before


def most_grown_error(reference: StepRobustness, changed: StepRobustness) -> GrownError | None:
    """By how many more there are for each object, among the kinds that matter."""
    grown = [
        GrownError(name, reference.errors_per_object[name], changed.errors_per_object[name])
        for name in (kind.label for kind in ERRORS)
        if changed.errors_per_object[name] > reference.errors_per_object[name]
        and _matters(name, changed.error_gain[name] - reference.error_gain[name])
    ]
    return max(grown, key=lambda one: one.growth, default=None)


def _matters(kind: str, gain_growth: float) -> bool:
    """Boxes of the lowest scores are many and cost nothing: their repair brings hardly more.

    That of misses takes objects away, whole classes at times, and says little of what they cost.
    """
    return kind == TideType.MISS.label or gain_growth >= LEAST_GAIN_GROWTH
