"""The classes of a data set: ids, names, supercategories, frequency and tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Ids, Rows, check_lengths, id_column, take
from boxlens.errors import InputError, ParameterError


@dataclass(frozen=True, slots=True)
class ClassTree:
    """A hierarchy over node ids; inner nodes need not be classes, and may have several parents."""

    parents: Mapping[int | str, tuple[int | str, ...]]

    def ancestors(self, node: int | str) -> frozenset[int | str]:
        """Every node above this one, without itself."""
        return _reachable(self.parents, node)

    def descendants(self, node: int | str) -> frozenset[int | str]:
        """Every node below this one, without itself."""
        return _reachable(self.children(), node)

    def children(self) -> dict[int | str, tuple[int | str, ...]]:
        below: dict[int | str, list[int | str]] = {}
        for child, parents in self.parents.items():
            for parent in parents:
                below.setdefault(parent, []).append(child)
        return {parent: tuple(children) for parent, children in below.items()}

    def cycle(self) -> tuple[int | str, ...]:
        """Nodes that form a cycle, each below the next; none in a tree."""
        left = self._above_themselves()
        if not left:
            return ()
        path = [next(iter(left))]
        while True:
            above = next(node for node in self.parents[path[-1]] if node in left)
            if above in path:
                return tuple(path[path.index(above) :])
            path.append(above)

    def _above_themselves(self) -> dict[int | str, None]:
        """Peels off nodes all of whose parents are gone; what stays is in a cycle, or below one."""
        children = self.children()
        open_parents = {node: len(above) for node, above in self.parents.items()}
        waiting = [node for node in (*children, *self.parents) if not open_parents.get(node)]
        done: set[int | str] = set()
        while waiting:
            node = waiting.pop()
            if node in done:
                continue
            done.add(node)
            for child in children.get(node, ()):
                open_parents[child] -= 1
                if open_parents[child] == 0:
                    waiting.append(child)
        return {node: None for node in self.parents if node not in done}


def _reachable(
    edges: Mapping[int | str, tuple[int | str, ...]],
    start: int | str,
) -> frozenset[int | str]:
    found: set[int | str] = set()
    waiting = list(edges.get(start, ()))
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(edges.get(node, ()))
    return frozenset(found - {start})


@dataclass(frozen=True, slots=True)
class Classes:
    """One row per class, ids ascending.

    >>> classes = read_dataset(gt).classes
    >>> classes.name[:3], classes.row_of_name()["dog"]
    (('car', 'van', 'bus'), 4)
    """

    id: Ids
    """Ids as in the file, ascending."""
    name: tuple[str, ...]
    """Names, one per class."""
    supercategory: tuple[str | None, ...] | None = None
    """Name of the group of each class; None where the file names none."""
    frequency: tuple[str | None, ...] | None = None
    """LVIS: "r" (rare), "c" (common) or "f" (frequent), one per class; None elsewhere."""
    tree: ClassTree | None = None
    """The hierarchy over class ids (Open Images); None without one."""
    extra: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Further fields of the file, one value per class (LVIS synset, definition ...)."""

    @classmethod
    def of(
        cls,
        ids: Sequence[int | str] | Ids,
        names: Sequence[str],
        *,
        supercategory: Sequence[str | None] | None = None,
        frequency: Sequence[str | None] | None = None,
        tree: ClassTree | None = None,
        extra: Mapping[str, Sequence[Any]] | None = None,
        sort: bool = False,
    ) -> Classes:
        """Classes in ascending order of id; in another order with `sort`, which moves their rows.

        Rows are then those of `row_of_id()`, no longer the places in the lists given.
        """
        column = id_column(ids)
        given = {"supercategory": supercategory, "frequency": frequency, **(extra or {})}
        lengths = {name: len(values) for name, values in given.items() if values is not None}
        check_lengths({"names": len(names), **lengths}, "ids", len(column))
        order = id_order(column, "class", sort=sort)

        def ordered(values: Sequence[Any] | None) -> tuple[Any, ...] | None:
            if values is None or all(value is None for value in values):
                return None
            return tuple(values[row] for row in order)

        columns = {key: ordered(values) for key, values in (extra or {}).items()}
        return cls(
            id=take(column, order),
            name=tuple(names[row] for row in order),
            supercategory=ordered(supercategory),
            frequency=ordered(frequency),
            tree=tree,
            extra={key: values for key, values in columns.items() if values is not None},
        )

    def __len__(self) -> int:
        return len(self.id)

    def row_of_name(self) -> dict[str, int]:
        """Class row by name."""
        return {name: row for row, name in enumerate(self.name)}

    def row_of_id(self) -> dict[int | str, int]:
        """Class row by id."""
        return {key: row for row, key in enumerate(self.id.tolist())}

    def by_supercategory(self) -> dict[str, list[int]]:
        """Class rows of every supercategory; none where the classes name none."""
        rows: dict[str, list[int]] = {}
        for row, name in enumerate(self.supercategory or ()):
            if name is not None:
                rows.setdefault(name, []).append(row)
        return rows

    def select(self, rows: Rows) -> Classes:
        """The classes of some rows, in the order given."""

        def chosen(values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
            return None if values is None else tuple(values[row] for row in rows)

        return Classes(
            id=take(self.id, rows),
            name=tuple(self.name[row] for row in rows),
            supercategory=chosen(self.supercategory),
            frequency=chosen(self.frequency),
            tree=self.tree,
            extra={key: tuple(values[row] for row in rows) for key, values in self.extra.items()},
        )


def id_order(ids: Ids, what: str, *, sort: bool) -> npt.NDArray[np.int64]:
    """The order in which ids ascend: their own, unless they may be sorted."""
    order = ascending_unique(ids, what)
    if not sort and bool(np.any(order[1:] < order[:-1])):
        given = ids.tolist()
        at = next(row for row in range(1, len(given)) if given[row] < given[row - 1])
        raise ParameterError(
            f"{what} ids must ascend, because a row is a position in their order, but "
            f"{given[at]!r} comes after {given[at - 1]!r}. Give them in ascending order, or pass "
            "sort=True and look up rows by id with row_of_id()"
        )
    return order


def ascending_unique(ids: Ids, what: str) -> npt.NDArray[np.int64]:
    """The order in which ids ascend; raises where one occurs twice."""
    order = np.argsort(ids, kind="stable")
    ranked = ids[order]
    again = np.flatnonzero(ranked[1:] == ranked[:-1])
    if len(again):
        raise InputError(
            f"{what} id {ranked.tolist()[again[0]]!r} occurs more than once",
            remedy=f"Give every {what} a unique id",
        )
    return order
