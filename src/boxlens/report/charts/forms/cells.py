"""Figures of cells: a matrix with numbers in it, and a map of how much lies where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from boxlens.report.charts.colours import DIVERGING, HEAT, INK, LINE, WHITE
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.panels import FRAME, number_columns, panel

FONT_PX: Final = 10


def cell(level: float, text: str | Sequence[str], *, diverging: bool = False, **more: Any) -> Row:
    """A row of `matrix`: how dark, from 0 (or -1) to 1, and what is written, perhaps in lines."""
    too_dark = abs(level) > (0.75 if diverging else 0.6)
    return {"level": level, "text": text, "ink": WHITE if too_dark else INK, **more}


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
    place = {"x": "column", "y": "row"}
    colour = _level([-1, 0, 1], DIVERGING) if diverging else _level([0, 1], HEAT)
    # The first of two lines stands above the middle.
    text = {
        "fontSize": letters_px,
        "lineHeight": letters_px + 1,
        # A browser's letters may be wider than those of files.
        "limit": across.px + 4,
        "dy": {"expr": f"isArray(datum.text) ? {-(letters_px + 1) / 2} : 0"},
    }
    drawn = [
        Mark("rect", place, {"stroke": LINE, "strokeWidth": 0.25}),
        *([Mark("text", {**place, "text": "text"}, text)] if letters_px else []),
        *number_columns(columns or {}, across.length_px),
    ]
    axes = {"x": across.across(), "y": down}
    return _coloured(panel(cells, drawn, axes, (across.length_px, down.length_px), title), colour)


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
    place = {"x": "x", "x2": "x2", "y": "y", "y2": "y2"}
    drawn = (Mark("rect", place, {"strokeWidth": 0}), *marks)
    colour = _level([0, highest or 1.0], HEAT, level)
    colour["legend"] = None if legend is None else dict(legend)
    whole = panel(cells, drawn, {"x": x, "y": y}, (width, height), title, view=FRAME)
    return _coloured(whole, colour)


def _coloured(panel: Spec, colour: Spec) -> Spec:
    """Cells, the first marks, along a scale; those on and beside them have colours of their own."""
    panel["layer"][0]["encoding"]["color"] = colour
    return {**panel, "resolve": {"scale": {"color": "independent"}}}


def _level(domain: Sequence[float], colours: Sequence[str], field: str = "level") -> Spec:
    scale = {"domain": list(domain), "range": list(colours), "interpolate": "lab", "clamp": True}
    return {"field": field, "type": "quantitative", "scale": scale, "legend": None}
