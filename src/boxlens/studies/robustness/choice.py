"""What is asked about robustness."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from boxlens.errors import ParameterError
from boxlens.images.transforming.catalogue import CLEAN
from boxlens.images.transforming.transform import Step, TransformSettings
from boxlens.limits import AT_MOST, GALLERY
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.json_form import HIDDEN, JsonRecord, as_key, inline, number


def step_to_json(step: Step) -> dict[str, Any]:
    return {"name": step.name, "severity": number(step.level)}


def _steps_to_json(steps: tuple[Step, ...]) -> list[dict[str, Any]]:
    return [step_to_json(one) for one in steps]


@dataclass(frozen=True, slots=True)
class RobustnessChoice(JsonRecord):
    """Settings that numbers depend on."""

    # In the order in which they are run and shown; each once.
    steps: tuple[Step, ...] = field(metadata=as_key("steps", _steps_to_json))
    settings: TransformSettings = field(default_factory=TransformSettings, metadata=inline())
    # Pictures, evenly spread over the data set; None: all.
    n_images: int | None = None
    # Detections below are in no count of errors, no density map and no picture shown as evidence.
    shown_score: float = 0.3
    # Pictures shown of each step: two stand side by side.
    n_examples: int = field(default=2, metadata=HIDDEN)
    # How sure the drops are, by resampling pictures; None: not asked for.
    intervals: ResamplingChoice | None = None

    def __post_init__(self) -> None:
        if not self.steps:
            raise ParameterError("name at least one transform (--transform, transforms)")
        slugs = [step.slug for step in self.steps]
        if CLEAN.slug in slugs:
            raise ParameterError("the unchanged pictures (clean) are always run: omit them")
        twice = sorted({slug for slug in slugs if slugs.count(slug) > 1})
        if twice:
            raise ParameterError(f"given twice: {', '.join(twice)}")
        if self.n_images is not None:
            AT_MOST.check(self.n_images, "n_images (--n-images)")
        if not math.isfinite(self.shown_score):
            raise ParameterError(
                f"shown_score must be finite, got {self.shown_score} (--shown-score)"
            )
        GALLERY.check(self.n_examples, "n_examples")
