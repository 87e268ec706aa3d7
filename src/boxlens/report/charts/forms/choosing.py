"""What is drawn where there is more than a figure has room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")
GAP_LABEL = "…"


def both_ends(items: Sequence[Item], most: int) -> dict[str, Item | None]:
    """By place, the first and the last `most` of them, with a gap (None) where others are left out.

    Places and not names: two classes may be called alike.
    """
    places = [(str(at), one) for at, one in enumerate(items)]
    if len(places) <= 2 * most + 1:
        return dict(places)
    return {**dict(places[:most]), "gap": None, **dict(places[-most:])}


def spread_out(n: int, most: int) -> list[int]:
    """Both ends of so many places, and as many between them as a curve needs."""
    if n <= most:
        return list(range(n))
    return sorted({round(at * (n - 1) / (most - 1)) for at in range(most)})


def first_of(most: int, n: int, noun: str, which: str = "first") -> str:
    """A sentence that follows others, where not all are shown; else empty."""
    return f" The {which} {most:,} of {n:,} {noun}." if most < n else ""
