"""What figures of two detectors share: colours, and how names, differences and p are written."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Final

import altair as alt

from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.theme import FONT_PX, NEUTRAL, SOFT_INK, decimal, inline

if TYPE_CHECKING:
    from collections.abc import Sequence

# The two detectors of a pair, in every figure: blue and vermilion of the same palette.
FIRST: Final = KINDS["loc"].colour
SECOND: Final = KINDS["cls"].colour
UNDECIDED: Final = NEUTRAL
NAME_CHARACTERS: Final = 18


def short(name: str, most: int = NAME_CHARACTERS) -> str:
    """The name of a detector where there is little room."""
    if len(name) <= most:
        return name
    # Versions of a detector differ at the end of their names.
    half = (most - 3) // 2
    return f"{name[: half + 1]}...{name[-half:]}"


def short_labels(names: Sequence[str], most: int) -> str:
    """An axis' expression: rows keep their full names, since cut ones may be equal."""
    return f"{json.dumps({name: short(name, most) for name in names})}[datum.value]"


def signed(value: float) -> str:
    """+.012, as every difference is written; nothing has no sign."""
    text = decimal(value)
    if math.isnan(value) or float(f"{value:.3f}") == 0:
        return text.removeprefix("-")
    return f"+{text}" if value > 0 else text


def p_text(p: float) -> str:
    """.012; what would read .000 is <.001."""
    return "<.001" if p < 0.0005 else decimal(p)


def key(entries: Sequence[tuple[str, str]], *, width: int) -> alt.LayerChart:
    """Colours and what they mean, in one line above a figure of several panels."""
    step = width / max(len(entries), 1)
    rows = [
        {"text": text, "colour": colour, "x": at * step}
        for at, (text, colour) in enumerate(entries)
    ]
    plot = alt.Chart(inline(rows), width=width, height=FONT_PX).encode(
        x=alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, width], nice=False))
    )
    return alt.LayerChart(
        layer=[
            plot.mark_square(size=70, opacity=1, xOffset=4).encode(
                color=alt.Color("colour:N", scale=None)
            ),
            plot.mark_text(align="left", dx=12, color=SOFT_INK).encode(text="text:N"),
        ]
    )
