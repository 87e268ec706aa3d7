"""Which characteristics are looked at: those asked for, or all the data has that tell something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from boxlens.data import Dataset, Notice
from boxlens.data.columns import Attribute, Bools, Rows
from boxlens.data.naming import some_names
from boxlens.data.source import counted_notice
from boxlens.errors import ParameterError
from boxlens.studies.sensitivity.characteristics import (
    MOST_NUMBERS,
    MOST_TEXTS,
    OF_BOXES,
    POOLS,
    SOURCES,
    Column,
    Objects,
    column_of,
    distinct,
    present,
)

ANNOTATED = (*SOURCES, *POOLS)
# What an object's confidence is predicted from (METHODS 2.7).
PREDICTORS = ("area", "aspect", "occlusion", "truncation")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The characteristics of a data set, each made once."""

    objects: Objects
    bins: Mapping[str, tuple[float | str, ...]]
    _made: dict[str, Column] = field(default_factory=dict)

    def column(self, name: str) -> Column:
        """One characteristic by name; refused where the data has none of it."""
        if name not in self._made:
            if not self.objects.has(name):
                raise ParameterError(
                    f"the data set has no characteristic {name!r}: there are "
                    f"{', '.join(self.names())}",
                )
            self._made[name] = column_of(self.objects, name, self.bins.get(name))
        return self._made[name]

    def names(self) -> tuple[str, ...]:
        """Everything that can be asked for; flags that are pooled go by the name of their pool."""
        gt = self.objects.gt
        known = [name for name in (*OF_BOXES, *ANNOTATED) if self.objects.has(name)]
        flags = {flag for pool in self.objects.pools.values() for flag in pool}
        return tuple(dict.fromkeys([*known, *(key for key in gt.attributes if key not in flags)]))

    def predictors(self) -> tuple[Column, ...]:
        there = [name for name in PREDICTORS if self.objects.has(name)]
        return tuple(self.column(name) for name in there if self._reason_against(name) is None)

    def usual(self) -> tuple[tuple[str, ...], tuple[Notice, ...]]:
        """All that tell something, and notices of the others."""
        names, notices, empty = [], [], []
        for name in self._not_repeated():
            reason = None if name in self.bins else self._reason_against(name)
            if reason is None:
                names.append(name)
            elif reason.code == "one_value" and not reason.count:
                empty.append(name)
            else:
                notices.append(reason)
        listed = some_names(empty)
        notices += counted_notice(
            *("no_value", len(empty)),
            f"attributes have no value and cannot group objects: {listed}",
            f"attribute has no value and cannot group objects: {listed}",
        )
        if not self.objects.counted.any():
            # Every attribute would say the same.
            notices = [Notice("no_objects", 0, "no object counts, so no attribute is analysed")]
        return tuple(names), (*notices, *self._gaps())

    def lacking(self, column: Column) -> tuple[Notice, ...]:
        """Counted objects without the annotation take no part in its subsets (METHODS 2.3).

        An attribute that was asked for although it has one value only is told, too.
        """
        reason = None if column.name in self.bins else self._reason_against(column.name)
        if reason is not None:
            return (reason,)
        n = int(np.count_nonzero(self.objects.counted & (column.code < 0).all(axis=0)))
        if n == 0:
            return ()
        total = int(np.count_nonzero(self.objects.counted))
        message = (
            f"{column.name}: {n:,} of {total:,} objects lack it and are skipped in its subsets"
        )
        return (Notice("not_annotated_objects", n, message),)

    def _not_repeated(self) -> Iterator[str]:
        """All names but attributes that say again what occlusion and truncation say."""
        told = [name for name in SOURCES if self.objects.has(name)]
        again = {key for name in told for key in SOURCES[name] if key != name}
        if told:
            again.add("visible_fraction")
        for name in self.names():
            if name not in again:
                yield name

    def _reason_against(self, name: str) -> Notice | None:
        """Why an attribute is not worth a look, or cannot be given one."""
        source = self.objects.source(name)
        if source is None:
            return None
        values = self.objects.gt.attributes[source]
        known = distinct(self.objects, values)
        if len(known) < 2:
            what = "no value" if not known else f"the value {known[0]} only"
            message = f"attribute {source!r} has {what}: it cannot group objects"
            return Notice("one_value", len(known), message)
        if self._is_identifier(values, known):
            message = f"attribute {source!r} is another one for every object: not analysed"
            return Notice("identifier", len(known), message)
        if values.dtype == object and len(known) > MOST_TEXTS:
            message = f"attribute {source!r} has {len(known):,} different texts: not analysed"
            return Notice("too_many_values", len(known), message)
        return None

    def _is_identifier(self, values: Attribute, known: Sequence[str] | Sequence[float]) -> bool:
        """As many values as objects; fractions may well be, as measurements."""
        if len(known) <= MOST_NUMBERS:
            return False
        if len(known) < np.count_nonzero(self.objects.counted & present(values)):
            return False
        return all(isinstance(value, str) or value.is_integer() for value in known)

    def _gaps(self) -> Iterator[Notice]:
        absent = [name for name in ANNOTATED if not self.objects.has(name)]
        if absent:
            message = f"not annotated in this data set, so not analysed: {', '.join(absent)}"
            yield Notice("not_annotated", len(absent), message)
        hidden = sorted({*OF_BOXES, *self.objects.pools} & self.objects.gt.attributes.keys())
        if hidden:
            message = (
                f"attributes {', '.join(hidden)} bear the name of a characteristic of boxes or "
                "flags: rename them to have them analysed"
            )
            yield Notice("hidden_attribute", len(hidden), message)


def object_values(
    dataset: Dataset, counted: Bools, names: Sequence[str]
) -> list[tuple[str, tuple[str, ...], Rows]]:
    """Of each characteristic: name, names of its values, the value of every object (-1: none)."""
    catalogue = Catalogue(Objects.of(dataset.gt, counted, len(dataset.classes)), {})
    columns = [catalogue.column(name) for name in names]
    return [(column.name, column.subset_names, column.code[0]) for column in columns]
