"""Kinds of errors in words, and one colour for each, in every figure and on every page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from boxlens.report.charts import colours


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of error in words, its colour, and the ink that is legible on it."""

    label: str
    colour: str
    ink: str = colours.WHITE


# Related kinds are related colours: places are blue, classes are warm.
KINDS: Final[Mapping[str, Kind]] = {
    "correct": Kind("correct", colours.GREEN),
    "loc": Kind("poorly placed", colours.BLUE),
    "dupe": Kind("duplicate", colours.SKY, colours.INK),
    "sim": Kind("similar class", colours.ORANGE, colours.INK),
    "oth": Kind("other class", colours.YELLOW, colours.INK),
    "cls": Kind("wrong class", colours.VERMILION),
    "both": Kind("class and location", colours.PINK, colours.INK),
    "bg": Kind("background", colours.GREY, colours.INK),
    "miss": Kind("missed", colours.BLACK),
    "ignored": Kind("not counted", "#e3e3e3", colours.INK),
}
# Other names that schemes give to the same kinds.
SAME_KIND: Final[Mapping[str, str]] = {
    "right": "correct",
    "localization": "loc",
    "duplicate": "dupe",
    "bkg": "bg",
    "background": "bg",
    "missed": "miss",
    "fn": "miss",
    "outside": "ignored",
}
# Kinds that a scheme calls alike but means differently: what Borji deletes in the end are
# duplicates, and boxes that were moved without effect.
OTHER_WORDS: Final[Mapping[str, str]] = {"duplicate": "leftovers"}
# The schemes and the ranges of sizes, in words.
SCHEME_NAMES: Final[Mapping[str, str]] = {
    "hoiem": "Hoiem",
    "tide": "TIDE",
    "coco_analyze": "COCO analyze",
    "borji": "Borji",
}
SIZES: Final[Mapping[str, str]] = {"s": "small", "m": "medium", "l": "large"}


def kind_of(name: str) -> Kind:
    """By any scheme's name."""
    kind = KINDS[SAME_KIND.get(name, name)]
    return replace(kind, label=OTHER_WORDS.get(name, kind.label))
