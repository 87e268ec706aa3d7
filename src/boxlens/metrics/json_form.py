"""Results as JSON: a frozen dataclass is written by its fields, in their order and by their names.

What departs from that is said at the field: `field(metadata=key("AP"))`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

_METADATA = "json"


class _Written(NamedTuple):
    """How a field is written."""

    name: str
    # The value as JSON, if not by its type.
    form: Callable[[Any], Any] | None = None
    # Its keys stand in the place of the field.
    inline: bool = False
    if_given: bool = False
    # Written as a pair with this other field.
    upper: str = ""


def as_key(name: str, form: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """Under another name; `form` makes the value instead of `to_json`."""
    return {_METADATA: _Written(name, form)}


def inline(form: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """The keys of a mapping or record in the place of the field; none where it is None."""
    return {_METADATA: _Written("", form, inline=True)}


def ends(name: str, upper: str) -> dict[str, Any]:
    """This lower end and the field of the upper one as a list; the upper one is `HIDDEN`."""
    return {_METADATA: _Written(name, upper=upper)}


HIDDEN: dict[str, Any] = {_METADATA: None}
# Without a key where it is None.
IF_GIVEN: dict[str, Any] = {_METADATA: _Written("", if_given=True)}


class JsonRecord:
    """A frozen dataclass that is written by its fields."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        return fields_to_json(self)


def fields_to_json(record: object) -> dict[str, Any]:
    found: dict[str, Any] = {}
    plan = _written(type(record))  # type: ignore[arg-type]
    for field, (name, form, in_place, if_given, upper) in plan:
        value = getattr(record, field)
        if value is None and (in_place or if_given):
            continue
        if upper:
            value = [value, getattr(record, upper)]
        value = to_json(value) if form is None else form(value)
        if in_place:
            found.update(value)
        else:
            found[name] = value
    return found


@cache
def _written(record: type) -> tuple[tuple[str, _Written], ...]:
    """The fields in JSON, and how."""
    rows = ((one.name, one.metadata.get(_METADATA, _Written(one.name))) for one in fields(record))
    return tuple(
        (name, how if how.name else how._replace(name=name))
        for name, how in rows
        if how is not None
    )


def to_json(value: Any) -> Any:
    """A result or any part of it: undefined is null, arrays and tuples are lists."""
    # Most frequent first: a result has tens of thousands of numbers.
    if isinstance(value, float):
        return number(value)
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, (tuple, list)):
        return [to_json(one) for one in value]
    if hasattr(value, "to_json"):
        return value.to_json()
    if hasattr(value, "tolist"):
        return to_json(value.tolist())
    if isinstance(value, Mapping):
        # Thresholds as keys: "0.5", "0.55", ...
        return {
            f"{name:g}" if isinstance(name, float) else name: to_json(one)
            for name, one in value.items()
        }
    if is_dataclass(value):
        return fields_to_json(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def null_if_empty(text: str) -> str | None:
    return text or None


def number(value: float) -> float | None:
    """NaN becomes None, which JSON can say."""
    return None if math.isnan(value) else float(value)


def defined(metrics: Mapping[str, float]) -> dict[str, float | None]:
    return {name: number(value) for name, value in metrics.items()}
