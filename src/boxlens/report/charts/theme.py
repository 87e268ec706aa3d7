"""One look for all figures: type, sizes, number forms."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, TypeVar

from boxlens.report.charts import colours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import altair as alt

# vl-convert brings Liberation Sans; Arial and Helvetica have the same widths in a browser.
FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
FONT_PX: Final = 10
# A quarter of a page is about 8.5 cm, 320 px, wide.
WIDTH: Final = 340
LINE_CHARACTERS: Final = 71

# Figures in the words of `forms` take them from `colours`.
DARK_BLUE: Final = colours.DARK_BLUE
INK: Final = colours.INK
LINE: Final = colours.LINE
NEUTRAL: Final = colours.NEUTRAL
PALE: Final = colours.PALE
PALE_BLUE: Final = colours.PALE_BLUE
SOFT_INK: Final = colours.SOFT_INK

DECIMAL_AXIS: Final = "format(datum.value, '~g')"

AnyChannel = TypeVar("AnyChannel")
# An Altair chart, or one in Vega-Lite's own words.
AnyChart = TypeVar("AnyChart")


def inline(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Records inside the figure's own JSON, so that it needs no file."""
    import altair as alt

    # Altair copies lists anew for every layer and panel that a figure is put together from.
    return alt.InlineData(values=tuple(dict(row) for row in rows))


def fixed(channel: Callable[..., AnyChannel], value: Any) -> AnyChannel:
    """What is the same for all rows; of a plain `alt.value` Altair would have to find the channel.

    That takes longer than all the rest of an encoding.
    """
    return channel(value)


def themed(chart: AnyChart, *, title: str, about: str = "", reading: str = "") -> AnyChart:
    """The whole figure: what is seen, of which detector and data, how to read it."""
    lines = [*wrap(about, LINE_CHARACTERS), *wrap(reading, LINE_CHARACTERS)]
    heading = {"text": wrap(title, LINE_CHARACTERS - 12), "subtitle": lines}
    # A page writes them itself, in lines of its own width.
    texts = {"about": about, "reading": reading}
    if isinstance(chart, dict):
        whole: Any = {"title": heading, "usermeta": texts, "config": _config(), **chart}
    else:
        drawn: Any = chart
        whole = drawn.properties(title=heading, usermeta=texts).configure(**_config())
    figure: AnyChart = whole
    return figure


def _config() -> dict[str, Any]:
    words = {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": FONT_PX,
        "titleFontSize": FONT_PX,
        "titleFontWeight": "normal",
    }
    return {
        "background": colours.WHITE,
        "font": FONT,
        "padding": 6,
        "axis": {
            **words,
            "labelLimit": 120,
            "domainColor": LINE,
            "domainWidth": 0.5,
            "tickColor": LINE,
            "tickWidth": 0.5,
            "tickSize": 3,
            "gridColor": colours.GRID,
            "gridWidth": 0.5,
            "titlePadding": 5,
            "labelPadding": 3,
        },
        "legend": {
            **words,
            "symbolType": "square",
            "symbolSize": 70,
            "symbolStrokeWidth": 0,
            "rowPadding": 1,
            "columnPadding": 8,
            "labelLimit": 200,
            "padding": 0,
            "offset": 6,
        },
        "header": {**words, "labelPadding": 2},
        "mark": {"color": NEUTRAL},
        "point": {"opacity": 1},
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
