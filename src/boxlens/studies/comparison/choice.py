"""What a comparison asks for, checked when it is made."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from boxlens.data.known_classes import CLASSES_CHOICES, ClassesChoice
from boxlens.errors import ParameterError
from boxlens.limits import PERMUTATIONS
from boxlens.metrics.evaluation import EvaluationChoice
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.json_form import HIDDEN, JsonRecord, inline
from boxlens.studies.comparison.cases.discriminative import DiscriminativeChoice
from boxlens.studies.comparison.cases.fda import MAPPINGS
from boxlens.studies.comparison.cases.fda import Mapping as FdaMapping
from boxlens.studies.comparison.cases.image_scores import MEASURES, Measure
from boxlens.studies.comparison.shared_images import IMAGES_CHOICES, ImagesChoice

# 1 - .95 is a little more than .05: alpha is rounded to so many digits.
ALPHA_DIGITS = 12
SMALLEST_ALPHA = 10**-ALPHA_DIGITS


@dataclass(frozen=True, slots=True)
class ComparisonChoice(JsonRecord):
    """What is counted, how often images are resampled, and how single images are scored."""

    evaluation: EvaluationChoice = field(default_factory=EvaluationChoice, metadata=HIDDEN)
    resampling: ResamplingChoice = field(default_factory=ResamplingChoice)
    n_permutations: int = 1000
    # The metric detectors are ranked by; None: the protocol's first.
    metric: str | None = None
    # How an image is scored, above which score cut; None: each detector's own of best F1.
    measure: Measure = "fda"
    mapping: FdaMapping = "one_to_one"
    class_agnostic: bool = False
    min_score: float | None = None
    discriminative: DiscriminativeChoice = field(
        default_factory=DiscriminativeChoice,
        metadata=inline(lambda one: {"test": one.test, "largest_t0": one.largest_t0}),
    )
    images: ImagesChoice = "check"
    classes: ClassesChoice = "check"

    def __post_init__(self) -> None:
        PERMUTATIONS.check(self.n_permutations, "permutations (--permutations)")
        # A p-value of n exchanges is 1 / (n + 1) or more.
        least = math.floor(1 / max(self.alpha, SMALLEST_ALPHA))
        if self.n_permutations < least:
            raise ParameterError(
                f"at level {self.resampling.level} a test needs {least:,} exchanges or more, got "
                f"{self.n_permutations:,} (--permutations)"
            )
        for name, value, known in (
            ("measure", self.measure, MEASURES),
            ("mapping", self.mapping, MAPPINGS),
            ("images_used", self.images, IMAGES_CHOICES),
            ("classes_used", self.classes, CLASSES_CHOICES),
        ):
            if value not in known:
                raise ParameterError(f"{name}: choose from {', '.join(known)}, got {value!r}")
        if self.min_score is not None and not math.isfinite(self.min_score):
            raise ParameterError(f"min_score is a finite number, got {self.min_score:g}")
        if self.discriminative.test == "anova":
            raise ParameterError(
                "anova tests all detectors together: choose another test for pairs"
            )

    @property
    def alpha(self) -> float:
        return round(1 - self.resampling.level, ALPHA_DIGITS)
