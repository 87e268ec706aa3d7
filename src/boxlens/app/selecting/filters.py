"""Which rows of a table an address asks for, as masks over no more than the detectors meant."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from boxlens.app.opening.run import Run
from boxlens.app.selecting.columns import codes_of, column_of, pixel_areas
from boxlens.app.selecting.query import Query
from boxlens.app.selecting.terms import SIZES, Range, is_of_objects
from boxlens.data.columns import Bools, Floats, Rows


def matching_rows(run: Run, query: Query) -> Rows:
    """Rows that meet all terms, ascending."""
    if query.of == "images":
        return _rows(_images(run, query), 0)
    table = run.boxes(query.of)
    spans = [table.of_detector(row) for row in query.detectors_of(run)]
    return np.concatenate([_rows(_boxes(run, query, span), span.start) for span in spans])


def _rows(mask: Bools, first: int) -> Rows:
    return (np.flatnonzero(mask) + first).astype(np.int32)


def _images(run: Run, query: Query) -> Bools:
    mask = np.ones(len(run.images), dtype=np.bool_)
    for term, ranges in query.ranges:
        mask &= _within(column_of(run, "images", term).at(), ranges)
    for _, texts in query.values:
        mask &= _found(run, texts)
    return mask


def _boxes(run: Run, query: Query, span: slice) -> Bools:
    mask = np.ones(span.stop - span.start, dtype=np.bool_)
    for term, values in query.values:
        mask &= _says(run, query, term, values, span)
    for term, ranges in query.ranges:
        mask &= _within(column_of(run, query.of, term).at(span), ranges)
    return mask


def _says(run: Run, query: Query, term: str, values: tuple[str, ...], span: slice) -> Bools:
    """Rows of a span for which a term has one of the values."""
    table = run.boxes(query.of)
    if term == "class":
        asked = np.array([name in values for name in run.class_names])
        return _taken(asked, table.class_row[span])
    if term == "find":
        return _taken(_found(run, values), table.image_row[span])
    if term == "size":
        sizes = (Range(*SIZES[value]) for value in values)
        return _within(pixel_areas(run, query.of)[span], sizes)
    codes = codes_of(run, query.of, term)
    if codes is None:
        # Flags are numbers.
        flags = (Range(float(value), float(value)) for value in values)
        return _within(column_of(run, query.of, term).at(span), flags)
    if is_of_objects(term) and query.of == "detections":
        # The last place is that of -1, no object.
        return _taken(np.append(codes.among(values), False), table.partner[span])
    return codes.among(values, span)


def _taken(mask: Bools, rows: Rows) -> Bools:
    taken: Bools = mask[rows]
    return taken


def _within(values: Floats, ranges: Iterable[Range]) -> Bools:
    """NaN lies in no range."""
    mask = np.zeros(len(values), dtype=np.bool_)
    for one in ranges:
        mask |= (values >= one.low) & (values <= one.high)
    return mask


def _found(run: Run, texts: Iterable[str]) -> Bools:
    """Images with one of the texts in their file name or id, whatever the case."""
    wanted = [text.casefold() for text in texts]
    return np.array(
        [any(text in key or text in name for text in wanted) for key, name in run.images.found_by],
        dtype=np.bool_,
    )
