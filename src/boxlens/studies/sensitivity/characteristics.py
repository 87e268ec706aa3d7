"""Properties of objects as small whole numbers: which subset of a characteristic each is in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from boxlens.data import GroundTruth
from boxlens.data.class_properties import ordered_words
from boxlens.data.columns import Attribute, Bools, Floats, Rows
from boxlens.errors import ParameterError
from boxlens.studies.sensitivity.bins import (
    ASPECT_NAMES,
    PERCENTILE_NAMES,
    SIZE_NAMES,
    number_name,
    percentile_codes,
    range_names,
    threshold_codes,
)

Kind = Literal["bins", "values", "flags"]

# A number with more distinct values than this is cut into percentile bins.
MOST_NUMBERS = 10
# Text with more distinct values than this names objects rather than describes them.
MOST_TEXTS = 50
UNSPECIFIED = "unspecified"
OCCLUSION_LEVELS = ("none", "low", "medium", "high")
# Where low, medium and high begin (METHODS 2.4, the label file).
OCCLUDED_FRACTIONS = (0.01, 0.1, 0.5)


def _aspect(gt: GroundTruth) -> Floats:
    """Width by height; a box without width or height has none."""
    width, height = gt.box[:, 2], gt.box[:, 3]
    whole = (width > 0) & (height > 0)
    aspect: Floats = np.divide(width, height, out=np.full(len(gt), np.nan), where=whole)
    return aspect


OF_BOXES: Mapping[str, tuple[Callable[[GroundTruth], Floats], tuple[str, ...]]] = {
    "area": (lambda gt: gt.box[:, 2] * gt.box[:, 3], SIZE_NAMES),
    "height": (lambda gt: gt.box[:, 3], SIZE_NAMES),
    "aspect": (_aspect, ASPECT_NAMES),
}
# The attributes a characteristic is read from: the first that is there.
SOURCES: Mapping[str, tuple[str, ...]] = {
    "occlusion": ("occlusion", "occluded_fraction", "occluded"),
    "truncation": ("truncated", "truncated_fraction", "truncation"),
}
# Pooled flags: the prefix of their attributes, and what 0 and 1 mean.
POOLS: Mapping[str, tuple[str, str, str]] = {
    "parts": ("part_", "hidden", "visible"),
    "sides": ("side_", "unseen", "seen"),
}


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects of a data set, which of them count, and the flags behind parts and sides."""

    gt: GroundTruth
    counted: Bools
    n_classes: int
    pools: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, gt: GroundTruth, counted: Bools, n_classes: int) -> Objects:
        found = {name: _pooled(gt, prefix) for name, (prefix, _, _) in POOLS.items()}
        return cls(gt, counted, n_classes, {name: flags for name, flags in found.items() if flags})

    def has(self, name: str) -> bool:
        return name in OF_BOXES or name in self.pools or self.source(name) is not None

    def source(self, name: str) -> str | None:
        """The attribute a characteristic is read from; None for boxes, flags and what is absent."""
        if name in OF_BOXES or name in self.pools:
            return None
        return next((key for key in SOURCES.get(name, (name,)) if key in self.gt.attributes), None)


@dataclass(frozen=True, slots=True)
class Column:
    """A characteristic of every object; subset k is called subset_names[k]."""

    name: str
    kind: Kind
    subset_names: tuple[str, ...]
    # [column, object]: one row, or for flags one a flag, row j with the codes 2 j and 2 j + 1.
    # -1 where the object does not count or is not annotated.
    code: Rows


def column_of(
    objects: Objects, name: str, thresholds: tuple[float | str, ...] | None = None
) -> Column:
    """One characteristic that the data has, in its own subsets or in the user's bins or order."""
    if name in objects.pools:
        if thresholds is not None:
            raise ParameterError(f"bins need numbers, and {name!r} are flags")
        return _flags(objects, name)
    source = objects.source(name)
    values = OF_BOXES[name][0](objects.gt) if source is None else objects.gt.attributes[source]
    if thresholds is not None:
        numbers = [one for one in thresholds if not isinstance(one, str)]
        if values.dtype == object:
            return _general(objects, name, values, tuple(map(str, thresholds)))
        if len(numbers) < len(thresholds):
            raise ParameterError(f"bins of {name!r} are numbers, got {list(thresholds)}")
        code = threshold_codes(values, numbers, objects.counted)
        return Column(name, "bins", range_names(numbers), code[np.newaxis])
    if source is None:
        return _percentiles(objects, name, values, OF_BOXES[name][1])
    return _known(objects, name, source, values) or _general(objects, name, values)


def present(values: Attribute) -> Bools:
    """Objects that carry the annotation; VOC writes "Unspecified" where it has none."""
    if values.dtype == object:
        known = [value is not None and value.lower() != UNSPECIFIED for value in values.tolist()]
        return np.array(known, dtype=np.bool_)
    return ~np.isnan(values)


def distinct(objects: Objects, values: Attribute) -> list[str] | list[float]:
    """The values of the objects that count, ascending."""
    shown = values[objects.counted & present(values)]
    return sorted(set(shown.tolist())) if values.dtype == object else np.unique(shown).tolist()


def _known(objects: Objects, name: str, source: str, values: Attribute) -> Column | None:
    """Occlusion and truncation in the subsets of METHODS 2.4; None: they are noted otherwise."""
    if name not in SOURCES:
        return None
    names: tuple[str, ...]
    if values.dtype == object:
        if name != "occlusion" or not _are_levels(values):
            return None
        names = OCCLUSION_LEVELS
        place = {level: k for k, level in enumerate(names)}
        code = np.array([place.get(value, -1) for value in values], dtype=np.int32)
    elif source == "occluded_fraction":
        names = OCCLUSION_LEVELS
        code = np.searchsorted(OCCLUDED_FRACTIONS, values, side="right").astype(np.int32)
    elif source == "truncated_fraction" or _is_flag(values):
        names = ("clear", "occluded") if name == "occlusion" else ("whole", "truncated")
        code = (values > 0).astype(np.int32)
    else:
        return None
    code[~(objects.counted & present(values))] = -1
    return Column(name, "values", names, code[np.newaxis])


def _general(objects: Objects, name: str, values: Attribute, order: tuple[str, ...] = ()) -> Column:
    """Words of a known scale from its low end up, others by the alphabet, or in a given order."""
    known = distinct(objects, values)
    if values.dtype != object and len(known) > MOST_NUMBERS:
        return _percentiles(objects, name, values, PERCENTILE_NAMES)
    if len(known) > MOST_TEXTS:
        raise ParameterError(
            f"attribute {name!r} has {len(known):,} different texts, at most {MOST_TEXTS} make "
            "subsets that can be compared",
        )
    if values.dtype == object:
        words = list(map(str, known))
        if order and not set(words) <= set(order):
            raise ParameterError(f"the order of {name!r} has all of its values: {', '.join(words)}")
        known = [word for word in order or ordered_words(words) if word in words]
    place = {value: k for k, value in enumerate(known)}
    shown = objects.counted & present(values)
    code = np.full(len(values), -1, dtype=np.int32)
    code[shown] = [place[value] for value in values[shown].tolist()]
    names = tuple(value if isinstance(value, str) else number_name(value) for value in known)
    return Column(name, "values", names, code[np.newaxis])


def _percentiles(objects: Objects, name: str, values: Floats, names: tuple[str, ...]) -> Column:
    code = percentile_codes(values, objects.gt.class_row, objects.counted, objects.n_classes)
    return Column(name, "bins", names, code[np.newaxis])


def _flags(objects: Objects, name: str) -> Column:
    (prefix, no, yes), flags = POOLS[name], objects.pools[name]
    values = np.stack([objects.gt.attributes[flag] for flag in flags])
    code = (values > 0) + 2 * np.arange(len(flags), dtype=np.int32)[:, np.newaxis]
    code[np.isnan(values) | ~objects.counted] = -1
    shown = [flag.removeprefix(prefix).replace("_", " ") for flag in flags]
    names = tuple(f"{flag} {state}" for flag in shown for state in (no, yes))
    return Column(name, "flags", names, code.astype(np.int32))


def _pooled(gt: GroundTruth, prefix: str) -> tuple[str, ...]:
    """Yes/no attributes of a prefix, by name."""
    named = [key for key in gt.attributes if key.startswith(prefix) and len(key) > len(prefix)]
    return tuple(sorted(key for key in named if _is_flag(gt.attributes[key])))


def _is_flag(values: Attribute) -> bool:
    """0 and 1 and nothing else, for some object at least."""
    if values.dtype == object:
        return False
    known = present(values)
    return bool(known.any() and np.all(~known | (values == 0) | (values == 1)))


def _are_levels(values: Attribute) -> bool:
    """The four words of METHODS 2.4 and nothing else."""
    return set(values[present(values)].tolist()) <= set(OCCLUSION_LEVELS)
