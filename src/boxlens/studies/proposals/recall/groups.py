"""Objects that have something in common: a class, a size, a value of an attribute."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Attribute, Bools, Rows
from boxlens.errors import ParameterError
from boxlens.metrics.grid import AREA_RANGES

BY_CLASS, BY_SIZE, BY_DIFFICULT = "class", "size", "difficult"
# As they are shown, and as COCO's ranges of area are called.
SIZES = {"small": "s", "medium": "m", "large": "l"}
# Text with more values names objects, a number with more is cut into quarters.
MOST_VALUES = 12
# Of attributes that nobody asked for.
MOST_ATTRIBUTES = 8


@dataclass(frozen=True, slots=True)
class ObjectGroup:
    by: str
    value: str
    # Places in the list of objects that were asked about.
    members: Rows


def object_groups(
    dataset: Dataset, object_row: Rows, attributes: Sequence[str]
) -> tuple[ObjectGroup, ...]:
    """Classes with objects, sizes in pixels as COCO has them, then attributes.

    Without names those attributes that have few values.
    """
    return tuple(group for group in _groups(dataset, object_row, attributes) if len(group.members))


def _groups(dataset: Dataset, object_row: Rows, attributes: Sequence[str]) -> Iterator[ObjectGroup]:
    gt = dataset.gt
    class_row = gt.class_row[object_row]
    for row, name in enumerate(dataset.classes.name):
        yield _group(BY_CLASS, name, class_row == row)
    if not dataset.relative:
        area = gt.area_px[object_row]
        for name, key in SIZES.items():
            low, high = AREA_RANGES[key]
            yield _group(BY_SIZE, name, (area >= low) & (area <= high))
    difficult = gt.difficult[object_row]
    if difficult.any() and "difficult" not in gt.attributes:
        yield _group(BY_DIFFICULT, "no", ~difficult)
        yield _group(BY_DIFFICULT, "yes", difficult)
    for name in attributes or shown_attributes(dataset):
        if name not in gt.attributes:
            known = ", ".join(gt.attributes) or "none"
            raise ParameterError(
                f"objects have no attribute {name!r}: they have {known} (--by, by)"
            )
        yield from _values(name, gt.attributes[name][object_row])


def shown_attributes(dataset: Dataset) -> list[str]:
    """The first ones that differ between objects and do not name each of them."""
    kinds = [
        name
        for name, column in dataset.gt.attributes.items()
        if len(set(_texts(column)) - {""}) >= 2 and not _names_objects(column)
    ]
    return kinds[:MOST_ATTRIBUTES]


def _names_objects(column: Attribute) -> bool:
    return column.dtype == object and len(set(_texts(column)) - {""}) > MOST_VALUES


def _group(by: str, value: str, mask: Bools) -> ObjectGroup:
    return ObjectGroup(by, value, np.flatnonzero(mask).astype(np.int32))


def _values(name: str, column: Attribute) -> Iterator[ObjectGroup]:
    """Value by value; a number with many values by quarters of the objects."""
    texts = np.array(_texts(column))
    distinct = sorted(set(texts.tolist()) - {""})
    if column.dtype == object or len(distinct) <= MOST_VALUES:
        for value in distinct if column.dtype == object else sorted(distinct, key=float):
            yield _group(name, value, texts == value)
        return
    edges = np.unique(np.nanquantile(column, [0, 0.25, 0.5, 0.75, 1]))
    last = len(edges) - 2
    for number, (low, high) in enumerate(pairwise(edges.tolist())):
        below = column <= high if number == last else column < high
        yield _group(name, f"{low:.3g} to {high:.3g}", (column >= low) & below)


def _texts(column: Attribute) -> list[str]:
    """As they are shown; empty where nothing is known."""
    if column.dtype == object:
        return ["" if value is None else str(value) for value in column.tolist()]
    return ["" if math.isnan(value) else f"{value:g}" for value in column.tolist()]
