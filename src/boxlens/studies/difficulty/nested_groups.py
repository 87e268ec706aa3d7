"""Classes by the values of a property, and of a property within the values of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boxlens.data.class_properties import ClassProperties
    from boxlens.data.columns import Rows


@dataclass(frozen=True, slots=True)
class ClassGroups:
    """A property's values, each with the rows of its classes; values without classes are none."""

    property: str
    # Such as ("kind", "man-made"); empty texts: all classes.
    within_property: str
    within_value: str
    groups: tuple[tuple[str, Rows], ...]
    # With a value of the property or without.
    n_classes: int


def nested_groups(
    properties: ClassProperties, nested: Sequence[tuple[str, str]] = ()
) -> Iterator[ClassGroups]:
    """Every property over all classes, then every inner one within each value of its outer one."""
    for name, values in properties.values.items():
        yield ClassGroups(name, "", "", _filled(properties.groups(name)), len(values))
    for outer, inner in nested:
        check_nested(outer, inner, properties)
        for outer_value, inside in properties.groups(outer):
            shares = [
                (value, np.intersect1d(rows, inside)) for value, rows in properties.groups(inner)
            ]
            yield ClassGroups(inner, outer, outer_value, _filled(shares), len(inside))


def check_nested(outer: str, inner: str, properties: ClassProperties) -> None:
    """Refuses what the class table cannot nest."""
    for name in (outer, inner):
        if name not in properties.values:
            known = ", ".join(repr(one) for one in properties.values)
            raise ParameterError(f"properties are {known}, got {name!r} (--nest, nested)")
    if outer == inner:
        raise ParameterError(
            f"a property is looked at within another, got {outer!r} twice (--nest, nested)"
        )


def _filled(groups: Sequence[tuple[str, Rows]]) -> tuple[tuple[str, Rows], ...]:
    return tuple((value, rows) for value, rows in groups if len(rows))
