"""Names beside the points of a scatter plot, where they cover each other least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LETTER_PX: Final = 4.6
LINE_PX: Final = 10.0
POINT_PX: Final = 9.0
# Steps away from the point; the nearest place that is free is taken.
DISTANCES: Final = (7.0, 14.0, 22.0)
# Across and down, the side of reading first.
SIDES: Final = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
# White around letters, where lines go through them.
HALO: Final[Mapping[str, Any]] = {"stroke": "white", "strokeWidth": 2, "strokeJoin": "round"}

# Left, top, right, bottom in pixels.
Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Place:
    """The middle of a label, in pixels of the panel."""

    x: float
    y: float


def place_labels(
    points: Sequence[tuple[float, float]], texts: Sequence[str], *, width: float, height: float
) -> list[Place]:
    """One after the other in the order given; none leaves the panel if there is another way."""
    taken = [_around(x, y, POINT_PX, POINT_PX) for x, y in points]
    places = []
    for (x, y), text in zip(points, texts, strict=True):
        wide = LETTER_PX * len(text)
        best = min(
            _candidates(x, y, wide),
            # Of places that cover the same, the first: `min` keeps it.
            key=lambda place: _cost(_around(place.x, place.y, wide, LINE_PX), taken, width, height),
        )
        taken.append(_around(best.x, best.y, wide, LINE_PX))
        places.append(best)
    return places


def _candidates(x: float, y: float, wide: float) -> Iterator[Place]:
    for distance in DISTANCES:
        for across, down in SIDES:
            beside = across * (distance + wide / 2)
            # Straight above or below, half a line more keeps clear of the point.
            yield Place(x + beside, y + down * (distance + (LINE_PX / 2 if across == 0 else 0)))


def _around(x: float, y: float, wide: float, high: float) -> Rectangle:
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


def _cost(label: Rectangle, taken: Sequence[Rectangle], width: float, height: float) -> float:
    """Pixels that are covered, and those outside the panel."""
    whole = (label[2] - label[0]) * (label[3] - label[1])
    outside = whole - _shared(label, (0.0, 0.0, width, height))
    return round(outside + sum(_shared(label, one) for one in taken), 6)


def _shared(one: Rectangle, other: Rectangle) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(wide, 0.0) * max(high, 0.0)
