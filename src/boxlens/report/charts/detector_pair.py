"""What figures of two detectors share: colours, and how names, differences and p are written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import altair as alt

from boxlens import wording
from boxlens.report.charts import colours
from boxlens.report.charts.theme import FONT_PX, SOFT_INK, inline

if TYPE_CHECKING:
    from collections.abc import Sequence


FIRST: Final = colours.FIRST
SECOND: Final = colours.SECOND
UNDECIDED: Final = colours.UNDECIDED
short = wording.short


def short_labels(names: Sequence[str], most: int) -> str:
    """An axis' expression: rows keep their full names, since cut ones may be equal."""
    return f"{json.dumps({name: short(name, most) for name in names})}[datum.value]"


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
