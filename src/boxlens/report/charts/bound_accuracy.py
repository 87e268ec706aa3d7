"""Do classes with high accuracy have a high UAP? One point per class (METHODS 4.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import linear_regression
from typing import TYPE_CHECKING, Any, Final, TypeVar

import altair as alt

from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.point_labels import HALO, place_labels
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    LINE,
    NEUTRAL,
    SOFT_INK,
    inline,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from boxlens.report.charts.point_labels import Place, Point
    from boxlens.studies.upper_bound.result import ClassBound, UpperBoundResult

PLOT_PX: Final = 400
HEIGHT_PX: Final = 280
NAME_CHARACTERS: Final = 18
LETTERS_PX: Final = FONT_PX - 1
# Points that a name may have to keep clear of: the nearest.
MOST_NEIGHBOURS: Final = 40
# Room around the ends of an axis, so that points there are whole.
ROOM: Final = 0.03
# Axes of more tenths have a tick at every other.
TICKED_FINELY: Final = 6

Channel = TypeVar("Channel")
Ends = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Span:
    """What an axis shows: whole tenths around all values."""

    low: float
    high: float

    @classmethod
    def around(cls, values: Iterable[float]) -> Span:
        known = list(values)
        # Rounded first: .6 is six tenths, not more.
        low = min(math.floor(round(10 * min(known), 9)), 9)
        high = max(math.ceil(round(10 * max(known), 9)), low + 1)
        return cls(low / 10, high / 10)

    @property
    def domain(self) -> tuple[float, float]:
        room = ROOM * (self.high - self.low)
        return self.low - room, self.high + room

    def ticks(self) -> list[float]:
        low, high = round(10 * self.low), round(10 * self.high)
        step = 1 if high - low <= TICKED_FINELY else 2
        return [at / 10 for at in range(low, high + 1, step)]

    def share(self, value: float) -> float:
        low, high = self.domain
        return (value - low) / (high - low)

    def value(self, share: float) -> float:
        low, high = self.domain
        return low + (high - low) * share


@dataclass(frozen=True, slots=True)
class Panel:
    """Both axes; from values to pixels and back."""

    accuracy: Span
    uap: Span

    @classmethod
    def of(cls, classes: Sequence[ClassBound]) -> Panel:
        return cls(
            Span.around(one.accuracy for one in classes), Span.around(one.uap for one in classes)
        )

    def pixels(self, accuracy: float, uap: float) -> Point:
        return PLOT_PX * self.accuracy.share(accuracy), HEIGHT_PX * (1 - self.uap.share(uap))

    def values(self, x_px: float, y_px: float) -> tuple[float, float]:
        return self.accuracy.value(x_px / PLOT_PX), self.uap.value(1 - y_px / HEIGHT_PX)

    def across(self, field: str) -> alt.X:
        return _axis(alt.X, field, "accuracy", self.accuracy)

    def up(self, field: str) -> alt.Y:
        return _axis(alt.Y, field, "UAP", self.uap)


def bound_accuracy_chart(
    _: UpperBoundResult, classes: Sequence[ClassBound], n_named: int, *, line: bool
) -> alt.LayerChart:
    """The extremes have names, and the classes furthest from the line."""
    panel = Panel.of(classes)
    ends = _least_squares(classes) if line else None
    names = _names(classes, _named(classes, ends)[:n_named], ends, panel)
    return _plot(classes, names, ends, panel)


def _least_squares(classes: Sequence[ClassBound]) -> Ends:
    """Both ends of the line."""
    across = [one.accuracy for one in classes]
    slope, start = linear_regression(across, [one.uap for one in classes])
    low, high = min(across), max(across)
    return (low, start + slope * low), (high, start + slope * high)


def _plot(
    classes: Sequence[ClassBound],
    named: Sequence[dict[str, Any]],
    ends: Ends | None,
    panel: Panel,
) -> alt.LayerChart:
    point: dict[str, Any] = {"x": panel.across("accuracy"), "y": panel.up("uap")}
    dots = alt.Chart(
        inline(_record(one) for one in classes), width=PLOT_PX, height=HEIGHT_PX
    ).encode(**point, tooltip=_tips())
    names = alt.Chart(inline(named))
    line = alt.Chart(inline({"line_x": at, "line_y": up} for at, up in ends or ())).mark_line(
        strokeWidth=1, color=LINE, strokeDash=[4, 3], clip=True
    )
    placed: dict[str, Any] = {"x": panel.across("label_x"), "y": panel.up("label_y")}
    on_line: dict[str, Any] = {"x": panel.across("line_x"), "y": panel.up("line_y")}
    return alt.LayerChart(
        layer=[
            *([line.encode(**on_line)] if ends else []),
            # From points to names that do not stand beside them.
            names.mark_rule(strokeWidth=0.5, color=LINE).encode(
                **point, x2="lead_x:Q", y2="lead_y:Q"
            ),
            dots.mark_point(filled=True, size=26, opacity=0.8, color=NEUTRAL),
            names.mark_text(fontSize=LETTERS_PX, **HALO).encode(text="name:N", **placed),
            names.mark_text(fontSize=LETTERS_PX, color=SOFT_INK).encode(text="name:N", **placed),
        ],
        view=alt.ViewConfig(stroke=LINE, strokeWidth=0.5),
    )


def _axis(kind: Callable[..., Channel], field: str, title: str, span: Span) -> Channel:
    return kind(
        f"{field}:Q",
        scale=alt.Scale(domain=span.domain, nice=False),
        axis=alt.Axis(title=title, labelExpr=DECIMAL_AXIS, values=span.ticks()),
    )


def _record(one: ClassBound) -> dict[str, Any]:
    return {
        "class": one.name,
        "accuracy": one.accuracy,
        "uap": one.uap,
        "uap50": None if math.isnan(one.uap50) else one.uap50,
        "objects": one.n_objects,
    }


def _names(
    classes: Sequence[ClassBound], named: Sequence[ClassBound], ends: Ends | None, panel: Panel
) -> list[dict[str, Any]]:
    """At places where they cover little."""
    texts = [short(one.name, NAME_CHARACTERS) for one in named]
    places = _places(named, texts, classes, ends, panel)
    records = []
    for one, text, place in zip(named, texts, places, strict=True):
        label_x, label_y = panel.values(place.x, place.y)
        lead_x, lead_y = panel.values(place.lead_x, place.lead_y)
        where = {"label_x": label_x, "label_y": label_y, "lead_x": lead_x, "lead_y": lead_y}
        records.append({"name": text, "accuracy": one.accuracy, "uap": one.uap, **where})
    return records


def _named(classes: Sequence[ClassBound], ends: Ends | None) -> list[ClassBound]:
    rows = range(len(classes))
    by_uap = sorted(rows, key=lambda row: classes[row].uap)
    by_accuracy = sorted(rows, key=lambda row: classes[row].accuracy)
    extremes = [by_uap[0], by_uap[-1], by_accuracy[0], by_accuracy[-1]]
    furthest = sorted(rows, key=lambda row: -_distance(classes[row], ends))
    return [classes[row] for row in dict.fromkeys([*extremes, *furthest])]


def _distance(one: ClassBound, ends: Ends | None) -> float:
    if ends is None:
        return 0.0
    (low, start), (high, end) = ends
    return abs(one.uap - (start + (end - start) * (one.accuracy - low) / (high - low)))


def _places(
    named: Sequence[ClassBound],
    texts: Sequence[str],
    classes: Sequence[ClassBound],
    ends: Ends | None,
    panel: Panel,
) -> list[Place]:
    """Names keep clear of other points, too: those have an empty name."""
    points = [panel.pixels(one.accuracy, one.uap) for one in named]
    others = {panel.pixels(one.accuracy, one.uap) for one in classes} - set(points)
    nearest = sorted(others, key=lambda at: (min(math.dist(at, one) for one in points), at))
    kept = nearest[:MOST_NEIGHBOURS]
    line = [panel.pixels(*end) for end in ends] if ends else []
    found = place_labels(
        [*points, *kept], [*texts, *[""] * len(kept)], width=PLOT_PX, height=HEIGHT_PX, line=line
    )
    return found[: len(named)]


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("class:N"),
        alt.Tooltip("accuracy:Q", format=".3f"),
        alt.Tooltip("uap:Q", title="UAP", format=".3f"),
        alt.Tooltip("uap50:Q", title="UAP at IoU 0.5", format=".3f"),
        alt.Tooltip("objects:Q", format=","),
    ]
