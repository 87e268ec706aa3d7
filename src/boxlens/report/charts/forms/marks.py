"""What is drawn in a panel, by the fields of its rows that hold the values.

Whether values go across or up, and where each row stands, is the panel's business (`panels`): marks
have channels for the value, where it ends, and the place along the other direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from boxlens.report.charts.colours import LINE, SOFT_INK, WHITE
from boxlens.report.charts.forms.layers import Mark, Palette, Shown

Own = Sequence[Mapping[str, Any]] | None

VALUE, END, ALONG, ALONG_END, WITHIN = "value", "end", "along", "along_end", "within"
# The panel knows the field.
ITS_PLACE: Final = ""
# White around letters, where lines go through them.
HALO: Final[Mapping[str, Any]] = {"stroke": WHITE, "strokeWidth": 2, "strokeJoin": "round"}
SMALL_PX: Final = 9


def dots(value: str = "y", *, size: float = 34, **look: Any) -> Mark:
    """One per row; rows may have an `opacity` and, where `size` is 0, a size of their own."""
    sized = {} if size == 0 else {"size": size}
    return _mark("point", {VALUE: value}, {"filled": True, **sized, **look})


def hollow_dots(value: str = "y", *, size: float = 30, **look: Any) -> Mark:
    """White, with the row's colour at the edge."""
    return dots(value, size=size, fill=WHITE, strokeWidth=1.25, **look)


def spans(low: str = "low", high: str = "high", *, rows: Own = None, **look: Any) -> Mark:
    """A line from one value to another, as of an interval."""
    return _mark("rule", {VALUE: low, END: high}, {"strokeWidth": 1.5, **look}, rows)


def bars(value: str = "y", start: str = "", *, rows: Own = None, **look: Any) -> Mark:
    """From zero, or from another value."""
    ends = {VALUE: start, END: value} if start else {VALUE: value}
    return _mark("bar", ends, look, rows)


def ticks(value: str = "y", *, rows: Own = None, **look: Any) -> Mark:
    """A short stroke across the row."""
    return _mark("tick", {VALUE: value}, {"thickness": 1.5, "opacity": 1, **look}, rows)


def lines(value: str = "y", *, steps: str = "", rows: Own = None, **look: Any) -> Mark:
    """One per `series` of the rows; `steps` is "after" or "before" for a staircase."""
    step = {"interpolate": f"step-{steps}"} if steps else {"strokeJoin": "round"}
    return _mark("line", {VALUE: value}, {"strokeWidth": 1.5, **step, **look}, rows)


def bands(low: str = "low", high: str = "high", **look: Any) -> Mark:
    """What lies between two lines, pale."""
    return _mark("area", {VALUE: low, END: high}, {"opacity": 0.18, **look})


def stacks(kind: str, value: str, palette: Palette) -> Mark:
    """Bars or areas (Vega-Lite's word is the kind) on top of each other by the rows' `order`."""
    edge = {"stroke": WHITE, "strokeWidth": 0.5} if kind == "area" else {}
    return replace(by_kind(_mark(kind, {VALUE: value}, edge), palette), stacked=VALUE)


def by_kind(mark: Mark, palette: Palette) -> Mark:
    """Coloured by kinds that a legend names, and one of which can be picked there."""
    return replace(mark, palette=palette)


def behind(mark: Mark) -> Mark:
    """Over the whole row, where the row has several series."""
    channels = {name: shown for name, shown in mark.channels.items() if name != WITHIN}
    return replace(mark, channels=channels)


def words(text: str = "text", value: Shown = "y", *, rows: Own = None, **look: Any) -> Mark:
    """A text of each row, at a value or so many pixels along it."""
    return _mark("text", {VALUE: value, "text": text}, look, rows)


def rule_at(value: float, text: str = "", **look: Any) -> tuple[Mark, ...]:
    """Through the whole panel at a value, with a text at its beginning."""
    rows = [{"at": value, "text": text}]
    rule = Mark("rule", {VALUE: "at"}, {"color": LINE, "strokeWidth": 0.75, **look}, rows)
    if not text:
        return (rule,)
    written = {"color": SOFT_INK, "fontSize": SMALL_PX, "align": "left", "dx": 4, "dy": -6}
    return rule, Mark("text", {VALUE: "at", ALONG: 0, "text": "text"}, written, rows)


def rule_along(place: float, **look: Any) -> Mark:
    """Through the whole panel across the other direction, as at a threshold."""
    look = {"color": LINE, "strokeWidth": 0.75, **look}
    return Mark("rule", {ALONG: "at"}, look, [{"at": place}])


def note(text: str, x: float, y: float, **look: Any) -> Mark:
    """Words at a place of the panel, in pixels from its upper left corner."""
    look = {"align": "left", "baseline": "bottom", "color": SOFT_INK, **look}
    return Mark("text", {"x": x, "y": y, "text": "text"}, look, [{"text": text}])


def heading(title: str) -> list[Mark]:
    """Above a panel, from where its plot begins; titles of neighbours would not be level."""
    lines = title.split("\n") if title else []
    return [note(line, 0, -5 - 11 * at) for at, line in enumerate(reversed(lines))][::-1]


def _mark(
    kind: str, values: Mapping[str, Shown], look: Mapping[str, Any], rows: Own = None
) -> Mark:
    return Mark(kind, {**values, ALONG: ITS_PLACE, WITHIN: ITS_PLACE}, look, rows)
