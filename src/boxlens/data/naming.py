"""Lists of names in messages."""

from __future__ import annotations

from collections.abc import Iterable

MOST_NAMED = 12


def some_names(names: Iterable[str], most: int = MOST_NAMED) -> str:
    """The first of them, and how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
