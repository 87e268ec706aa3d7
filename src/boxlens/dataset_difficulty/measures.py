"""The measures of difficulty: their names, and which end is hard (METHODS 3.4-3.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

# From here on a box counts as being on an object; published numbers are those of .5.
OVERLAP: Final = 0.5

MeasureName = Literal["instances_per_image", "neighbours", "scale", "cpl", "clutter"]
MEASURE_NAMES: tuple[MeasureName, ...] = get_args(MeasureName)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that every class of a data set has."""

    name: MeasureName
    title: str
    # Which classes are hard: those with small or with large values.
    harder: Literal["low", "high"]


MEASURES: dict[str, Measure] = {
    one.name: one
    for one in (
        Measure("instances_per_image", "instances per image", "high"),
        Measure("neighbours", "neighbours per instance", "high"),
        Measure("scale", "object scale (share of the image)", "low"),
        Measure("cpl", "chance performance of localization (CPL)", "low"),
        Measure("clutter", "clutter (log2 windows)", "high"),
    )
}
