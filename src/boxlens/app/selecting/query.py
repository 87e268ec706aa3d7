"""What an address asks for: of which rows, which of them, in which order, which page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import quote, urlencode

from boxlens.app.opening.run import Of, Run
from boxlens.app.selecting.columns import column_of, read_term
from boxlens.app.selecting.terms import (
    ATTRIBUTE,
    DEFAULT_SORT,
    FEWEST_PER_PAGE,
    LONGEST_FIND,
    MOST_FINDS,
    MOST_PAGES,
    MOST_PER_PAGE,
    MOST_TERMS,
    OFS,
    ONCE_TERMS,
    ORDERS,
    RANGE_TERMS,
    SCHEMES,
    SHOWS,
    SORTS,
    USUAL_PER_PAGE,
    Order,
    QueryError,
    Range,
    Show,
    known_value,
    shown,
    term_is_of,
)

__all__ = ["Query", "QueryError", "Range", "parse_query"]

Word = TypeVar("Word", bound=str)
Value = TypeVar("Value", str, Range)


@dataclass(frozen=True, slots=True)
class Query:
    """Terms hold together, the values of a term are alternatives. Ordered: equal ones are equal."""

    of: Of = "detections"
    # Empty: all detectors for detections, the first one for objects and images.
    detectors: tuple[int, ...] = ()
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ranges: tuple[tuple[str, tuple[Range, ...]], ...] = ()
    sort: str = "score"
    order: Order = "desc"
    show: Show = "images"
    page: int = 1
    per: int = USUAL_PER_PAGE

    def values_of(self, term: str) -> tuple[str, ...]:
        """The values asked for, none where the term is absent."""
        return dict(self.values).get(term, ())

    def detectors_of(self, run: Run) -> tuple[int, ...]:
        """The detectors meant, by row."""
        if self.detectors or self.of != "detections":
            return self.detectors or (0,)
        return tuple(range(len(run.detector_names)))

    def pairs(self) -> list[tuple[str, str]]:
        """Terms and values in canonical order, without defaults."""
        plain = Query(of=self.of, sort=DEFAULT_SORT[self.of])
        pairs: list[tuple[str, str]] = [] if self.of == "detections" else [("of", self.of)]
        pairs += [("detector", str(row)) for row in self.detectors]
        pairs += [(term, value) for term, values in self.values for value in values]
        pairs += [(term, one.text()) for term, ranges in self.ranges for one in ranges]
        if self.sort != plain.sort:
            pairs.append(("sort", self.sort))
        if self.order != SORTS[self.sort][1]:
            pairs.append(("order", self.order))
        for name in ("show", "page", "per"):
            if getattr(self, name) != getattr(plain, name):
                pairs.append((name, str(getattr(self, name))))
        return pairs

    def text(self) -> str:
        """The canonical query string: equal queries have equal texts."""
        return urlencode(self.pairs(), quote_via=quote, safe="()")

    def selection_text(self) -> str:
        """The same without page and layout: equal selections of rows."""
        return replace(self, show="images", page=1, per=USUAL_PER_PAGE).text()

    def asked_of(self, of: Of) -> Query:
        """The first page of the same for other rows; what does not apply to them is dropped.

        So are kinds of errors: schemes have other labels for objects than for detections.
        """
        dropped = () if of == self.of else SCHEMES
        sort = self.sort if of in SORTS[self.sort][0] else DEFAULT_SORT[of]
        return replace(
            self,
            of=of,
            detectors=self.detectors[:1] if of == "images" else self.detectors,
            values=tuple(
                one for one in self.values if term_is_of(one[0], of) and one[0] not in dropped
            ),
            ranges=tuple(one for one in self.ranges if term_is_of(one[0], of)),
            sort=sort,
            order=self.order if sort == self.sort else SORTS[sort][1],
            page=1,
        )


def parse_query(pairs: Iterable[tuple[str, str]], run: Run) -> Query:
    """The query of an address, from its decoded pairs; raises `QueryError` if it is invalid.

    Empty values count as absent, as forms send them; so do blanks, where they can be no name.
    """
    attributes = run.about["attributes"]
    numbers = {f"{ATTRIBUTE}{one['name']}" for one in attributes if one["kind"] == "number"}
    typed = {"find", "detector", "page", "per", *RANGE_TERMS, *numbers}
    given = [(term, value) for term, value in pairs if (value.strip() if term in typed else value)]
    _check_extent(given)
    once: dict[str, str] = {}
    others: list[tuple[str, str]] = []
    for term, value in given:
        if not _is_text(value):
            raise QueryError(f"the value of {shown(term)} is not text")
        if term not in ONCE_TERMS:
            others.append((term, value))
        elif once.setdefault(term, value) != value:
            raise QueryError(f"{shown(term)} can be given only once")
    of: Of = _one_of("of", once.get("of", "detections"), OFS)
    detectors = {_detector(run, value) for term, value in others if term == "detector"}
    if of == "images" and len(detectors) > 1:
        raise QueryError("images take their numbers from one detector: give only one")
    values: dict[str, set[str]] = {}
    ranges: dict[str, set[Range]] = {}
    for term, text in others:
        asked = None if term == "detector" else read_term(run, of, term, text)
        if isinstance(asked, Range):
            ranges.setdefault(term, set()).add(asked)
        elif asked is not None:
            values.setdefault(term, set()).add(asked)
    query = Query(of, tuple(sorted(detectors)), _ordered(values), _ordered(ranges))
    return _arranged(query, once, run)


def _arranged(query: Query, once: Mapping[str, str], run: Run) -> Query:
    """With its order, layout and page."""
    sort = _one_of("sort", once.get("sort", DEFAULT_SORT[query.of]), tuple(SORTS))
    allowed, usual = SORTS[sort]
    if query.of not in allowed:
        raise QueryError(f"{query.of} cannot be sorted by {sort}: choose from {', '.join(allowed)}")
    # Raises where this run has no such column.
    column_of(run, query.of, sort, query.detectors_of(run)[0])
    return replace(
        query,
        sort=sort,
        order=_one_of("order", once.get("order", usual), ORDERS),
        show=_one_of("show", once.get("show", "images"), SHOWS),
        page=_whole("page", once.get("page", "1"), 1, MOST_PAGES),
        per=_whole("per", once.get("per", str(USUAL_PER_PAGE)), FEWEST_PER_PAGE, MOST_PER_PAGE),
    )


def _check_extent(pairs: Sequence[tuple[str, str]]) -> None:
    """An address asks for no more than the server has at hand for everyone else, too."""
    if len(pairs) > MOST_TERMS:
        raise QueryError(f"{len(pairs):,} terms, at most {MOST_TERMS} are allowed")
    finds = {value for term, value in pairs if term == "find"}
    if len(finds) > MOST_FINDS:
        raise QueryError(f"{len(finds)} texts to find, at most {MOST_FINDS} are allowed")
    if any(len(text) > LONGEST_FIND for text in finds):
        raise QueryError(f"find: a text is longer than {LONGEST_FIND} characters")


def _is_text(value: str) -> bool:
    """Not so where half of a pair of surrogates stands alone: no address can say it."""
    return not any("\ud800" <= mark <= "\udfff" for mark in value)


def _detector(run: Run, text: str) -> int:
    last = len(run.detector_names) - 1
    return _whole("detector", text, 0, last)


def _whole(term: str, text: str, least: int, most: int) -> int:
    """A whole number within bounds."""
    plain = text.strip()
    # So few digits that no text is slow to read.
    number = int(plain) if re.fullmatch(r"[0-9]{1,9}", plain) else -1
    if not least <= number <= most:
        span = str(least) if least == most else f"{least} to {most:,}"
        raise QueryError(f"{term}={shown(text)}: expected a whole number, {span}")
    return number


def _one_of(term: str, text: str, words: tuple[Word, ...]) -> Word:
    known_value(term, text, words)
    return words[words.index(text)]


def _ordered(terms: Mapping[str, set[Value]]) -> tuple[tuple[str, tuple[Value, ...]], ...]:
    return tuple((term, tuple(sorted(terms[term]))) for term in sorted(terms))
