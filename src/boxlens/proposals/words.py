"""Numbers and names as sentences, notices and headings write them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Mean numbers below are told to a tenth.
FEW = 10


def fraction(value: float, digits: int = 3) -> str:
    """.123, -.123, 1.000; nothing has no sign."""
    if math.isnan(value):
        return "n/a"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def gain(value: float) -> str:
    """+.123, -.123; .000 where nothing changes."""
    text = fraction(value)
    return f"+{text}" if value > 0 and text != fraction(0.0) else text


def counted(n: int, one: str, many: str = "") -> str:
    """1 image; 1,234 images."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def part_of(n: int, n_all: int, one: str, many: str = "") -> str:
    """1 of 5 images is; 2 of 5 images are."""
    return f"{n:,} of {counted(n_all, one, many)} {'is' if n == 1 else 'are'}"


def mean_count(value: float) -> str:
    """1,234; few of them to a tenth, so that one in every other image is not none."""
    if math.isnan(value):
        return "-"
    shown = round(value, 1) or value
    return f"{shown:.2g}" if shown < FEW else f"{value:,.0f}"


def proposals_an_image(n_mean: float) -> str:
    """1 proposal an image; 0.5 proposals an image."""
    number = mean_count(n_mean)
    return f"{number} {'proposal' if number == '1' else 'proposals'} an image"


def enumerated(names: Sequence[str]) -> str:
    """One, another and a third."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
