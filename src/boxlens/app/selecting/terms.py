"""The words of the query language: which terms there are, and what each may be asked of."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from boxlens.app.opening.run import Of
from boxlens.errors import ParameterError

Order = Literal["asc", "desc"]
Show = Literal["images", "boxes"]

BACKGROUND = "(background)"
ATTRIBUTE = "attribute."
CHARACTERISTIC = "characteristic."

OFS: tuple[Of, ...] = ("detections", "objects", "images")
ORDERS: tuple[Order, ...] = ("asc", "desc")
SHOWS: tuple[Show, ...] = ("images", "boxes")
# Terms that may stand once, and choose no rows but the table.
ONCE_TERMS = ("of", "sort", "order", "show", "page", "per")
BOXES: tuple[Of, ...] = ("detections", "objects")
SCHEMES = ("hoiem", "tide", "coco_analyze", "borji")
# Terms with texts for values, in the order of canonical addresses.
VALUE_TERMS: Mapping[str, tuple[Of, ...]] = {
    "class": BOXES,
    **dict.fromkeys(SCHEMES, BOXES),
    "true_class": ("detections",),
    "taken_for": ("objects",),
    "object_class": ("detections",),
    "size": BOXES,
    "undetected": ("objects",),
    "find": OFS,
}
# Terms with ranges for values.
RANGE_TERMS: Mapping[str, tuple[Of, ...]] = {
    "score": BOXES,
    "area": BOXES,
    "iou": BOXES,
    "loss": BOXES,
    "rank": ("detections",),
    "top": ("detections",),
    "disagreement": OFS,
}
# What rows may be sorted by, and which way if nothing is said.
SORTS: Mapping[str, tuple[tuple[Of, ...], Order]] = {
    "score": (BOXES, "desc"),
    "loss": (OFS, "desc"),
    "disagreement": (OFS, "desc"),
    "unexpected": (OFS, "desc"),
    "iou": (BOXES, "desc"),
    "area": (BOXES, "desc"),
    "rank": (("detections",), "asc"),
    "image": (OFS, "asc"),
}
DEFAULT_SORT: Mapping[Of, str] = {"detections": "score", "objects": "image", "images": "image"}
# COCO's areas in pixels; as there, an area on a border is of both sizes.
SIZES: Mapping[str, tuple[float, float]] = {
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, math.inf),
}
FEWEST_PER_PAGE, USUAL_PER_PAGE, MOST_PER_PAGE = 12, 48, 200
MOST_PAGES = 10**8
# So much and no more, so that no address keeps the server from all others.
MOST_TERMS = 500
MOST_FINDS = 20
LONGEST_FIND = 200

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_RANGE = re.compile(rf"({_NUMBER})?\.\.({_NUMBER})?|({_NUMBER})")


class QueryError(ParameterError):
    """An invalid address."""


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """Numbers from low to high, both ends within; an open end is infinite."""

    low: float
    high: float

    def text(self) -> str:
        if self.low == self.high:
            return number_text(self.low)
        ends = (self.low, self.high)
        low, high = ("" if math.isinf(end) else number_text(end) for end in ends)
        return f"{low}..{high}"

    __str__ = text


def is_of_objects(term: str) -> bool:
    """Only objects have it: detections take it from the object they overlap."""
    return term.startswith((ATTRIBUTE, CHARACTERISTIC))


def term_is_of(term: str, of: Of) -> bool:
    """Whether rows of a kind can be chosen by a term."""
    return of in (BOXES if is_of_objects(term) else {**VALUE_TERMS, **RANGE_TERMS}.get(term, ()))


def read_range(term: str, text: str) -> Range | None:
    """`lo..hi`, `lo..`, `..hi` or one number; None for `..`, which leaves everything open."""
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        raise QueryError(f"{term}={shown(text)}: expected a range of numbers such as 0.2..0.5")
    low, high, single = found.groups()
    if single is None and low is None and high is None:
        return None
    ends = Range(_end(low or single, -math.inf), _end(high or single, math.inf))
    if math.isnan(ends.low) or math.isnan(ends.high):
        raise QueryError(f"{term}={shown(text)}: a number is too large")
    if ends.low > ends.high:
        raise QueryError(f"{term}={shown(text)}: the start of the range is above its end")
    return ends


def _end(text: str | None, if_open: float) -> float:
    """One end; NaN where the number is beyond what computers count with."""
    if text is None:
        return if_open
    value = float(text)
    # Adding 0 turns -0 into 0, so that equal ranges have one text.
    return math.nan if math.isinf(value) else value + 0.0


def number_text(value: float) -> str:
    """The shortest text that reads back equal, whole numbers without a point."""
    return repr(value).removesuffix(".0")


def known_value(what: str, value: str, known: Sequence[str]) -> str:
    """The value, if it is one of those known; else an error that names the nearest."""
    if value in known:
        return value
    near = difflib.get_close_matches(value, known, n=1, cutoff=0.6) if len(value) < 80 else []
    if near:
        hint = f"Did you mean {shown(near[0])}?"
    elif len(known) <= 12:
        hint = f"There are {', '.join(map(shown, known)) or 'none'}"
    else:
        hint = f"There are {len(known):,}, such as {', '.join(map(shown, known[:5]))}"
    raise QueryError(f"unknown {what} {shown(value)}. {hint}")


def shown(text: str) -> str:
    """Foreign text in a message, cut where it is long."""
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}...'"
