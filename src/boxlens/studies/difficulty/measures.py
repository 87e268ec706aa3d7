"""The measures of difficulty: their names, and which end is hard (METHODS 3.4-3.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from boxlens.wording import score

# From here on a box counts as being on an object; published numbers are those of .5.
OVERLAP: Final = 0.5

MeasureName = Literal["instances_per_image", "neighbours", "scale", "cpl", "clutter"]
MEASURE_NAMES: tuple[MeasureName, ...] = get_args(MeasureName)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that every class of a data set has."""

    name: MeasureName
    # In headings and sentences, and in full.
    short: str
    title: str
    # Which classes are hard: those with small or with large values.
    harder: Literal["low", "high"]
    # Values crowd near 0, so that figures spread them by square roots.
    crowded: bool = False


MEASURES: dict[str, Measure] = {
    one.name: one
    for one in (
        Measure("instances_per_image", "instances per image", "instances per image", "high"),
        Measure("neighbours", "neighbours", "neighbours per instance", "high"),
        Measure("scale", "scale", "object scale (fraction of the image)", "low", crowded=True),
        Measure("cpl", "CPL", "chance performance of localization (CPL)", "low", crowded=True),
        Measure("clutter", "clutter", "clutter (log2 windows)", "high"),
    )
}


def measure_text(value: float) -> str:
    """Four digits: scale and CPL of small objects differ in no other."""
    return score(value, 4)


def measure_words(measure: str) -> str:
    """A number from the user's class table keeps its own name."""
    return MEASURES[measure].short if measure in MEASURES else measure
