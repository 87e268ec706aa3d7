"""A change of pictures: how it is called, how it is graded, what it does."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from boxlens.errors import ParameterError
from boxlens.images.pixels import Pixels
from boxlens.images.transforming.shot import Exposure, Shot
from boxlens.limits import SEED

if TYPE_CHECKING:
    from boxlens.images.transforming.layout import Layout

Group = Literal["study", "graded", "noise", "blur", "weather", "digital"]
# Groups whose members have five severities, and 0 for none.
CORRUPTION_GROUPS: tuple[Group, ...] = ("noise", "blur", "weather", "digital")


@dataclass(frozen=True, slots=True)
class TransformSettings:
    """What all transforms of a run share."""

    seed: int = 0
    # What is kept of an object where its surroundings go: its box (METHODS 4.6), or its mask.
    cut: Literal["box", "mask"] = "box"
    # Neighbours that are seen in the picture of another object: left out of its ground truth, as
    # in the study, or ignored, so that finding them is no error.
    ignore_neighbours: bool = False

    def __post_init__(self) -> None:
        SEED.check(self.seed, "seed (--seed)")
        if self.cut not in ("box", "mask"):
            raise ParameterError(f"cut must be box or mask, got {self.cut!r}")

    def to_json(self) -> dict[str, Any]:
        return {"seed": self.seed, "cut": self.cut, "ignore_neighbours": self.ignore_neighbours}


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be done: a level of a transform, with the settings of the run."""

    # NaN for transforms without levels.
    level: float
    settings: TransformSettings


Plan = Callable[["Shot", Change], "tuple[Layout, ...]"]
Draw = Callable[["Exposure", "Layout", Change], "Pixels"]


@dataclass(frozen=True, slots=True)
class Transform:
    """`plan` says which pictures it makes of a shot, `draw` makes one of them."""

    name: str
    title: str
    group: Group
    plan: Plan
    draw: Draw
    # Those that are run unless others are asked for, ascending; none: there is but one.
    levels: tuple[float, ...] = ()
    # Those that leave pictures as they are.
    unchanged: tuple[float, ...] = ()
    # The level that others are fairly compared with; None: the unchanged pictures.
    reference_level: float | None = None
    # Whether any number is a level, and which ones are, in words.
    is_legal: Callable[[float], bool] = lambda _level: False
    legal: str = "none: it has no levels"
    spelled: Callable[[float], str] = lambda level: f"{level:g}"
    needs_scene: bool = False
    # Boxes follow from a supposed shape of objects: at high overlaps AP falls by that alone.
    estimated_boxes: bool = False
    # Makes a picture of its own for every object.
    per_object: bool = False
    # Beyond the fifteen corruptions that the benchmark's mean is over.
    extra: bool = False

    def check(self, level: float) -> None:
        if not self.is_legal(level):
            raise ParameterError(f"levels of {self.name} must be {self.legal}, got {level:g}")


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """One column of a study: a transform at one of its levels (NaN: it has none)."""

    name: str
    level: float

    @property
    def graded(self) -> bool:
        return not math.isnan(self.level)

    @property
    def slug(self) -> str:
        """As files and folders are called."""
        return f"{self.name}-{self.level:g}" if self.graded else self.name
