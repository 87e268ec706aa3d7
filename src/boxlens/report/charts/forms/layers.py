"""The smallest part of a figure: one kind of mark for every row, as plain Vega-Lite.

Rows are dictionaries. A few keys mean the same in all of them: `colour`, `size`, `opacity`, `dash`
and `ink` (of words) are the look of a row's mark, `tip` (texts by heading) is what a pointer over
it shows, `select` and `picked` (`selecting.picks`) are what a click on it opens in the app.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from boxlens.wording import is_undefined

# A chart, or a part of one, in Vega-Lite's own words.
Spec = dict[str, Any]
Row = dict[str, Any]
# What a channel shows: a field of the rows, or a place in pixels.
Shown = str | float

PLACES: Final = ("x", "x2", "y", "y2", "text")
# Looks that rows may bring: Vega-Lite's word for them, and the marks that take them.
LOOKS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "colour": ("color", ("point", "square", "rule", "line", "area", "bar", "tick", "rect", "arc")),
    "ink": ("color", ("text",)),
    "size": ("size", ("point", "square")),
    "opacity": ("opacity", ("point", "square", "rule", "bar", "tick", "rect", "text")),
    "dash": ("strokeDash", ("rule", "line")),
}


class Direction(Protocol):
    """The axis of a panel: see `axes`."""

    def channel(self, field: str) -> Spec: ...


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by what is written in `field`, with a legend; a click there leaves one strong."""

    field: str
    colours: Mapping[str, str]
    orient: str = "bottom"
    # 0: one below the other.
    columns: int = 0
    # What is picked has a name that no other in the figure has; empty: nothing can be picked.
    picked: str = "chosen"

    def encoding(self) -> Spec:
        """Colour and strength."""
        scale = {"domain": list(self.colours), "range": list(self.colours.values())}
        legend: Spec = {"title": None, "orient": self.orient}
        legend |= {"columns": self.columns} if self.columns else {"direction": "vertical"}
        found: Spec = {"color": {**nominal(self.field), "scale": scale, "legend": legend}}
        if self.picked:
            found["opacity"] = {"condition": {"param": self.picked, "value": 1}, "value": 0.2}
        return found

    def params(self) -> list[Spec]:
        """What the legend picks."""
        chosen = {"type": "point", "fields": [self.field]}
        return [{"name": self.picked, "select": chosen, "bind": "legend"}] if self.picked else []


@dataclass(frozen=True, slots=True)
class Mark:
    """Vega-Lite's type of mark, what it shows by channel, and how it looks."""

    type: str
    channels: Mapping[str, Shown]
    look: Mapping[str, Any] = field(default_factory=dict)
    # Its own, where they are not those of the panel.
    rows: Sequence[Mapping[str, Any]] | None = None
    palette: Palette | None = None
    # The channel along which rows lie on top of each other, by their `order`.
    stacked: str = ""


def nominal(name: str) -> Spec:
    """A field of names."""
    return {"field": name, "type": "nominal"}


def defined(rows: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Of the same rows: JSON has no NaN. A list without any stays the same, for panels to share."""
    if isinstance(rows, list) and not any(
        value is not None and is_undefined(value) for row in rows for value in row.values()
    ):
        return rows
    return [
        {key: None if is_undefined(value) else value for key, value in row.items()} for row in rows
    ]


def layers(
    marks: Iterable[Mark], rows: Sequence[Row], axes: Mapping[str, Direction]
) -> Iterator[Spec]:
    """Of a panel with these rows, and axes by channel.

    Nothing undefined is drawn: a mark leaves out rows that lack one of its places or its text.
    """
    for mark in marks:
        own = rows if mark.rows is None else defined(mark.rows)
        fields = [
            shown
            for channel, shown in mark.channels.items()
            if channel in PLACES and isinstance(shown, str)
        ]
        known = [row for row in own if all(row.get(name) is not None for name in fields)]
        if known:
            drawn = _layer(mark, known, axes)
            if mark.rows is not None or len(known) < len(rows):
                drawn["data"] = {"values": known}
            yield drawn


def _layer(mark: Mark, rows: Sequence[Row], axes: Mapping[str, Direction]) -> Spec:
    encoding = {name: _encoding(name, shown, axes) for name, shown in mark.channels.items()}
    if mark.stacked:
        encoding[mark.stacked]["stack"] = "zero"
        encoding["order"] = {"field": "order", "type": "quantitative"}
    look: Spec = {"type": mark.type, **mark.look, **_told(rows)}
    if mark.palette is None:
        return {"mark": look, "encoding": {**encoding, **_own_looks(mark, rows[0])}}
    encoding |= mark.palette.encoding()
    return {"mark": look, "encoding": encoding, "params": mark.palette.params()}


def _told(rows: Sequence[Row]) -> Spec:
    """To a pointer and, where all rows have the same to tell, to those who cannot see the mark."""
    headings = {tuple(row["tip"]) for row in rows if "tip" in row}
    if not headings:
        return {}
    found: Spec = {"tooltip": {"expr": "datum.tip"}}
    if len(headings) == 1:
        told = (
            f"{json.dumps(f'{name}: ')} + datum.tip[{json.dumps(name)}]" for name in headings.pop()
        )
        found["description"] = {"expr": " + '; ' + ".join(told)}
    return found


def _encoding(channel: str, shown: Shown, axes: Mapping[str, Direction]) -> Spec:
    if not isinstance(shown, str):
        return {"value": shown}
    if channel in axes:
        return axes[channel].channel(shown)
    if channel in ("x", "y"):
        # Without an axis, a place in pixels.
        return {"field": shown, "type": "quantitative", "scale": None}
    if channel == "theta":
        return {"field": shown, "type": "quantitative"}
    return {"field": shown} if channel in ("x2", "y2") else nominal(shown)


def _own_looks(mark: Mark, first: Row) -> Spec:
    """What the mark itself says goes first; a mark with a filling is coloured at its edge."""
    found: Spec = {}
    for key, (usual, types) in LOOKS.items():
        channel = "stroke" if key == "colour" and "fill" in mark.look else usual
        if key in first and mark.type in types and channel not in mark.look:
            kind = "quantitative" if key in ("size", "opacity") else "nominal"
            found[channel] = {"field": key, "type": kind, "scale": None}
    return found
