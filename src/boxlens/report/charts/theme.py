"""One look for all figures: type, sizes, number forms."""

from __future__ import annotations

from typing import Final

from boxlens.report.charts.colours import GRID, INK, LINE, NEUTRAL, SOFT_INK, WHITE

# vl-convert brings Liberation Sans; Arial and Helvetica have the same widths in a browser.
FONT: Final = "Liberation Sans, Arial, Helvetica, sans-serif"
FONT_PX: Final = 10
# A quarter of a page is about 8.5 cm, 320 px, wide.
WIDTH: Final = 340

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
