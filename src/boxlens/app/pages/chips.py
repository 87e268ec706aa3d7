"""The filters of a query in words, each with the address without it."""

from __future__ import annotations

from boxlens.app.opening.run import Run
from boxlens.app.pages.addresses import LOOK_TERMS, Link, address, pairs_of, without
from boxlens.app.pages.filter_form import CLASS_WORDS, FLAG_WORDS, RANGE_WORDS, UNDETECTED_WORDS
from boxlens.app.pages.words import kind_named, scheme_title
from boxlens.app.selecting.query import Query
from boxlens.app.selecting.terms import SCHEMES


def chips(run: Run, query: Query, page: str) -> tuple[Link, ...]:
    """In the order of the address."""
    pairs = without(pairs_of(query), ("page",))
    found = []
    for term, value in pairs:
        if term in LOOK_TERMS - {"detector"}:
            continue
        words, colour = term_words(run, term, value)
        found.append(Link(words, address(page, without(pairs, (term,), value)), colour=colour))
    return tuple(found)


def term_words(run: Run, term: str, value: str) -> tuple[str, str]:
    """A term in words, and the colour of a kind of error."""
    if term in SCHEMES:
        kind = kind_named(value)
        return f"{scheme_title(run, term)}: {kind.label}", kind.colour
    if term == "detector":
        return f"detector: {run.detector_names[int(value)]}", ""
    if term == "undetected":
        return UNDETECTED_WORDS[value], ""
    if term == "find":
        return f"“{value}” in the name", ""
    if term in RANGE_WORDS:
        return f"{RANGE_WORDS[term]} {_range(value)}", ""
    if term in CLASS_WORDS:
        return f"{CLASS_WORDS[term]}: {value}", ""
    name = term.partition(".")[2] or term
    kinds = {one["name"]: one["kind"] for one in run.about["attributes"]}
    if term.startswith("attribute.") and kinds.get(name) == "flag":
        value = FLAG_WORDS.get(value, value)
    elif term.startswith("attribute.") and kinds.get(name) == "number":
        return f"{name} {_range(value)}", ""
    return f"{name}: {value}", ""


def _range(text: str) -> str:
    low, dots, high = text.partition("..")
    if not dots:
        return low
    if not high:
        return f"from {low}"
    return f"{low} to {high}" if low else f"up to {high}"
