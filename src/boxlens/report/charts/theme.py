"""One look for all figures: type, sizes, number forms."""

from __future__ import annotations

import math
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, TypeVar

import altair as alt

from boxlens.report.charts.kinds import DARK_INK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# vl-convert brings Liberation Sans; Arial and Helvetica have the same widths in a browser.
FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
FONT_PX: Final = 10
# A quarter of a page is about 8.5 cm, 320 px, wide.
WIDTH: Final = 340
LINE_CHARACTERS: Final = 71

INK: Final = DARK_INK
SOFT_INK: Final = "#555555"
LINE: Final = "#8a8a8a"
GRID: Final = "#e6e6e6"
# Bars and dots that stand for no kind of error.
NEUTRAL: Final = "#6f7c85"
PALE: Final = "#d5dbdf"


# The ends of every heat map and ramp.
PALE_BLUE: Final = "#f3f7fb"
DARK_BLUE: Final = "#08519c"

# Fractions without the leading zero: .25; whole numbers stay as they are. Axes write a true minus.
DECIMAL_AXIS: Final = "replace(format(datum.value, '~g'), regexp('^([-\\u2212]?)0\\\\.'), '$1.')"

AnyChannel = TypeVar("AnyChannel")
AnyChart = TypeVar(
    "AnyChart",
    alt.Chart,
    alt.LayerChart,
    alt.FacetChart,
    alt.ConcatChart,
    alt.HConcatChart,
    alt.VConcatChart,
)


def decimal(value: float, digits: int = 3) -> str:
    """.123, as papers print it; n/a where undefined."""
    if math.isnan(value):
        return "n/a"
    # Rounded first, and 0 added: what rounds to nothing has no sign.
    text = f"{round(value, digits) + 0.0:.{digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def threshold(value: float) -> str:
    """.5, with as many digits as it has, up to three."""
    return f"{round(value, 3):g}".removeprefix("0") or "0"


def percent(share: float) -> str:
    """61%; only nothing reads 0%, and only everything 100%."""
    if math.isnan(share):
        return "n/a"
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def inline(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Records inside the figure's own JSON, so that it needs no file."""
    # Altair copies lists anew for every layer and panel that a figure is put together from.
    return alt.InlineData(values=tuple(dict(row) for row in rows))


def fixed(channel: Callable[..., AnyChannel], value: Any) -> AnyChannel:
    """What is the same for all rows; of a plain `alt.value` Altair would have to find the channel.

    That takes longer than all the rest of an encoding.
    """
    return channel(value)


def ramp(n: int) -> list[str]:
    """n colours from pale to dark, for subsets in their order."""
    ends = [(0x9E, 0xCA, 0xE1), (0x08, 0x30, 0x6B)]
    steps = [place / max(n - 1, 1) for place in range(n)]
    return [
        "#"
        + "".join(
            f"{round(low + (high - low) * step):02x}" for low, high in zip(*ends, strict=True)
        )
        for step in steps
    ]


def themed(chart: AnyChart, *, title: str, about: str = "", reading: str = "") -> AnyChart:
    """The whole figure: what is seen, of which detector and data, how to read it."""
    lines = [*wrap(about, LINE_CHARACTERS), *wrap(reading, LINE_CHARACTERS)]
    heading = alt.TitleParams(wrap(title, LINE_CHARACTERS - 12), subtitle=lines)
    # A page writes them itself, in lines of its own width.
    texts = {"about": about, "reading": reading}
    figure: AnyChart = chart.properties(title=heading, usermeta=texts).configure(**_config())
    return figure


def _config() -> dict[str, Any]:
    return {
        "background": "#ffffff",
        "font": FONT,
        "padding": 6,
        "axis": {
            "labelColor": INK,
            "titleColor": INK,
            "labelFontSize": FONT_PX,
            "titleFontSize": FONT_PX,
            "titleFontWeight": "normal",
            "labelLimit": 120,
            "domainColor": LINE,
            "domainWidth": 0.5,
            "tickColor": LINE,
            "tickWidth": 0.5,
            "tickSize": 3,
            "gridColor": GRID,
            "gridWidth": 0.5,
            "titlePadding": 5,
            "labelPadding": 3,
        },
        "legend": {
            "labelColor": INK,
            "titleColor": INK,
            "labelFontSize": FONT_PX,
            "titleFontSize": FONT_PX,
            "titleFontWeight": "normal",
            "symbolType": "square",
            "symbolSize": 70,
            "symbolStrokeWidth": 0,
            "rowPadding": 1,
            "columnPadding": 8,
            "labelLimit": 200,
            "padding": 0,
            "offset": 6,
        },
        "header": {
            "labelColor": INK,
            "titleColor": INK,
            "labelFontSize": FONT_PX,
            "titleFontSize": FONT_PX,
            "titleFontWeight": "normal",
            "labelPadding": 2,
        },
        "text": {"fontSize": FONT_PX, "color": INK},
        "title": {
            "anchor": "start",
            "color": INK,
            "fontSize": 12,
            "fontWeight": "bold",
            "subtitleColor": SOFT_INK,
            "subtitleFontSize": FONT_PX,
            "subtitlePadding": 3,
            "subtitleLineHeight": 12,
            "offset": 8,
        },
        "view": {"stroke": None},
        "concat": {"spacing": 16},
        "facet": {"spacing": 8},
        "scale": {"bandPaddingInner": 0.25, "bandPaddingOuter": 0.15},
    }
