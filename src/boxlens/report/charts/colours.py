"""Every colour of every figure: Okabe and Ito's, told apart with any colour vision, and greys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

GREEN: Final = "#009e73"
PALE_GREEN: Final = "#80cfb9"
BLUE: Final = "#0072b2"
SKY: Final = "#56b4e9"
ORANGE: Final = "#e69f00"
YELLOW: Final = "#f0e442"
VERMILION: Final = "#d55e00"
PINK: Final = "#cc79a7"
GREY: Final = "#999999"
BLACK: Final = "#333333"
WHITE: Final = "#ffffff"

INK: Final = "#222222"
SOFT_INK: Final = "#555555"
LINE: Final = "#8a8a8a"
GRID: Final = "#e6e6e6"
# Bars and dots that stand for nothing in particular, and what lies behind others.
NEUTRAL: Final = "#6f7c85"
PALE: Final = "#d5dbdf"

# The ends of every heat map and ramp; fewer, equal and more.
PALE_BLUE: Final = "#f3f7fb"
DARK_BLUE: Final = "#08519c"
HEAT: Final = (PALE_BLUE, DARK_BLUE)
DIVERGING: Final = (BLUE, WHITE, VERMILION)

# Two detectors that are compared, and neither of them.
FIRST: Final = BLUE
SECOND: Final = VERMILION
UNDECIDED: Final = NEUTRAL
# Detectors, systems and data sets in their order; methods, of which there may be more.
SERIES: Final = (FIRST, SECOND, GREEN, PINK, ORANGE, GREY)
MANY_SERIES: Final = (*SERIES, SKY, BLACK)
# Groups of classes: another order than that of the systems beside them.
GROUPS: Final = (GREEN, ORANGE, PINK, SKY, BLACK, GREY)


def colours_of(names: Sequence[str], palette: Sequence[str] = SERIES) -> dict[str, str]:
    """By name, as many as there are colours."""
    return dict(zip(names, palette, strict=False))


def ramp(n: int) -> list[str]:
    """n colours from pale to dark, for subsets in their order."""
    pale, dark = (0x9E, 0xCA, 0xE1), (0x08, 0x30, 0x6B)
    steps = [place / max(n - 1, 1) for place in range(n)]
    return [
        f"#{bytes(round(a + (b - a) * step) for a, b in zip(pale, dark, strict=True)).hex()}"
        for step in steps
    ]
