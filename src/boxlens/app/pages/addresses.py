"""Addresses of pages: the terms of a query, with some changed, added or taken away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from boxlens.app.selecting.query import Query

Pairs = tuple[tuple[str, str], ...]

# Terms that choose no rows, but how they are shown.
LOOK_TERMS = frozenset({"of", "detector", "sort", "order", "show", "page", "per"})


@dataclass(frozen=True, slots=True)
class Link:
    """Words with an address; no address where there is nothing to go to, no colour mostly."""

    words: str
    href: str
    current: bool = False
    colour: str = ""


def pairs_of(query: Query) -> Pairs:
    """Its terms in canonical order."""
    return tuple(query.pairs())


def values(pairs: Pairs, name: str) -> tuple[str, ...]:
    return tuple(value for term, value in pairs if term == name)


def without(pairs: Pairs, names: Iterable[str], value: str | None = None) -> Pairs:
    """Terms by name, of one value if given."""
    gone = frozenset(names)
    return tuple(
        (term, said)
        for term, said in pairs
        if term not in gone or (value is not None and said != value)
    )


def replaced(pairs: Pairs, name: str, value: object) -> Pairs:
    return (*without(pairs, (name,)), (name, str(value)))


def address(page: str, pairs: Pairs = ()) -> str:
    """A page with its query, if there is any."""
    # Dots, brackets and blanks stay readable where an address allows it.
    return f"{page}?{urlencode(pairs, quote_via=quote, safe='()')}" if pairs else page
