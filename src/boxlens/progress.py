"""What long work tells of itself: what is done, how much of it, and of how much."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

# Called as progress(what, done, total) by work that may take more than a second.
Progress = Callable[[str, int, int], None]
Item = TypeVar("Item")
# Items between two reports.
_STEP = 250


def reported(
    items: Sequence[Item], what: str, progress: Progress | None, step: int = _STEP
) -> Iterator[Item]:
    """One after another; progress hears of every so many, and of the end."""
    for done, item in enumerate(items):
        if progress and done % step == 0:
            progress(what, done, len(items))
        yield item
    if progress:
        progress(what, len(items), len(items))
