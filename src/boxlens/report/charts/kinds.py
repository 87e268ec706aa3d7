"""Kinds of errors in words, and one colour for each, in every figure and on every page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

DARK_INK: Final = "#222222"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of error in words, its colour, and the ink that is legible on it."""

    label: str
    colour: str
    ink: str = "#ffffff"


# Okabe and Ito's palette and a grey, told apart with any colour vision. Related kinds are related
# colours: places are blue, classes are warm. Every figure takes its colours from here.
KINDS: Final[Mapping[str, Kind]] = {
    "correct": Kind("correct", "#009e73"),
    "loc": Kind("badly placed", "#0072b2"),
    "dupe": Kind("duplicate", "#56b4e9", DARK_INK),
    "sim": Kind("similar class", "#e69f00", DARK_INK),
    "oth": Kind("other class", "#f0e442", DARK_INK),
    "cls": Kind("wrong class", "#d55e00"),
    "both": Kind("class and place", "#cc79a7", DARK_INK),
    "bg": Kind("background", "#999999", DARK_INK),
    "miss": Kind("missed", "#333333"),
    "ignored": Kind("not counted", "#e3e3e3", DARK_INK),
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
# duplicates, and boxes that were moved in vain.
OTHER_WORDS: Final[Mapping[str, str]] = {"duplicate": "leftovers"}


def kind_of(name: str) -> Kind:
    """By any scheme's name."""
    kind = KINDS[SAME_KIND.get(name, name)]
    return replace(kind, label=OTHER_WORDS.get(name, kind.label))
