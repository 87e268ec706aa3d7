"""Figures of cells: a matrix with numbers in it, and a map of how much lies where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from boxlens.report.charts.colours import DIVERGING, HEAT, INK, LINE, WHITE
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.layers import Mark, Row, Spec, defined, layers
from boxlens.report.charts.forms.marks import heading
from boxlens.report.charts.forms.panels import FRAME, number_columns

FONT_PX: Final = 10
# From here on a cell is too dark for dark letters.
DARK_LEVEL: Final = 0.6
DARK_DIVERGING: Final = 0.75
# Colours of cells are along a scale, those of marks on and beside them are not.
OWN_COLOURS: Final = {"scale": {"color": "independent"}}


def cell(level: float, text: str | Sequence[str], *, diverging: bool = False, **more: Any) -> Row:
    """A row of `matrix`: how dark, from 0 (or -1) to 1, and what is written, perhaps in lines."""
    dark = DARK_DIVERGING if diverging else DARK_LEVEL
    return {"level": level, "text": text, "ink": WHITE if abs(level) > dark else INK, **more}


def matrix(
    cells: Iterable[Mapping[str, Any]],
    across: Names,
    down: Names,
    *,
    letters_px: int = FONT_PX,
    diverging: bool = False,
    columns: Mapping[str, Mapping[str, str]] | None = None,
    title: str = "",
) -> Spec:
    """Cells at their `column` and `row`, coloured by level; 0 pixels: without letters."""
    rows = defined(cells)
    width = across.px
    place = {"x": "column", "y": "row"}
    colour = _level([-1, 0, 1], DIVERGING) if diverging else _level([0, 1], HEAT)
    # The first of two lines stands above the middle.
    text = {
        "fontSize": letters_px,
        "lineHeight": letters_px + 1,
        # A browser's letters may be wider than those of files.
        "limit": width + 4,
        "dy": {"expr": f"isArray(datum.text) ? {-(letters_px + 1) / 2} : 0"},
    }
    drawn = [
        Mark("rect", place, {"stroke": LINE, "strokeWidth": 0.25}),
        *([Mark("text", {**place, "text": "text"}, text)] if letters_px else []),
        *number_columns(columns or {}, across.length_px),
        *(heading(*title.split("\n")) if title else ()),
    ]
    found = list(layers(drawn, rows, {"x": across.across(), "y": down}))
    found[0]["encoding"]["color"] = colour
    return {
        "data": {"values": rows},
        "width": across.length_px,
        "height": down.length_px,
        "layer": found,
        "resolve": OWN_COLOURS,
    }


def density(
    cells: Iterable[Mapping[str, Any]],
    x: Axis,
    y: Axis,
    *marks: Mark,
    level: str,
    highest: float,
    legend: Mapping[str, Any] | None,
    width: float,
    height: float,
    title: str = "",
) -> Spec:
    """Cells from `x` to `x2` and `y` to `y2`, as dark as their `level` is near the highest.

    `legend` has Vega-Lite's words for a gradient; None: there is none.
    """
    rows = defined(cells)
    place = {"x": "x", "x2": "x2", "y": "y", "y2": "y2"}
    titled = heading(*title.split("\n")) if title else ()
    drawn = (Mark("rect", place, {"strokeWidth": 0}), *marks, *titled)
    found = list(layers(drawn, rows, {"x": x, "y": y}))
    colour = _level([0, highest or 1.0], HEAT, level)
    found[0]["encoding"]["color"] = {**colour, "legend": None if legend is None else dict(legend)}
    return {
        "data": {"values": rows},
        "width": width,
        "height": height,
        "view": FRAME,
        "layer": found,
        "resolve": OWN_COLOURS,
    }


def _level(domain: Sequence[float], colours: Sequence[str], field: str = "level") -> Spec:
    scale = {"domain": list(domain), "range": list(colours), "interpolate": "lab", "clamp": True}
    return {"field": field, "type": "quantitative", "scale": scale, "legend": None}
