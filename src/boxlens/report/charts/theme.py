"""One look for all figures: type, sizes, number forms."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from boxlens.report.charts.colours import GRID, INK, LINE, NEUTRAL, SOFT_INK, WHITE
from boxlens.report.charts.forms.layers import Spec

# vl-convert brings Liberation Sans; Arial and Helvetica have the same widths in a browser.
FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
FONT_PX: Final = 10
# A quarter of a page is about 8.5 cm, 320 px, wide.
WIDTH: Final = 340
LINE_CHARACTERS: Final = 71

_WORDS: Final = {
    "labelColor": INK,
    "titleColor": INK,
    "labelFontSize": FONT_PX,
    "titleFontSize": FONT_PX,
    "titleFontWeight": "normal",
}
CONFIG: Final = {
    "background": WHITE,
    "font": FONT,
    "padding": 6,
    "axis": {
        **_WORDS,
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
        **_WORDS,
        "symbolType": "square",
        "symbolSize": 70,
        "symbolStrokeWidth": 0,
        "rowPadding": 1,
        "columnPadding": 8,
        "labelLimit": 200,
        "padding": 0,
        "offset": 6,
    },
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
    "scale": {"bandPaddingInner": 0.25, "bandPaddingOuter": 0.15},
}


def themed(chart: Spec, *, title: str, about: str = "", reading: str = "") -> Spec:
    """The whole figure: what is seen, of which detector and data, how to read it."""
    lines = [*wrap(about, LINE_CHARACTERS), *wrap(reading, LINE_CHARACTERS)]
    heading = {"text": wrap(title, LINE_CHARACTERS - 12), "subtitle": lines}
    # A page writes them itself, in lines of its own width.
    texts = {"about": about, "reading": reading}
    return {"title": heading, "usermeta": texts, "config": CONFIG, **chart}
