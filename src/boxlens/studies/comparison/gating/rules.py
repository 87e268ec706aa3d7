"""The rules of a gate, a tiny language: `AP of person >= baseline - 0.01`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from boxlens.data.columns import Floats
from boxlens.studies.comparison.gating.mistakes import Place, nearest

Comparator = Literal[">=", ">", "<=", "<"]
COMPARATORS: Mapping[str, Comparator] = {">=": ">=", ">": ">", "<=": "<=", "<": "<"}
Kind = Literal["whole", "class", "each class", "slice"]

FORM = "Write it like: AP >= baseline - 0.002, AP50 >= 0.4, AP of person >= baseline * 0.98"
LIMIT_FORM = "A limit is a number, baseline, baseline + or - a number, or baseline * a number"
FIELDS = ("rule", "metric", "of", "at_least", "at_most")
EACH_CLASS = "each class"
SLICE = "slice:"
# More is a percentage by mistake.
LARGEST_SHARE = 2

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RULE = re.compile(
    r"(?P<metric>[^\s<>=!]+)"
    r"(?:\s+of\b\s*(?P<of>(?:slice:\s*)?(?:\"[^\"]*\"|'[^']*')|[^<>=!\"']*))?"
    r"\s*(?P<comparator>[<>=!]+)\s*(?P<limit>.*)",
)
_LIMIT = re.compile(
    rf"(?P<number>[+-]?{_NUMBER})|baseline(?:\s*(?P<sign>[-+*])\s*(?P<amount>{_NUMBER}))?"
)


@dataclass(frozen=True, slots=True)
class Limit:
    """A share of the baseline's value plus a number; the share of a mere number is 0."""

    text: str
    share: float
    plus: float

    def at(self, baseline: Floats) -> Floats:
        """The limit for these values of the baseline; a mere number does not look at them."""
        if self.share == 0:
            return np.full_like(baseline, self.plus)
        return baseline * self.share + self.plus


@dataclass(frozen=True, slots=True)
class Target:
    """What a metric is taken of, with the name of the class or slice."""

    kind: Kind = "whole"
    name: str = ""

    def __str__(self) -> str:
        if self.kind == "whole":
            return "all"
        if self.kind == "slice":
            return SLICE + self.name
        return EACH_CLASS if self.kind == "each class" else self.name


@dataclass(frozen=True, slots=True)
class Rule:
    """What a metric of the candidate has to keep to."""

    metric: str
    of: Target
    comparator: Comparator
    limit: Limit
    place: Place

    @property
    def lower(self) -> bool:
        """Whether the limit is the least value rather than the largest."""
        return self.comparator in (">=", ">")

    @property
    def strict(self) -> bool:
        """Whether the limit itself breaks the rule."""
        return self.comparator in (">", "<")

    def text_of(self, target: Target) -> str:
        """The rule for one of the targets it stands for."""
        of = "" if target.kind == "whole" else f" of {target}"
        return f"{self.metric}{of} {self.comparator} {self.limit.text}"

    def __str__(self) -> str:
        return self.text_of(self.of)


def parse_rule(text: str, place: Place | None = None) -> Rule:
    """A rule from its text; mistakes are told with their place."""
    place = place or Place(f"rule {text!r}")
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise place.mistake("a rule compares a metric with a limit", FORM)
    if found["comparator"] not in COMPARATORS:
        raise place.mistake(f"{found['comparator']!r} does not compare: use >=, >, <= or <", FORM)
    return Rule(
        metric=found["metric"],
        of=_target(found["of"], place),
        comparator=COMPARATORS[found["comparator"]],
        limit=_limit(found["limit"].strip(), place),
        place=place,
    )


def rule_of_fields(fields: Mapping[str, Any], place: Place) -> Rule:
    """A rule from a table of a TOML file: its text, or metric, of, and at_least or at_most."""
    for key in fields:
        if key not in FIELDS:
            raise place.unknown("key of a rule", key, FIELDS)
    if "rule" in fields:
        if len(fields) > 1:
            raise place.mistake("give either rule, or metric with at_least or at_most")
        return parse_rule(_text(fields, "rule", place), place)
    ends = [key for key in ("at_least", "at_most") if key in fields]
    if "metric" not in fields or len(ends) != 1:
        raise place.mistake(
            "a rule has a metric and one of at_least and at_most",
            'Write rule = "AP >= baseline", or metric = "AP" and at_least = "baseline"',
        )
    limit = fields[ends[0]]
    if isinstance(limit, bool) or not isinstance(limit, (int, float, str)):
        raise place.mistake(f"{ends[0]} is a number or a text, got {limit!r}", LIMIT_FORM)
    return Rule(
        metric=_text(fields, "metric", place),
        of=_target(_text(fields, "of", place) if "of" in fields else None, place),
        comparator=">=" if ends[0] == "at_least" else "<=",
        limit=_limit(str(limit).strip(), place),
        place=place,
    )


def _text(fields: Mapping[str, Any], key: str, place: Place) -> str:
    if not isinstance(fields[key], str):
        raise place.mistake(f"{key} is a text, got {fields[key]!r}")
    return str(fields[key])


def _target(text: str | None, place: Place) -> Target:
    """Between quotes it is always a class; otherwise there are words with a meaning."""
    if text is None:
        return Target()
    text = text.strip()
    name = _unquoted(text)
    if name != text:
        kind: Kind = "class"
    elif " ".join(text.split()) == EACH_CLASS:
        return Target("each class")
    elif text.startswith(SLICE):
        kind, name = "slice", _unquoted(text.removeprefix(SLICE).strip())
    else:
        kind = "class"
    if not name:
        raise place.mistake('"of" names a class, a slice, or each class', FORM)
    return Target(kind, name)


def _unquoted(text: str) -> str:
    quoted = len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def _limit(text: str, place: Place) -> Limit:
    found = _LIMIT.fullmatch(text)
    if found is None:
        raise place.mistake(f"{text!r} is not a valid limit", _limit_remedy(text))
    if found["number"] is not None:
        return Limit(text, 0, _fraction(found["number"], place, largest=1))
    sign, amount = found["sign"], found["amount"]
    if sign is None:
        return Limit("baseline", 1, 0)
    written = f"baseline {sign} {amount}"
    if sign == "*":
        share = float(amount)
        if not 0 < share <= LARGEST_SHARE:
            raise place.mistake(
                f"a share of the baseline is above 0 and at most {LARGEST_SHARE}, got {amount}",
                "Two percent less is baseline * 0.98",
            )
        return Limit(written, share, 0)
    # A whole 1 below the baseline is 0 or less: such a rule always holds.
    distance = _fraction(amount, place, largest=0.99)
    return Limit(written, 1, -distance if sign == "-" else distance)


def _limit_remedy(text: str) -> str:
    """With the limit as it was probably meant, where its word is nearly the right one."""
    word = re.match(r"[^\W\d]+", text)
    if word is None or nearest(word[0], ["baseline"]) is None:
        return LIMIT_FORM
    meant = "baseline" + text[word.end() :]
    return f"Did you mean {meant!r}? {LIMIT_FORM}" if _LIMIT.fullmatch(meant) else LIMIT_FORM


def _fraction(text: str, place: Place, *, largest: float) -> float:
    """Every metric lies between 0 and 1: beyond, a rule always holds or never."""
    value = float(text)
    if not 0 <= value <= largest:
        raise place.mistake(
            f"metrics are fractions, so a number must be between 0 and 1, got {text}",
            "Forty percent is 0.4",
        )
    return value
