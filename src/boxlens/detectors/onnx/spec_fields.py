"""Takes the fields of a spec file one by one, checked; unknown fields are refused."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from boxlens.errors import InputError

# What may stand for "no limit" and the like.
_NOTHING = {"", "~", "null", "none"}


def nearest(word: str, known: Collection[str]) -> str:
    """A remedy: the known word that was probably meant, or all of them."""
    close = get_close_matches(word, known, n=1, cutoff=0.6)
    return f"Did you mean '{close[0]}'?" if close else f"Known are: {', '.join(known)}"


class Fields:
    """One section of a spec file. Every method takes a field, checks it and gives its value."""

    def __init__(self, values: Any, path: Path, section: str = "") -> None:
        self.path = path
        self.section = section
        if not isinstance(values, dict):
            raise InputError(
                "expected fields (name: value)",
                path=path,
                where=section or None,
                remedy="See the included specs for the form",
            )
        self._values: Mapping[str, Any] = values
        self._taken: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def where(self, key: str) -> str:
        return f"{self.section}.{key}" if self.section else key

    def wrong(self, key: str, expected: str, remedy: str | None = None) -> InputError:
        value = self._values.get(key)
        got = "missing" if key not in self._values else f"got {value!r}"
        return InputError(
            f"expected {expected}, {got}", path=self.path, where=self.where(key), remedy=remedy
        )

    def raw(self, key: str) -> Any:
        self._taken.append(key)
        return self._values.get(key)

    def section_of(self, key: str) -> Fields:
        values = self.raw(key)
        return Fields(values if key in self._values else {}, self.path, self.where(key))

    def text(self, key: str) -> str | None:
        value = self.raw(key)
        if value is not None and not isinstance(value, str):
            raise self.wrong(key, "a text")
        return value

    def choice(self, key: str, allowed: Collection[str], default: str | None = None) -> str:
        value = self.raw(key)
        if key not in self._values and default is not None:
            return default
        if value not in allowed:
            remedy = nearest(value, allowed) if isinstance(value, str) else None
            raise self.wrong(key, f"one of {', '.join(allowed)}", remedy)
        return str(value)

    def words(self, key: str, allowed: Collection[str]) -> tuple[str, ...]:
        """A list of known words."""
        values = self.raw(key)
        if not isinstance(values, list) or not values:
            raise self.wrong(key, f"a list of {', '.join(allowed)}")
        unknown = [value for value in values if value not in allowed]
        if unknown:
            raise self.wrong(
                key, f"a list of {', '.join(allowed)}", nearest(str(unknown[0]), allowed)
            )
        return tuple(values)

    def number(
        self, key: str, default: float, *, low: float = -math.inf, high: float = math.inf
    ) -> float:
        text = self.raw(key)
        value = default if key not in self._values else _number(text)
        if value is None or not low <= value <= high:
            raise self.wrong(key, f"a number{_span(low, high)}")
        return value

    def numbers(self, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """As many numbers as the default has."""
        texts = self.raw(key)
        if key not in self._values:
            return default
        expected = f"{len(default)} numbers in brackets"
        if not isinstance(texts, list) or len(texts) != len(default):
            raise self.wrong(key, expected)
        values = [_number(text) for text in texts]
        if any(value is None for value in values):
            raise self.wrong(key, expected)
        return tuple(value for value in values if value is not None)

    def whole(self, key: str, default: int, *, low: int, high: int | None = None) -> int:
        text = self.raw(key)
        value = default if key not in self._values else _whole(text)
        if value is None or value < low or (high is not None and value > high):
            span = f"from {low} up" if high is None else f"from {low} to {high}"
            raise self.wrong(key, f"a whole number {span}")
        return value

    def limit(self, key: str) -> int | None:
        """A positive whole number; None where the field is absent or `none`."""
        text = self.raw(key)
        if key not in self._values or _is_nothing(text):
            return None
        value = _whole(text)
        if not value:
            raise self.wrong(key, "a whole number from 1 up, or none")
        return value

    def counts(self, key: str) -> tuple[int, ...]:
        """Positive whole numbers, one or a list of them; () where the field is absent or `none`."""
        texts = self.raw(key)
        if key not in self._values or _is_nothing(texts):
            return ()
        values = [_whole(text) for text in (texts if isinstance(texts, list) else [texts])]
        if any(value is None or value < 1 for value in values):
            raise self.wrong(key, "whole numbers from 1 up")
        return tuple(value for value in values if value is not None)

    def flag(self, key: str, default: bool) -> bool:
        return self.choice(key, ("true", "false"), str(default).lower()) == "true"

    def finish(self) -> None:
        """Refuses unknown fields."""
        for key in self._values:
            if key not in self._taken:
                raise InputError(
                    "unknown field",
                    path=self.path,
                    where=self.where(str(key)),
                    remedy=nearest(str(key), sorted(set(self._taken))),
                )


def _is_nothing(value: Any) -> bool:
    return isinstance(value, str) and value.lower() in _NOTHING


def _number(text: Any) -> float | None:
    """A decimal or a fraction such as 1/255."""
    if not isinstance(text, str):
        return None
    above, _, below = text.partition("/")
    try:
        value = float(above) / (float(below) if below else 1.0)
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None


def _whole(text: Any) -> int | None:
    return int(text) if isinstance(text, str) and text.isascii() and text.isdecimal() else None


def _span(low: float, high: float) -> str:
    if math.isfinite(low) and math.isfinite(high):
        return f" from {low:g} to {high:g}"
    return f" from {low:g} up" if math.isfinite(low) else ""
