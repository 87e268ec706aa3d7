"""What is asked about the upper bound."""

from __future__ import annotations

from dataclasses import dataclass, field

from boxlens.errors import ParameterError
from boxlens.limits import FOLDS, GALLERY, SEED, SHIFTS
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.json_form import HIDDEN, JsonRecord

# METHODS 4.4.
CONTEXT_SCALES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


@dataclass(frozen=True, slots=True)
class UpperBoundChoice(JsonRecord):
    """Settings that numbers depend on."""

    # Strategy 2: boxes of this IoU around each object vote on its label; None: no such boxes.
    sampled_iou: float | None = 0.5
    # Shifts of each of the four families of sampled boxes.
    n_shifts: int = 1
    # The context study's scales of the box; empty: no such study.
    context_scales: tuple[float, ...] = ()
    # Parts of the images, where the classifier learns from the test set's own.
    n_folds: int = 5
    # The most confident wrong labels to be shown.
    n_mistakes: int = field(default=24, metadata=HIDDEN)
    seed: int = 0
    # How sure the numbers are, by resampling images; None: not asked for.
    intervals: ResamplingChoice | None = None

    def __post_init__(self) -> None:
        if self.sampled_iou is not None and not 0 < self.sampled_iou < 1:
            raise ParameterError(
                f"sampled_iou must be between 0 and 1, got {self.sampled_iou:g} (--sampled-iou)"
            )
        SHIFTS.check(self.n_shifts, "shifts (--shifts)")
        GALLERY.check(self.n_mistakes, "n_mistakes")
        FOLDS.check(self.n_folds, "folds (--folds)")
        if any(not 0 < scale <= 20 for scale in self.context_scales):
            raise ParameterError("scales of the box must be above 0, at most 20 (--scale, context)")
        SEED.check(self.seed, "seed (--seed)")
