"""What may be asked of a run: which terms its rows have, and the values of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.app.selecting.columns import codes_of, column_of, numbers_of
from boxlens.app.selecting.terms import (
    BACKGROUND,
    OFS,
    ONCE_TERMS,
    RANGE_TERMS,
    SCHEMES,
    SIZES,
    VALUE_TERMS,
    QueryError,
    Range,
    is_of_objects,
    known_value,
    read_range,
    shown,
    term_is_of,
)

if TYPE_CHECKING:
    from boxlens.app.opening.run import Of, Run

_FLAGS = {"1": "1", "true": "1", "yes": "1", "0": "0", "false": "0", "no": "0"}


def read_term(run: Run, of: Of, term: str, text: str) -> str | Range | None:
    """One value of a term, checked; None where it leaves everything open."""
    _check_term(of, term)
    if term in RANGE_TERMS:
        return _range(run, of, term, text)
    kind = _kind(run, term) if is_of_objects(term) else "text"
    if kind == "number":
        return _range(run, of, term, text)
    if kind == "flag" or term == "undetected":
        # Raises where this run has no such column.
        column_of(run, of, term)
        return _FLAGS[known_value(term, text.lower(), tuple(_FLAGS))]
    if term == "find":
        return text
    return known_value(term, text, values_of(run, of, term))


def values_of(run: Run, of: Of, term: str) -> tuple[str, ...]:
    """The texts that a term may have, in their own order."""
    if term == "size":
        return tuple(SIZES)
    if term == "class":
        return run.class_names
    codes = codes_of(run, of, term)
    if codes is None:
        raise QueryError(f"{of} of this run have no {shown(term)}")
    listed: tuple[str, ...] = ()
    if term in SCHEMES:
        listed = tuple(run.about["schemes"].get(term, {}).get(of, ()))
    elif term in {"true_class", "taken_for"}:
        listed = (*run.class_names, BACKGROUND)
    elif term == "object_class":
        listed = run.class_names
    return tuple(dict.fromkeys((*listed, *codes.values)))


def _check_term(of: Of, term: str) -> None:
    """The term is one, and rows of this kind have it."""
    if not is_of_objects(term):
        known_value("term", term, (*VALUE_TERMS, *RANGE_TERMS, *ONCE_TERMS, "detector"))
    if not term_is_of(term, of):
        hint = f"Use of={' or of='.join(one for one in OFS if term_is_of(term, one))}"
        if of == "images":
            hint = f"Images can be filtered by find and disagreement. {hint}"
        raise QueryError(f"{shown(term)} does not apply to {of}. {hint}")


def _kind(run: Run, term: str) -> str:
    """text, number or flag."""
    what, _, name = term.partition(".")
    described = run.about[f"{what}s"]
    kinds = {one["name"]: str(one.get("kind", "text")) for one in described}
    known_value(what, name, tuple(kinds))
    return kinds[name]


def _range(run: Run, of: Of, term: str, text: str) -> Range | None:
    """A range of numbers that rows of this kind have; it may hold none of them."""
    # Raises where this run has no such numbers; images have a disagreement without boxes, too.
    numbers_of(run, "images" if term == "disagreement" else of, term)
    return read_range(term, text)
