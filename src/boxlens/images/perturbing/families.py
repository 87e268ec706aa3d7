"""The six kinds of perturbations and their published levels (METHODS 6.6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from boxlens.errors import ParameterError

# The level of JPEG "quality" at which nothing is compressed.
LOSSLESS = 101.0
# Rotated pictures are cropped to what is left of them at this angle.
LARGEST_ANGLE_DEG = 20.0


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of perturbation, graded."""

    name: str
    title: str
    axis_title: str
    # All published ones, ascending.
    levels: tuple[float, ...]
    # Those that leave the picture as it is.
    unchanged: tuple[float, ...]
    # Which levels can be asked for, in words and as a test.
    legal: str
    is_legal: Callable[[float], bool]
    # A level as it is written at an axis.
    label: Callable[[float], str]
    # Those that the published figure leaves out.
    unplotted: tuple[float, ...] = ()
    # A figure may show levels by their logarithm to this base.
    log_base: int | None = None

    @property
    def plotted(self) -> tuple[float, ...]:
        return tuple(level for level in self.levels if level not in self.unplotted)

    def changes(self, level: float) -> bool:
        return level not in self.unchanged

    def position(self, level: float) -> float:
        """Where a level stands on the axis of a figure; none stands one step before one."""
        if self.log_base is None:
            return level
        return math.log(level, self.log_base) if level > 0 else -1.0

    def check(self, level: float) -> None:
        if not (math.isfinite(level) and self.is_legal(level)):
            raise ParameterError(f"levels of {self.name} must be {self.legal}, got {level:g}")


_SCALES = tuple(
    sorted([2 ** (step / 5) for step in range(-5, 6)] + [0.9, 0.95, 0.99, 1.01, 1.05, 1.1])
)

_ALL = (
    Family(
        name="scale",
        title="Scale",
        axis_title="scale, log2",
        levels=_SCALES,
        unchanged=(1.0,),
        legal="factors from 0.05 to 8",
        is_legal=lambda level: 0.05 <= level <= 8,
        label=lambda level: f"{level:.2f} x",
        log_base=2,
    ),
    Family(
        name="jpeg",
        title="JPEG compression",
        axis_title="quality",
        levels=(5.0, 10.0, 20.0, 50.0, 80.0, 99.0, 100.0, LOSSLESS),
        unchanged=(LOSSLESS,),
        legal=f"whole qualities from 1 to 100, and {LOSSLESS:g} for lossless",
        is_legal=lambda level: 1 <= level <= LOSSLESS and level == int(level),
        label=lambda level: "lossless" if level == LOSSLESS else f"{level:g}",
    ),
    Family(
        name="rotation",
        title="Rotation",
        axis_title="degrees counter-clockwise",
        levels=(-20.0, -15.0, -10.0, -5.0, -1.0, -0.5, 0.0, 0.5, 1.0, 5.0, 10.0, 15.0, 20.0),
        unchanged=(0.0,),
        legal=f"degrees from {-LARGEST_ANGLE_DEG:g} to {LARGEST_ANGLE_DEG:g}",
        is_legal=lambda level: abs(level) <= LARGEST_ANGLE_DEG,
        label=lambda level: f"{level:g} deg",
    ),
    Family(
        name="brightness",
        title="Brightness",
        axis_title="brightness",
        levels=(0.5, 0.7, 0.9, 0.99, 1.0, 1.01, 1.1, 1.3, 1.5),
        unchanged=(1.0,),
        legal="factors from 0 to 10",
        is_legal=lambda level: 0 <= level <= 10,
        label=lambda level: f"{100 * level:g}%",
    ),
    Family(
        name="blur",
        title="Blur",
        axis_title="sigma in pixels",
        levels=(0.0, 0.2, 0.3, 0.6, 1.0, 2.0, 3.0, 4.0, 8.0),
        unchanged=(0.0,),
        # Below, the kernel would have fewer than three pixels: no blur at all.
        legal="sigmas of 0, or above 0.1 up to 50 pixels",
        is_legal=lambda level: level == 0 or 0.1 < level <= 50,
        label=lambda level: f"{level:g} px",
        unplotted=(0.2, 0.3, 0.6),
    ),
    Family(
        name="salt_pepper",
        title="Salt and pepper",
        axis_title="changed pixels, log10",
        levels=(0.0, 1.0, 10.0, 100.0, 1000.0),
        unchanged=(0.0,),
        legal="whole numbers of pixels, 0 or more",
        is_legal=lambda level: level >= 0 and level == int(level),
        label=lambda level: f"{level:,.0f} px",
        log_base=10,
    ),
)
FAMILIES: Mapping[str, Family] = MappingProxyType({family.name: family for family in _ALL})
FAMILY_NAMES = tuple(FAMILIES)
