"""Do classes that are named rightly have a high UAP? A point a class (METHODS 4.1)."""

from __future__ import annotations

import math
from statistics import linear_regression
from typing import TYPE_CHECKING, Any, Final, TypeVar

import altair as alt

from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.panels import message
from boxlens.report.charts.point_labels import HALO, place_labels
from boxlens.report.charts.theme import (
    DECIMAL_AXIS,
    FONT_PX,
    LINE,
    NEUTRAL,
    SOFT_INK,
    WIDTH,
    decimal,
    inline,
    themed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boxlens.recognition_bound.result import ClassBound, Correlation, UpperBoundResult
    from boxlens.report.charts.point_labels import Place, Point

PLOT_PX: Final = 400
HEIGHT_PX: Final = 280
# Those furthest from the line, or all of a few.
MOST_NAMED: Final = 8
NAME_CHARACTERS: Final = 18
LETTERS_PX: Final = FONT_PX - 1
# Points that a name may have to keep clear of: the nearest.
MOST_NEIGHBOURS: Final = 40
# Room around 0 and 1, so that points there are whole.
ROOM: Final = 0.03
LOW, HIGH = -ROOM, 1 + ROOM

Channel = TypeVar("Channel")
Ends = tuple[tuple[float, float], tuple[float, float]]


def bound_accuracy_chart(
    result: UpperBoundResult, *, about: str = ""
) -> alt.LayerChart | alt.Chart:
    """Both axes from 0 to 1; the classes furthest from the line have names."""
    title = "UAP of classes against how often they are named rightly"
    classes = [
        one for one in result.bound.classes if not (math.isnan(one.uap) or math.isnan(one.accuracy))
    ]
    if not classes:
        empty = message("no class has both numbers", width=WIDTH, height=HEIGHT_PX // 2)
        return themed(empty, title=title, about=about)
    found = result.bound.correlation
    ends = _least_squares(classes, found)
    reading = "A point a class. Accuracy: the share of its objects that get its label."
    if ends:
        reading += (
            f" Line: least squares, r squared {decimal(found.r_squared, 2)} over "
            f"{found.n_classes:,} classes."
        )
        if len(classes) > MOST_NAMED:
            reading += " Named: the classes furthest from it."
    return themed(_plot(classes, ends), title=title, about=about, reading=reading)


def _least_squares(classes: Sequence[ClassBound], found: Correlation) -> Ends | None:
    """Both ends of the line; without a correlation there is no slope either."""
    across = [one.accuracy for one in classes]
    if math.isnan(found.r) or len(set(across)) < 2:
        return None
    slope, start = linear_regression(across, [one.uap for one in classes])
    low, high = min(across), max(across)
    return (low, start + slope * low), (high, start + slope * high)


def _plot(classes: Sequence[ClassBound], ends: Ends | None) -> alt.LayerChart:
    x, y = _axis(alt.X, "accuracy", "accuracy"), _axis(alt.Y, "uap", "UAP")
    dots = alt.Chart(
        inline(_record(one) for one in classes), width=PLOT_PX, height=HEIGHT_PX
    ).encode(x=x, y=y, tooltip=_tips())
    names = alt.Chart(inline(_names(classes, ends)))
    line = alt.Chart(inline({"line_x": at, "line_y": up} for at, up in ends or ())).mark_line(
        strokeWidth=1, color=LINE, strokeDash=[4, 3], clip=True
    )
    placed = {"x": _axis(alt.X, "label_x", "accuracy"), "y": _axis(alt.Y, "label_y", "UAP")}
    on_line = {"x": _axis(alt.X, "line_x", "accuracy"), "y": _axis(alt.Y, "line_y", "UAP")}
    return alt.LayerChart(
        layer=[
            *([line.encode(**on_line)] if ends else []),
            # From points to names that do not stand beside them.
            names.mark_rule(strokeWidth=0.5, color=LINE).encode(
                x=x, y=y, x2="lead_x:Q", y2="lead_y:Q"
            ),
            dots.mark_point(filled=True, size=26, opacity=0.8, color=NEUTRAL),
            names.mark_text(fontSize=LETTERS_PX, **HALO).encode(text="name:N", **placed),
            names.mark_text(fontSize=LETTERS_PX, color=SOFT_INK).encode(text="name:N", **placed),
        ],
        view=alt.ViewConfig(stroke=LINE, strokeWidth=0.5),
    )


def _axis(kind: Callable[..., Channel], field: str, title: str) -> Channel:
    return kind(
        f"{field}:Q",
        scale=alt.Scale(domain=[LOW, HIGH], nice=False),
        axis=alt.Axis(title=title, labelExpr=DECIMAL_AXIS, values=[0, 0.2, 0.4, 0.6, 0.8, 1]),
    )


def _record(one: ClassBound) -> dict[str, Any]:
    return {
        "class": one.name,
        "accuracy": one.accuracy,
        "uap": one.uap,
        "uap50": None if math.isnan(one.uap50) else one.uap50,
        "objects": one.n_objects,
    }


def _names(classes: Sequence[ClassBound], ends: Ends | None) -> list[dict[str, Any]]:
    """Of the classes furthest from the line, at places where they cover little."""
    named = sorted(classes, key=lambda one: -_distance(one, ends))[:MOST_NAMED]
    texts = [short(one.name, NAME_CHARACTERS) for one in named]
    places = _places([_pixels(one.accuracy, one.uap) for one in named], texts, classes, ends)
    return [
        {
            "name": text,
            "accuracy": one.accuracy,
            "uap": one.uap,
            "label_x": _value(place.x / PLOT_PX),
            "label_y": _value(1 - place.y / HEIGHT_PX),
            "lead_x": _value(place.lead_x / PLOT_PX),
            "lead_y": _value(1 - place.lead_y / HEIGHT_PX),
        }
        for one, text, place in zip(named, texts, places, strict=True)
    ]


def _distance(one: ClassBound, ends: Ends | None) -> float:
    if ends is None:
        return 0.0
    (low, start), (high, end) = ends
    return abs(one.uap - (start + (end - start) * (one.accuracy - low) / (high - low)))


def _places(
    named: Sequence[Point], texts: Sequence[str], classes: Sequence[ClassBound], ends: Ends | None
) -> list[Place]:
    """Names keep clear of other points, too: those have an empty name."""
    others = {_pixels(one.accuracy, one.uap) for one in classes} - set(named)
    nearest = sorted(others, key=lambda at: (min(math.dist(at, one) for one in named), at))
    kept = nearest[:MOST_NEIGHBOURS]
    line = [_pixels(*end) for end in ends] if ends else []
    found = place_labels(
        [*named, *kept], [*texts, *[""] * len(kept)], width=PLOT_PX, height=HEIGHT_PX, line=line
    )
    return found[: len(named)]


def _pixels(accuracy: float, uap: float) -> Point:
    return PLOT_PX * _share(accuracy), HEIGHT_PX * (1 - _share(uap))


def _share(value: float) -> float:
    return (value - LOW) / (HIGH - LOW)


def _value(share: float) -> float:
    return LOW + (HIGH - LOW) * share


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("class:N"),
        alt.Tooltip("accuracy:Q", format=".3f"),
        alt.Tooltip("uap:Q", title="UAP", format=".3f"),
        alt.Tooltip("uap50:Q", title="UAP at .5", format=".3f"),
        alt.Tooltip("objects:Q", format=","),
    ]
