"""What recognition alone would reach, from the results.json of `boxlens upper-bound -o`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from boxlens.data import Notice, counted_notice
from boxlens.data.naming import some_names
from boxlens.errors import InputError
from boxlens.formats.files import DATA_BYTES, read_json
from boxlens.metrics.json_form import HIDDEN, JsonRecord
from boxlens.studies.upper_bound.result import SCHEMA

_REMEDY = "Give the results.json that boxlens upper-bound -o has written"


@dataclass(frozen=True, slots=True)
class KnownBound(JsonRecord):
    """UAP, as it was measured on the unchanged pictures (METHODS 4.1)."""

    classifier: str
    uap: float
    # One a class of the study; NaN where it has none.
    by_class: tuple[float, ...]
    # Of the pictures that it was measured on.
    n_images: int = field(metadata=HIDDEN)
    notices: tuple[Notice, ...] = field(default=(), metadata=HIDDEN)

    def of_other_pictures(self, n_images: int) -> tuple[Notice, ...]:
        """A bound of one set of pictures says nothing of another."""
        if n_images == self.n_images:
            return ()
        message = (
            f"the upper bound is of {self.n_images:,} images, this run of {n_images:,}: compare "
            "them with care"
        )
        return (Notice("bound_of_other_images", 1, message),)


def read_bound(path: str | PathLike[str], classes: Sequence[str]) -> KnownBound:
    """Joined by the names of classes; what does not fit is told in the notices."""
    document = _document(path)
    try:
        classifier = str(document["parameters"]["classifier"]["name"])
        uap = _number(document["results"]["uap"])
        n_images = int(document["dataset"]["n_images"])
        given = [(str(one["class"]), _number(one["uap"])) for one in document["results"]["classes"]]
    except (LookupError, TypeError, ValueError, OverflowError) as problem:
        raise InputError(f"damaged ({problem!r})", path=path, remedy=_REMEDY) from problem
    # Two classes may be called alike: they are taken in order.
    left: dict[str, list[float]] = {}
    for name, value in given:
        left.setdefault(name, []).append(value)
    if not any(name in left for name in classes):
        raise InputError(
            f"names no class of the data set, but {some_names(map(repr, left))}",
            path=path,
            remedy=f"The classes are {some_names(map(repr, classes))}",
        )
    found = [left[name].pop(0) if left.get(name) else None for name in classes]
    without = [name for name, value in zip(classes, found, strict=True) if value is None]
    unknown = [name for name, values in left.items() for _ in values]
    return KnownBound(
        classifier,
        uap,
        tuple(math.nan if value is None else value for value in found),
        n_images,
        (*_without_bound(without, path), *_without_class(unknown, path)),
    )


def _without_bound(names: Sequence[str], path: str | PathLike[str]) -> tuple[Notice, ...]:
    which = f"no upper bound in {path}: {some_names(names)}"
    many, one = f"classes have {which}", f"class has {which}"
    return counted_notice("class_without_bound", len(names), many, one)


def _without_class(names: Sequence[str], path: str | PathLike[str]) -> tuple[Notice, ...]:
    which = f"not in the data set: {some_names(names)}"
    many, one = f"classes of {path} are {which}", f"class of {path} is {which}"
    return counted_notice("bound_without_class", len(names), many, one)


def _document(path: str | PathLike[str]) -> dict[str, Any]:
    document = read_json(path, remedy=_REMEDY, most_bytes=DATA_BYTES)
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        problem_words = f"expected {SCHEMA}, got {schema or 'no schema'}"
        raise InputError(problem_words, path=path, remedy=_REMEDY)
    known: dict[str, Any] = document
    return known


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
