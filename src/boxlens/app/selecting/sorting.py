"""Rows in the order asked for. A table is sorted once: large selections walk along that order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.app.selecting.columns import column_of

if TYPE_CHECKING:
    from boxlens.app.opening.run import Run
    from boxlens.app.selecting.query import Query
    from boxlens.data.columns import Floats, Rows

# A selection smaller than this part of its table is sorted by itself.
SMALL = 1 / 4


def sorted_rows(run: Run, query: Query, rows: Rows) -> Rows:
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
