"""A query with other values of some of its terms: the addresses that a page links to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boxlens.app.selecting.terms import (
    DEFAULT_SORT,
    ONCE_TERMS,
    RANGE_TERMS,
    SCHEMES,
    SORTS,
    USUAL_PER_PAGE,
    Of,
    Order,
    QueryError,
    Range,
    read_range,
    shown,
    term_is_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.app.selecting.query import Query


def with_terms(query: Query, terms: Mapping[str, Any]) -> Query:
    """The rules are those of `Query.changed`."""
    of: Of = terms.get("of", query.of) or "detections"
    values, ranges = dict(query.values), dict(query.ranges)
    if of != query.of:
        # Schemes have other labels for objects than for detections.
        values = {term: texts for term, texts in values.items() if term not in SCHEMES}
    for term, value in terms.items():
        if term in ONCE_TERMS or term == "detector":
            continue
        items = _items(term, value)
        values[term] = tuple(sorted({item for item in items if isinstance(item, str)}))
        ranges[term] = tuple(sorted({item for item in items if isinstance(item, Range)}))
    sort, order = _sorting(query, of, terms)
    detectors = query.detectors
    if "detector" in terms:
        detectors = tuple(sorted({int(row) for row in _listed(terms["detector"])}))
    return replace(
        query,
        of=of,
        detectors=detectors[:1] if of == "images" else detectors,
        values=_canonical(of, values),
        ranges=_canonical(of, ranges),
        sort=sort,
        order=order,
        show=terms.get("show", query.show) or "images",
        page=terms.get("page") or 1,
        per=terms.get("per", query.per) or USUAL_PER_PAGE,
    )


def _sorting(query: Query, of: Of, terms: Mapping[str, Any]) -> tuple[str, Order]:
    """A sort that applies, and its direction: as told, as it was, or the usual one."""
    sort = terms.get("sort", query.sort) or DEFAULT_SORT[of]
    if sort not in SORTS:
        raise QueryError(f"unknown sort={shown(sort)}")
    if of not in SORTS[sort][0]:
        sort = DEFAULT_SORT[of]
    was = query.order if sort == query.sort and "order" not in terms else None
    order: Order = terms.get("order") or was or SORTS[sort][1]
    return sort, order


def _items(term: str, value: Any) -> list[str | Range]:
    """One value or several, ranges read where the term has them."""
    items: list[str | Range] = []
    for item in _listed(value):
        found = read_range(term, str(item)) if term in RANGE_TERMS else item
        if found is not None and found != "":
            items.append(found if isinstance(found, Range) else str(found))
    return items


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]


def _canonical(of: Of, terms: Mapping[str, tuple[Any, ...]]) -> tuple[tuple[str, Any], ...]:
    """Terms with values that apply, in order."""
    applying = [term for term in sorted(terms) if terms[term] and term_is_of(term, of)]
    return tuple((term, terms[term]) for term in applying)
