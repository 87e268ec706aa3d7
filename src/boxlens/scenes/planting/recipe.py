"""A recipe for detections: which errors, how many, with what overlaps and scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from boxlens.data.similarity import Similarity
from boxlens.errors import ParameterError
from boxlens.scenes.planting.dependence import Dependence
from boxlens.scenes.planting.kinds import Kind
from boxlens.scenes.planting.laws import Beta, Law, Number, Uniform, check_number, exactly

# What an object gets instead of a correct detection. Objects without anything that could be
# repaired into a hit come first, so that nothing planted later falls on them (METHODS 9.2, Miss).
INSTEAD: Mapping[str, Kind | None] = MappingProxyType(
    {
        "miss": None,
        "both_similar": Kind.BOTH_SIMILAR,
        "both_dissimilar": Kind.BOTH_DISSIMILAR,
        "mislocalise": Kind.LOCALIZATION,
        "confuse_similar": Kind.SIMILAR,
        "confuse_dissimilar": Kind.DISSIMILAR,
    }
)
# What an object gets beside its main detection.
BESIDE: Mapping[str, Kind] = MappingProxyType(
    {
        "duplicate": Kind.DUPLICATE,
        "also_mislocalise": Kind.LOCALIZATION,
        "also_confuse_similar": Kind.SIMILAR,
        "also_confuse_dissimilar": Kind.DISSIMILAR,
    }
)
# The score of a duplicate is this share of the score of the correct detection it repeats.
SCORES: Mapping[str, Law] = MappingProxyType(
    {
        "correct": Beta(6, 2),
        "localization": Beta(3, 3),
        "duplicate": Uniform(0.3, 0.95),
        "similar": Beta(3, 3),
        "dissimilar": Beta(2, 4),
        "both_similar": Beta(2, 4),
        "both_dissimilar": Beta(2, 5),
        "background": Beta(1, 6),
        "ignored": Beta(4, 3),
    }
)
# IoUs nearer than this to a threshold, or to each other, are not planted: another order of the
# same arithmetic must not change a label.
MARGIN = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Floats are rates, integers exact numbers; without any, every object is found correctly."""

    # Instead of a correct detection: the chance of an object, or exactly how many objects.
    miss: float = 0.0
    mislocalise: float = 0.0
    confuse_similar: float = 0.0
    confuse_dissimilar: float = 0.0
    both_similar: float = 0.0
    both_dissimilar: float = 0.0
    # Beside it, each object that has a detection: see `Number`. Duplicates need a correct one.
    duplicate: Number = 0.0
    also_mislocalise: Number = 0.0
    also_confuse_similar: Number = 0.0
    also_confuse_dissimilar: Number = 0.0
    # Each image.
    background: Number = 0.0
    # Difficult, crowd and group-of objects: the chance of a detection, or exactly how many.
    ignored: float = 0.0

    # By kind; what is not given keeps its default.
    ious: Mapping[str, Law] = field(default_factory=dict)
    scores: Mapping[str, Law] = field(default_factory=dict)
    depends: tuple[Dependence, ...] = ()
    similar: Similarity = None
    # Detections overlap no object but their own, of whatever class.
    isolated: bool = False
    # Decimals of the file to be; None keeps scores distinct and IoUs on their law.
    score_decimals: int | None = None
    box_decimals: int | None = None
    foreground_iou: float = 0.5
    background_iou: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.background_iou < self.foreground_iou < 1:
            raise ParameterError(
                "thresholds must ascend between 0 and 1, got background_iou "
                f"{self.background_iou} and foreground_iou {self.foreground_iou}",
            )
        for name in (*INSTEAD, "ignored"):
            _check_rate(name, getattr(self, name))
        for name in (*BESIDE, "background"):
            check_number(name, getattr(self, name))
        rates = [getattr(self, name) for name in INSTEAD]
        total = sum(rate for rate in rates if exactly(rate) is None)
        if total > 1 + MARGIN:
            raise ParameterError(
                f"the probabilities of {', '.join(INSTEAD)} add up to {total}, above 1"
            )
        _check_names("scores", self.scores)
        _check_names("ious", self.ious)
        for name in self.ious:
            self._check_iou(Kind[name.upper()])
        for dependence in self.depends:
            if dependence.rate not in {*INSTEAD, *BESIDE, "ignored"}:
                raise ParameterError(f"unknown rate {dependence.rate!r} of a dependence")

    def band(self, kind: Kind) -> tuple[float, float]:
        """The IoUs with its own object that make a detection of this kind."""
        if kind.badly_placed:
            return self.background_iou, self.foreground_iou
        return self.foreground_iou, 1.0

    def iou_law(self, kind: Kind) -> Law:
        low, high = self.band(kind)
        usual = Uniform(low, high) if kind.badly_placed else Beta(4, 2, low, high)
        return self.ious.get(kind.label, usual)

    def score_law(self, kind: Kind) -> Law:
        return self.scores.get(kind.label, SCORES[kind.label])

    def of_rate(self, name: str) -> tuple[Dependence, ...]:
        return tuple(dependence for dependence in self.depends if dependence.rate == name)

    def _check_iou(self, kind: Kind) -> None:
        low, high = self.band(kind)
        law = self.ious[kind.label]
        if kind is Kind.BACKGROUND:
            raise ParameterError("background detections overlap no object: remove their IoU law")
        above = law.high > low + MARGIN and (high == 1.0 or law.low < high - MARGIN)
        if not (low <= law.low and law.high <= high and above):
            raise ParameterError(
                f"the IoU of {kind.label} must be between {low} and {high}, got {law}"
            )


def _check_rate(name: str, rate: float) -> None:
    fits = 0 <= rate <= 1 if exactly(rate) is None else rate >= 0
    if isinstance(rate, bool) or not fits:
        raise ParameterError(
            f"{name} must be a probability (a float up to 1) or a number of objects (an integer), "
            f"got {rate}"
        )


def _check_names(what: str, laws: Mapping[str, Law]) -> None:
    unknown = [name for name in laws if name not in SCORES]
    if unknown:
        raise ParameterError(
            f"{what}: unknown kind {unknown[0]!r}; choose from {', '.join(SCORES)}"
        )
