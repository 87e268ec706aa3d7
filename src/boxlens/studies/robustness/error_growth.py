"""Which errors a detector makes on a set of pictures, and which of them a change makes more of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boxlens.data import Dataset, Detections
from boxlens.data.columns import Bools, Floats
from boxlens.images.transforming.catalogue import TRANSFORMS
from boxlens.images.transforming.transform import CORRUPTION_GROUPS
from boxlens.studies.diagnosis.evidence import gather
from boxlens.studies.diagnosis.tide import GAINS, mean_with_zeros, single_repairs, tide
from boxlens.studies.diagnosis.tide_repairs import Bench
from boxlens.studies.diagnosis.tide_types import ERRORS, TideType, tide_types
from boxlens.studies.robustness.result import DetectorRobustness, StepRobustness
from boxlens.studies.robustness.steps import by_transform, changing, mean_over

IOU = 0.5


@dataclass(frozen=True, slots=True)
class ErrorProfile:
    """TIDE's kinds: the AP gained by fixing each, and how many there are per object.

    Repairs are of all detections, as AP is; errors are counted among those that would be shown to
    someone, since boxes of the lowest scores are many and cost nothing.
    """

    # [class, repair]: AP as it is, then after each repair of GAINS.
    repaired_ap: Floats
    # Classes with objects: means are over these alone, so that they start from COCO's AP50.
    present: Bools
    per_object: Mapping[str, float]

    @property
    def gain(self) -> dict[str, float]:
        """NaN where no object counts."""
        return self.gain_over(self.present)

    def growth_from(self, reference: ErrorProfile) -> dict[str, float]:
        """How much more repairs bring than in the reference, over the classes that both have."""
        shared = self.present & reference.present
        before, after = reference.gain_over(shared), self.gain_over(shared)
        return {name: after[name] - before[name] for name in GAINS}

    def gain_over(self, classes: Bools) -> dict[str, float]:
        """Not below 0 (METHODS 9.2)."""
        ap = mean_with_zeros(self.repaired_ap, classes)
        return dict(zip(GAINS, np.maximum(ap[1:] - ap[0], 0).tolist(), strict=True))


def error_profile(
    dataset: Dataset, detections: Detections, shown_score: float = -math.inf, *, threads: int = 0
) -> ErrorProfile:
    """METHODS 9.2, without every order of repairs, and without classes that have no object."""
    evidence = gather(dataset, detections, foreground_iou=IOU, threads=threads)
    bench = Bench.of(evidence, tide_types(evidence, threads=threads))
    repaired_ap = bench.ap(single_repairs(), threads=threads)
    # Without objects a class counts 0, also after a repair.
    repaired_ap[bench.positives(single_repairs()) == 0] = np.nan
    shown = gather(
        dataset,
        detections.where(detections.score >= shown_score),
        foreground_iou=IOU,
        threads=threads,
    )
    found = tide(shown, orders=False, threads=threads)
    n_objects = np.array([one.n_objects for one in found.classes], dtype=np.int64)
    n_all = int(n_objects.sum())
    return ErrorProfile(
        repaired_ap,
        n_objects > 0,
        {name: found.n[name] / n_all if n_all else math.nan for name in GAINS},
    )


@dataclass(frozen=True, slots=True)
class GrownError:
    """A kind of error of which there is more than in the reference."""

    kind: str
    per_object_before: float
    per_object: float

    @property
    def growth(self) -> float:
        return self.per_object - self.per_object_before


def is_comparable(changed: StepRobustness, kind: str) -> bool:
    """Whether a number for each object says what a change does.

    Pictures of one object each have more background for each object, whatever is done to them.
    """
    return kind != TideType.BKG.label or not TRANSFORMS[changed.step.name].per_object


def most_grown_error(reference: StepRobustness, changed: StepRobustness) -> GrownError | None:
    """By how many more there are for each object."""
    grown = [
        GrownError(name, reference.errors_per_object[name], changed.errors_per_object[name])
        for name in (kind.label for kind in ERRORS)
        if is_comparable(changed, name)
        and changed.errors_per_object[name] > reference.errors_per_object[name]
    ]
    return max(grown, key=lambda one: one.growth, default=None)


@dataclass(frozen=True, slots=True)
class ErrorGrowth:
    """One kind of error under a transform: mean over its levels, minus that of their reference."""

    name: str
    title: str
    n_levels: int
    kind: str
    gain: float
    per_object: float


def error_growth(detector: DetectorRobustness) -> list[ErrorGrowth]:
    """Transforms in the order of the choice, without levels that change nothing."""
    found = []
    for name, steps in by_transform(detector, "study", "graded", *CORRUPTION_GROUPS).items():
        levels = changing(steps)
        found += [_growth(detector, name, levels, kind.label) for kind in ERRORS if levels]
    return found


def _growth(
    detector: DetectorRobustness, name: str, levels: Sequence[StepRobustness], kind: str
) -> ErrorGrowth:
    reference = detector.reference_of(levels[0])
    after = mean_over(levels, lambda one: one.errors_per_object[kind])
    more = after - reference.errors_per_object[kind]
    return ErrorGrowth(
        name,
        levels[0].title,
        len(levels),
        kind,
        mean_over(levels, lambda one: one.error_growth[kind]),
        more if is_comparable(levels[0], kind) else math.nan,
    )
