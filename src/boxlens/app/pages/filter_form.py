"""The form that chooses boxes: every term of the query language as something to tick or type."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from boxlens.app.opening.run import Of, Run
from boxlens.app.pages.addresses import Pairs, values
from boxlens.app.pages.words import (
    OUTSIDE,
    RIGHT,
    kind_named,
    plain_number,
    scheme_title,
    small_number,
)
from boxlens.app.selecting.columns import column_of, values_of
from boxlens.app.selecting.terms import (
    ATTRIBUTE,
    BACKGROUND,
    CHARACTERISTIC,
    RANGE_TERMS,
    VALUE_TERMS,
    QueryError,
)
from boxlens.data.columns import Floats

# A list longer than this can be searched.
LONG: Final = 12
# A list longer than this is cut: whoever needs more writes the address.
MOST_VALUES: Final = 500
SIZES: Final = {
    "small": "small, up to 32² px",
    "medium": "medium",
    "large": "large, from 96² px",
}
RANGE_WORDS: Final = {
    "score": "score",
    "iou": "IoU",
    "area": "area",
    "loss": "loss of AP",
    "rank": "rank in its class",
    "top": "rank relative to objects",
    "disagreement": "disagreement of the image",
}
CLASS_WORDS: Final = {
    "true_class": "confusion matrix: true class",
    "taken_for": "confusion matrix: taken for",
    "object_class": "class of the nearest object",
}
FLAG_WORDS: Final = {"1": "yes", "0": "no"}
UNDETECTED_WORDS: Final = {"1": "undetected", "0": "found"}


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that may be ticked; `colour` is "" where it has none."""

    value: str
    words: str
    ticked: bool
    colour: str = ""


def choices(words: Mapping[str, str], now: Collection[str]) -> tuple[Choice, ...]:
    """Values in words, ticked where they are among those of now."""
    return tuple(Choice(value, said, value in now) for value, said in words.items())


@dataclass(frozen=True, slots=True)
class Choices:
    """Values of one term."""

    term: str
    legend: str
    choices: tuple[Choice, ...]

    @property
    def n_ticked(self) -> int:
        return sum(choice.ticked for choice in self.choices)

    @property
    def long(self) -> bool:
        return len(self.choices) > LONG


@dataclass(frozen=True, slots=True)
class Span:
    """A range to be typed, what it is now, and between which ends numbers lie."""

    term: str
    legend: str
    text: str
    bounds: str


@dataclass(frozen=True, slots=True)
class Group:
    """Some terms behind one heading; `n_set` of them say something."""

    title: str
    choices: tuple[Choices, ...]
    spans: tuple[Span, ...]

    @property
    def n_set(self) -> int:
        ticked = sum(one.n_ticked for one in self.choices)
        return ticked + sum(bool(one.text) for one in self.spans)

    @property
    def long(self) -> bool:
        return len(self.choices) + len(self.spans) > LONG


@dataclass(frozen=True, slots=True)
class Form:
    """All filters of one kind of rows."""

    of: Of
    find: str
    detector: Choices | None
    classes: Choices | None
    schemes: tuple[Choices, ...]
    # The scheme whose labels are seen at first.
    scheme: int
    groups: tuple[Group, ...]
    further: Pairs


def filter_form(run: Run, of: Of, pairs: Pairs) -> Form:
    """What may be asked of detections, objects or images, ticked as it is now."""
    schemes = tuple(
        _scheme(run, of, name, pairs)
        for name in run.about["schemes"]
        if of in VALUE_TERMS.get(name, ())
    )
    used = [place for place, one in enumerate(schemes) if one.n_ticked]
    found_or_not = _of_term(of, pairs, "undetected", "Found or not", UNDETECTED_WORDS)
    groups = (
        Group("Score", (), _spans(run, of, pairs, ("score",))),
        Group("Size", _sizes(run, of, pairs), _spans(run, of, pairs, ("area",))),
        Group("Overlap and loss", (), _spans(run, of, pairs, ("iou", "loss", "rank", "top"))),
        Group("Confusions", _confusions(run, of, pairs), ()),
        Group("Found or not", found_or_not, ()),
        _attributes(run, of, pairs),
        Group("Characteristics", _characteristics(run, of, pairs), ()),
        Group("Images", (), _spans(run, of, pairs, ("disagreement",))),
    )
    return Form(
        of=of,
        find=next(iter(values(pairs, "find")), ""),
        detector=_detectors(run, of, pairs),
        classes=_texts(pairs, "class", "Class", run.class_names)
        if of in VALUE_TERMS["class"]
        else None,
        schemes=schemes,
        scheme=(used or [0])[0],
        groups=groups,
        further=_further(run, pairs),
    )


def _detectors(run: Run, of: Of, pairs: Pairs) -> Choices | None:
    """None ticked means all; images take their numbers from one."""
    if len(run.detector_names) < 2:
        return None
    now = values(pairs, "detector") or (("0",) if of != "detections" else ())
    named = {str(row): name for row, name in enumerate(run.detector_names)}
    return Choices("detector", "Detector", choices(named, now))


def _further(run: Run, pairs: Pairs) -> Pairs:
    """A field to type in holds one value of a term; the others are passed on unseen."""
    numbers = [one["name"] for one in run.about["attributes"] if one["kind"] == "number"]
    typed = {"find", *RANGE_TERMS, *(f"{ATTRIBUTE}{name}" for name in numbers)}
    seen: set[str] = set()
    further = []
    for term, value in pairs:
        if term in typed & seen:
            further.append((term, value))
        seen.add(term)
    return tuple(further)


def _texts(pairs: Pairs, term: str, legend: str, known: Iterable[str]) -> Choices:
    words = {value: value for value in known}
    return Choices(term, legend, choices(words, frozenset(values(pairs, term))))


def _scheme(run: Run, of: Of, name: str, pairs: Pairs) -> Choices:
    ticked = frozenset(values(pairs, name))
    labels = run.about["schemes"].get(name, {}).get(of, ())
    kinds = []
    for label in sorted(labels, key=lambda one: (one != RIGHT, one == OUTSIDE)):
        kind = kind_named(label)
        kinds.append(Choice(label, kind.label, label in ticked, kind.colour))
    return Choices(name, scheme_title(run, name), tuple(kinds))


def _sizes(run: Run, of: Of, pairs: Pairs) -> tuple[Choices, ...]:
    known = not run.relative or not np.isnan(run.images.width).all()
    return _of_term(of, pairs, "size", "Size", SIZES) if known else ()


def _confusions(run: Run, of: Of, pairs: Pairs) -> tuple[Choices, ...]:
    found = []
    for term, words in CLASS_WORDS.items():
        if of in VALUE_TERMS[term]:
            nothing = () if term == "object_class" else (BACKGROUND,)
            found.append(_texts(pairs, term, _heading(words), (*nothing, *run.class_names)))
    return tuple(found)


def _of_term(
    of: Of, pairs: Pairs, term: str, legend: str, words: Mapping[str, str]
) -> tuple[Choices, ...]:
    """None where rows of this kind do not have the term."""
    if of not in VALUE_TERMS[term]:
        return ()
    return (Choices(term, legend, choices(words, values(pairs, term))),)


def _attributes(run: Run, of: Of, pairs: Pairs) -> Group:
    if of == "images":
        return Group("Attributes", (), ())
    ticked, spans = [], []
    for one in run.about["attributes"]:
        name, term = one["name"], f"{ATTRIBUTE}{one['name']}"
        if one["kind"] == "flag":
            ticked.append(Choices(term, name, choices(FLAG_WORDS, values(pairs, term))))
        elif one["kind"] == "text":
            known = values_of(run, of, term)[:MOST_VALUES]
            ticked.append(_texts(pairs, term, name, known))
        elif one["kind"] == "number":
            column = run.objects.numbers.get(f"attribute_{name}")
            bounds = "" if column is None else _bounds(column)
            spans.append(Span(term, name, _range_text(pairs, term), bounds))
    return Group("Attributes", tuple(ticked), tuple(spans))


def _characteristics(run: Run, of: Of, pairs: Pairs) -> tuple[Choices, ...]:
    if of == "images":
        return ()
    return tuple(
        _texts(pairs, f"{CHARACTERISTIC}{one['name']}", one["name"], one["subsets"])
        for one in run.about["characteristics"]
    )


def _spans(run: Run, of: Of, pairs: Pairs, terms: Iterable[str]) -> tuple[Span, ...]:
    return tuple(
        Span(term, _heading(RANGE_WORDS[term]), _range_text(pairs, term), _bounds_of(run, of, term))
        for term in terms
        if of in RANGE_TERMS[term] and has_column(run, of, term)
    )


def has_column(run: Run, of: Of, term: str) -> bool:
    """Not every run has everything: a single detector has no disagreement."""
    try:
        column_of(run, of, term)
    except QueryError:
        return False
    return True


def _heading(words: str) -> str:
    return words[:1].upper() + words[1:]


def _range_text(pairs: Pairs, term: str) -> str:
    return next(iter(values(pairs, term)), "")


def _bounds_of(run: Run, of: Of, term: str) -> str:
    if term == "top":
        return "1: as many as there are objects"
    return _bounds(column_of(run, of, term).values)


def _bounds(column: Floats) -> str:
    low, high = (
        float(reduce(column, initial=np.nan)) for reduce in (np.fmin.reduce, np.fmax.reduce)
    )
    said = [small_number(end) if abs(end) < 1 else plain_number(end) for end in (low, high)]
    return f"{said[0]} to {said[1]}" if all(said) else ""
