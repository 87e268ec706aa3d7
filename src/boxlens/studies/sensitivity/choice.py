"""What a sensitivity analysis looks at, checked when it is made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from boxlens.errors import ParameterError
from boxlens.metrics.hits import POSITIVES_SHARE

# Overlaps at which missed objects are looked for once more.
LOOSER = (0.1, 0.2, 0.3, 0.4)


@dataclass(frozen=True, slots=True)
class SensitivityChoice:
    """Hoiem's values by default (METHODS 2)."""

    # None: all that the data has and that tell something.
    characteristics: tuple[str, ...] | None = None
    # Own ascending thresholds of a number, where a value on one goes down; or the order of words.
    bins: Mapping[str, tuple[float | str, ...]] = field(default_factory=dict)
    interactions: tuple[tuple[str, str], ...] = ()
    iou: float = 0.5
    # None: those of LOOSER that are looser than `iou`.
    looser: tuple[float, ...] | None = None
    min_objects: int = 5
    missed_p_n: float = 0.05
    # N of P_N by image (METHODS 2.1).
    positives_share: float = POSITIVES_SHARE
    n_unexpected: int = 15

    def __post_init__(self) -> None:
        for name, thresholds in self.bins.items():
            words = [one for one in thresholds if isinstance(one, str)]
            numbers = [one for one in thresholds if not isinstance(one, str)]
            ascend = all(map(math.isfinite, numbers)) and numbers == sorted(set(numbers))
            if words and len(set(map(str, thresholds))) < len(thresholds):
                raise ParameterError(f"the order of {name!r} names a value twice")
            if not thresholds or not (words or ascend):
                raise ParameterError(
                    f"bins of {name!r} need ascending thresholds, got {list(thresholds)}"
                )
        for first, second in self.interactions:
            if first == second:
                raise ParameterError(
                    f"an interaction needs two characteristics, got {first!r} twice"
                )
        if not 0 < self.iou <= 1:
            raise ParameterError(f"an IoU must be above 0 and at most 1, got {self.iou:g}")
        wrong = [iou for iou in self.looser or () if not 0 < iou < self.iou]
        if wrong:
            raise ParameterError(
                f"a looser overlap must be above 0 and below {self.iou:g}, got {wrong[0]:g}"
            )
        if not 0 < self.missed_p_n <= 1:
            raise ParameterError(
                f"P_N of detected objects must be above 0 and at most 1, got {self.missed_p_n:g}"
            )
        if not 0 < self.positives_share < math.inf:
            raise ParameterError(f"positives_share must be above 0, got {self.positives_share:g}")
        for what, number, least in (
            ("objects of a subset", self.min_objects, 1),
            ("unexpected objects", self.n_unexpected, 0),
        ):
            if number < least:
                raise ParameterError(f"the number of {what} is at least {least}, got {number}")

    @property
    def iou_thresholds(self) -> tuple[float, ...]:
        """What the matches must hold, ascending."""
        return (*sorted(set(self.looser_overlaps)), self.iou)

    @property
    def looser_overlaps(self) -> tuple[float, ...]:
        """At which missed objects are looked for once more."""
        if self.looser is not None:
            return self.looser
        return tuple(iou for iou in LOOSER if iou < self.iou)
