"""Points with the names of some of them beside, and a line through all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import linear_regression
from typing import Any, Final

from boxlens.report.charts.colours import LINE, SOFT_INK
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.layers import Mark, Row, Spec
from boxlens.report.charts.forms.marks import HALO, SMALL_PX, dots
from boxlens.report.charts.forms.panels import plot
from boxlens.report.charts.point_labels import Point, place_labels
from boxlens.wording import short

NAME_CHARACTERS: Final = 20
# Points that a name may have to keep clear of: the nearest.
MOST_NEIGHBOURS: Final = 40
DASHED: Final = {"strokeWidth": 1, "color": LINE, "strokeDash": [4, 3], "clip": True}

Ends = tuple["Point", "Point"]


def scatter(
    rows: Iterable[Mapping[str, Any]],
    x: Axis,
    y: Axis,
    *marks: Mark,
    width: float,
    height: float,
    line: Ends | None = None,
    title: str = "",
    **look: Any,
) -> Spec:
    """A point at the `x` and `y` of each row, with its `name` beside it where it has one.

    Marks and the line lie behind the points.
    """
    points = [dict(row) for row in rows]
    names = _names(points, x, y, (width, height), line)
    on_line = [{"x": at, "y": up} for at, up in line or ()]
    place = {"x": "label_x", "y": "label_y", "text": "name"}
    lead = {"x": "x", "y": "y", "x2": "lead_x", "y2": "lead_y"}
    return plot(
        points,
        x,
        y,
        Mark("line", {"x": "x", "y": "y"}, DASHED, on_line),
        *marks,
        # From points to names that do not stand beside them.
        Mark("rule", lead, {"strokeWidth": 0.5, "color": LINE}, names),
        dots(**{"size": 30, **look}),
        Mark("text", place, {"fontSize": SMALL_PX, **HALO}, names),
        Mark("text", place, {"fontSize": SMALL_PX, "color": SOFT_INK}, names),
        width=width,
        height=height,
        title=title,
        framed=True,
    )


def least_squares(points: Sequence[Point]) -> Ends:
    """Both ends of the line through points that do not all have the same x."""
    across = [x for x, _ in points]
    slope, start = linear_regression(across, [y for _, y in points])
    low, high = min(across), max(across)
    return (low, start + slope * low), (high, start + slope * high)


def _names(
    rows: Sequence[Row], x: Axis, y: Axis, size: tuple[float, float], line: Ends | None
) -> list[Row]:
    """At places where they cover little; they keep clear of points without a name, too."""
    width, height = size

    def pixels(at: float, up: float) -> Point:
        return width * x.share(at), height * (1 - y.share(up))

    def values(name: str, at: Point) -> Row:
        return {f"{name}_x": x.value(at[0] / width), f"{name}_y": y.value(1 - at[1] / height)}

    named = [row for row in rows if row.get("name")]
    points = [pixels(row["x"], row["y"]) for row in named]
    others = {pixels(row["x"], row["y"]) for row in rows} - set(points) if named else set()
    near = sorted(others, key=lambda at: (min(math.dist(at, one) for one in points), at))
    clear = near[:MOST_NEIGHBOURS]
    texts = [short(row["name"], NAME_CHARACTERS) for row in named]
    places = place_labels(
        [*points, *clear],
        [*texts, *[""] * len(clear)],
        width=width,
        height=height,
        line=[pixels(*end) for end in line or ()],
    )
    return [
        {
            "x": row["x"],
            "y": row["y"],
            "name": text,
            **values("label", middle),
            **values("lead", end),
        }
        for row, text, (middle, end) in zip(named, texts, places, strict=False)
    ]
