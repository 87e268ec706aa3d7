"""Panels: rows of names with marks across, plots over a grid, and how they stand together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any, Final

from boxlens.report.charts.colours import LINE, SOFT_INK
from boxlens.report.charts.forms.axes import LETTER_PX, Axis, Names
from boxlens.report.charts.forms.layers import Direction, Mark, Shown, Spec, defined, layers
from boxlens.report.charts.forms.marks import (
    ALONG,
    ALONG_END,
    END,
    ITS_PLACE,
    SMALL_PX,
    VALUE,
    WITHIN,
    heading,
    note,
)

COLUMN_GAP_PX: Final = 12
# Characters of a column that is read as text.
LONG_TEXT: Final = 20
SMALL_LETTER: Final = 0.9
FRAME: Final = {"stroke": LINE, "strokeWidth": 0.5}
ROW: Final = "row"


@dataclass(frozen=True, slots=True)
class Series:
    """Several marks in each row, below one another, by the rows' `series`."""

    names: Sequence[str]
    # Free above the first and below the last, in marks.
    outer: float = 0.6
    inner: float = 0.0

    def channel(self, field: str) -> Spec:
        """Along which they stand."""
        padding = {"paddingOuter": self.outer, "paddingInner": self.inner}
        return {"field": field, "type": "nominal", "scale": {"domain": list(self.names), **padding}}


def name_rows(
    rows: Iterable[Mapping[str, Any]],
    names: Names,
    across: Axis,
    *marks: Mark,
    width: float,
    columns: Mapping[str, Mapping[str, str]] | None = None,
    series: Series | None = None,
    title: str = "",
    upright: bool = False,
) -> Spec:
    """One row per name (the rows' `row`), with marks along an axis and columns of numbers beside.

    `columns` are texts by name, by their headings. `upright`: names from left to right, values up.
    """
    along, value = ("x", "y") if upright else ("y", "x")
    names = names.across() if upright else names
    axes: dict[str, Direction] = {along: names, value: across}
    if series is not None:
        axes[f"{along}Offset"] = series
    beside = number_columns(columns or {}, width)
    found = [_placed(one, along, value, ROW, axes) for one in (*marks, *beside)]
    size = (names.length_px, width) if upright else (width, names.length_px)
    return panel(rows, found, axes, size, title)


def plot(
    rows: Iterable[Mapping[str, Any]],
    x: Axis,
    y: Axis,
    *marks: Mark,
    width: float,
    height: float,
    along: str = "x",
    title: str = "",
    framed: bool = False,
) -> Spec:
    """Values up over a field of the rows, `along`."""
    axes: dict[str, Direction] = {"x": x, "y": y}
    found = [_placed(one, "x", "y", along, axes) for one in marks]
    drawn = panel(rows, found, axes, (width, height), title)
    return {**drawn, "view": FRAME} if framed else drawn


def _placed(mark: Mark, along: str, value: str, field: str, axes: Mapping[str, Any]) -> Mark:
    """In the directions of a panel."""
    directions = {
        VALUE: value,
        END: f"{value}2",
        ALONG: along,
        ALONG_END: f"{along}2",
        WITHIN: f"{along}Offset",
    }
    places = {ALONG: field, ALONG_END: field, WITHIN: "series"}
    channels: dict[str, Shown] = {
        directions.get(name, name): places[name] if shown == ITS_PLACE else shown
        for name, shown in mark.channels.items()
        if name != WITHIN or directions[WITHIN] in axes
    }
    if mark.type in ("line", "area"):
        channels["detail"] = "series"
    return replace(mark, channels=channels, stacked=directions.get(mark.stacked, ""))


def panel(
    rows: Iterable[Mapping[str, Any]],
    marks: Iterable[Mark],
    axes: Mapping[str, Direction],
    size: tuple[float, float],
    title: str = "",
    **more: Any,
) -> Spec:
    """Marks of the same rows, over each other below a title."""
    known = defined(rows)
    found = list(layers((*marks, *heading(title)), known, axes))
    width, height = size
    return {"data": {"values": known}, "width": width, "height": height, **more, "layer": found}


def number_columns(columns: Mapping[str, Mapping[str, str]], start: float) -> Iterator[Mark]:
    """Right of a panel of names, each as wide as its longest text."""
    for words, texts in columns.items():
        longest = max(map(len, texts.values()), default=0)
        # The heading is in smaller letters.
        width = LETTER_PX * max(longest, SMALL_LETTER * len(words))
        begin, start = start + COLUMN_GAP_PX, start + COLUMN_GAP_PX + width
        # Numbers end below one another, long texts begin so.
        place, align = (begin, "left") if longest > LONG_TEXT else (start, "right")
        rows = [{ROW: name, "text": text} for name, text in texts.items()]
        yield Mark("text", {"x": place, "y": ROW, "text": "text"}, {"align": align}, rows)
        yield note(words, place, -5, align=align, fontSize=SMALL_PX)


def below(*panels: Spec, gap: float = 8) -> Spec:
    """One below the other."""
    return panels[0] if len(panels) == 1 else {"vconcat": list(panels), "spacing": gap}


def beside(*panels: Spec, gap: float = 14) -> Spec:
    """Side by side; what is written outside of one may reach under the next."""
    return panels[0] if len(panels) == 1 else {"hconcat": list(panels), "spacing": gap}


def grid(
    panels: Sequence[Spec], columns: int, *, above: Sequence[Spec] = (), gap: float = 14
) -> Spec:
    """Small multiples line by line, below a key."""
    gaps = {"row": 12, "column": gap}
    panes = {"concat": list(panels), "columns": columns, "spacing": gaps, "align": "each"}
    return below(*above, panes, gap=6)


def line_name(text: str, *, width: float, height: float, **look: Any) -> Spec:
    """Before the panels of a line: what they have in common."""
    look = {"align": "left", "color": SOFT_INK, **look}
    written = Mark("text", {"x": 0, "y": height / 2, "text": "text"}, look, [{"text": text}])
    return panel((), [written], {}, (width, height))


def message(text: str, *, width: float, height: float, title: str = "") -> Spec:
    """A panel that says why there is nothing in it, among others that have something."""
    rows = [{"text": wrap(text, max(int(width // 6), 10))}]
    middle: dict[str, Shown] = {"x": width / 2, "y": height / 2, "text": "text"}
    written = Mark("text", middle, {"color": SOFT_INK, "fontStyle": "italic"}, rows)
    return panel((), [written], {}, (width, height), title)
