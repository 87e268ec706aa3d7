"""Names beside the points of a scatter plot, where they cover least and belong to one point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

LETTER_PX: Final = 4.6
LINE_PX: Final = 10.0
POINT_PX: Final = 9.0
# Steps away from the point.
DISTANCES: Final = (7.0, 14.0, 22.0, 32.0)
# Across and down, the side of reading first.
SIDES: Final = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
# A name should be so much nearer to its own point than to any other.
NEARER_PX: Final = 5.0
# What a pixel too near to another point, and a pixel away from its own, count in pixels covered.
AMBIGUOUS: Final = 12.0
FAR: Final = 1.5
# A line as squares one after the other.
STEP_PX: Final = 3.0
# Places of names depend on each other: they are gone through so many times.
N_ROUNDS: Final = 3
# From here on a stroke leads from the point to its name.
LED_FROM_PX: Final = 11.0

Point = tuple[float, float]
# Left, top, right, bottom in pixels.
Rectangle = tuple[float, float, float, float]


def place_labels(
    points: Sequence[Point],
    texts: Sequence[str],
    *,
    width: float,
    height: float,
    line: Sequence[Point] = (),
) -> list[tuple[Point, Point]]:
    """The middle of each label, in pixels of the panel, and the end of the stroke that leads to it.

    Where the label stands beside its point, that end is the point. None leaves the panel or lies on
    the line if there is another way; `line` has two ends.
    """
    fixed = [_around(x, y, POINT_PX, POINT_PX) for x, y in points]
    fixed += [_around(x, y, STEP_PX, STEP_PX) for x, y in _along(line)]
    wides = [LETTER_PX * len(text) for text in texts]
    furthest = 2 * (DISTANCES[-1] + LINE_PX)
    labels: dict[int, Rectangle] = {}
    for _ in range(N_ROUNDS):
        for at, (x, y) in enumerate(points):
            others = (one for other, one in labels.items() if other != at)
            # What some place of the label could cover.
            reach = _around(x, y, furthest + 2 * wides[at], furthest)
            taken = [one for one in (*fixed, *others) if _shared(one, reach)]
            costs = {
                label: _covered(label, taken, width, height) + _misread(label, points, at)
                for label in _candidates(x, y, wides[at])
            }
            # Of places that cost the same, the first: `min` keeps it.
            labels[at] = min(costs, key=costs.__getitem__)
    return [_place(labels[at], point) for at, point in enumerate(points)]


def _along(line: Sequence[Point]) -> Iterator[Point]:
    if not line:
        return
    (x, y), (end_x, end_y) = line
    n_steps = max(1, math.ceil(math.hypot(end_x - x, end_y - y) / STEP_PX))
    for step in range(n_steps + 1):
        yield x + (end_x - x) * step / n_steps, y + (end_y - y) * step / n_steps


def _candidates(x: float, y: float, wide: float) -> Iterator[Rectangle]:
    for distance in DISTANCES:
        for across, down in SIDES:
            beside = across * (distance + wide / 2)
            # Straight above or below, half a line more keeps clear of the point.
            below = down * (distance + (LINE_PX / 2 if across == 0 else 0))
            yield _around(x + beside, y + below, wide, LINE_PX)


def _around(x: float, y: float, wide: float, high: float) -> Rectangle:
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


def _covered(label: Rectangle, taken: Sequence[Rectangle], width: float, height: float) -> float:
    """Pixels that are covered, and those outside the panel."""
    outside = _shared(label, label) - _shared(label, (0.0, 0.0, width, height))
    return round(outside + sum(_shared(label, one) for one in taken), 6)


def _misread(label: Rectangle, points: Sequence[Point], at: int) -> float:
    """How far away its own point is, and how near others are."""
    mine = math.dist(points[at], _nearest(label, points[at]))
    too_near = (
        max(0.0, mine + NEARER_PX - math.dist(one, _nearest(label, one)))
        for other, one in enumerate(points)
        if other != at
    )
    return round(FAR * mine + AMBIGUOUS * max(too_near, default=0.0), 6)


def _nearest(label: Rectangle, point: Point) -> Point:
    """The place of a label that is nearest to a point."""
    left, top, right, bottom = label
    return min(max(point[0], left), right), min(max(point[1], top), bottom)


def _place(label: Rectangle, point: Point) -> tuple[Point, Point]:
    left, top, right, bottom = label
    end = _nearest(label, point)
    lead = end if math.dist(point, end) > LED_FROM_PX else point
    return ((left + right) / 2, (top + bottom) / 2), lead


def _shared(one: Rectangle, other: Rectangle) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(wide, 0.0) * max(high, 0.0)
