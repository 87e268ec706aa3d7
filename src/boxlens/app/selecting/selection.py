"""The rows and images that an address asks for, in order, and one page of them.

A table is sorted once: large selections walk along that order.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

import numpy as np

from boxlens.app.opening.run import Of, Run
from boxlens.app.selecting.columns import column_of
from boxlens.app.selecting.filters import matching_rows
from boxlens.app.selecting.query import Query
from boxlens.data.columns import Floats, Rows, owned

# Rows of all remembered selections together: some 50 MB.
MOST_REMEMBERED = 12_000_000
# A selection smaller than this part of its table is sorted by itself.
SMALL = 1 / 4


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows of the table that `of` names, in the order asked for.

    `image_rows` are their images, each once, in the order in which they come first.
    """

    of: Of
    rows: Rows
    image_rows: Rows

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def n_images(self) -> int:
        return len(self.image_rows)


@dataclass(frozen=True, slots=True)
class Card:
    """One place of a page: an image and the rows of the selection that it shows."""

    image_row: int
    rows: Rows


@dataclass(frozen=True, slots=True)
class Page:
    """Some cards of a selection."""

    items: tuple[Card, ...]
    page: int
    n_pages: int


def select(run: Run, query: Query) -> Selection:
    """All rows that a query asks for."""
    rows = owned(_sorted(run, query, matching_rows(run, query)))
    if query.of == "images":
        return Selection(query.of, rows, rows)
    image_rows = _first_come(run.boxes(query.of).image_row[rows], len(run.images))
    return Selection(query.of, rows, owned(image_rows))


def _sorted(run: Run, query: Query, rows: Rows) -> Rows:
    """Ascending rows in the order asked for; missing values last, ties by row."""
    detector = query.detectors_of(run)[0] if query.of == "images" else 0
    numbers = column_of(run, query.of, query.sort, detector)
    n = len(run.images) if query.of == "images" else len(run.boxes(query.of))
    if len(rows) < SMALL * n:
        return rows[_order(numbers.at(rows), query.order)]
    key = (query.of, query.sort, query.order, str(detector))
    order = run.orders.get(key)
    if order is None:
        order = run.orders[key] = _order(numbers.at(), query.order)
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[rows] = True
    return order[chosen[order]]


def _order(values: Floats, direction: str) -> Rows:
    # NumPy puts NaN last whichever way the others go.
    keys = -values if direction == "desc" else values
    return np.argsort(keys, kind="stable").astype(np.int32)


def cards(run: Run, query: Query, selection: Selection) -> Page:
    """The page that a query asks for: of images, or of single boxes."""
    single = query.show == "boxes" and query.of != "images"
    n_items = selection.n_rows if single else selection.n_images
    n_pages = max(1, -(-n_items // query.per))
    # Beyond the last page is the last: a filter may have made fewer of them.
    number = min(query.page, n_pages)
    first = (number - 1) * query.per
    places = slice(first, first + query.per)
    if query.of == "images":
        items = [Card(int(row), selection.rows[:0]) for row in selection.rows[places]]
    elif single:
        items = _of_rows(run, selection, places)
    else:
        items = _of_images(run, selection, places)
    return Page(tuple(items), number, n_pages)


class Selections:
    """Remembers the selections asked for last; requests in several threads may share it."""

    def __init__(self, run: Run, most_rows: int = MOST_REMEMBERED) -> None:
        self._run = run
        self._most_rows = most_rows
        self._kept: OrderedDict[str, Selection] = OrderedDict()
        self._lock = Lock()

    def get(self, query: Query) -> Selection:
        """The selection of a query, worked out where it is not remembered."""
        key = query.selection_text()
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        made = select(self._run, query)
        with self._lock:
            self._kept[key] = made
            self._forget()
        return made

    def _forget(self) -> None:
        """The oldest first; the newest stays, however large."""
        total = sum(_cost(one) for one in self._kept.values())
        while total > self._most_rows and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            total -= _cost(oldest)


def _cost(selection: Selection) -> int:
    """Rows, and something for the entry itself: empty selections are not free."""
    return selection.n_rows + selection.n_images + 1000


def _first_come(image_rows: Rows, n_images: int) -> Rows:
    """Distinct images in order of their first row."""
    first = np.full(n_images, len(image_rows), dtype=np.int32)
    # Of several places an image is given last the one that comes first.
    first[image_rows[::-1]] = np.arange(len(image_rows), dtype=np.int32)[::-1]
    seen = np.flatnonzero(first < len(image_rows))
    return seen[np.argsort(first[seen])].astype(np.int32)


def _of_rows(run: Run, selection: Selection, places: slice) -> list[Card]:
    rows = selection.rows[places]
    image_rows = run.boxes(selection.of).image_row[rows].tolist()
    return [Card(image, rows[at : at + 1]) for at, image in enumerate(image_rows)]


def _of_images(run: Run, selection: Selection, places: slice) -> list[Card]:
    shown = selection.image_rows[places]
    place_of = np.full(len(run.images), -1, dtype=np.int32)
    place_of[shown] = np.arange(len(shown))
    places_of_rows = place_of[run.boxes(selection.of).image_row[selection.rows]]
    within = np.flatnonzero(places_of_rows >= 0)
    within = within[np.argsort(places_of_rows[within], kind="stable")]
    counts = np.bincount(places_of_rows[within], minlength=len(shown))
    # One part more than images: what comes after the last, nothing.
    parts = np.split(selection.rows[within], np.cumsum(counts))[: len(shown)]
    return [Card(image, part) for image, part in zip(shown.tolist(), parts, strict=True)]
