"""Parts of a data set that rules name: some classes, some images, or objects with an attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from boxlens.data import Dataset, Detections, select_images
from boxlens.data.columns import Attribute, Bools, Rows, frozen
from boxlens.errors import InputError
from boxlens.formats.files import read_text
from boxlens.studies.comparison.gating.mistakes import Place

SliceKind = Literal["classes", "supercategory", "images", "attribute"]
KINDS: tuple[SliceKind, ...] = get_args(SliceKind)
ATTRIBUTE_KEYS = ("name", "value")


@dataclass(frozen=True, slots=True)
class SliceRecipe:
    """A slice as it is written: its form is checked, its names are not known to any data yet."""

    kind: SliceKind
    value: Any
    place: Place


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice of a data set: one of the three is there."""

    class_rows: tuple[int, ...] | None = None
    image_rows: Rows | None = None
    # Objects that count; the others neither count nor hurt.
    counted: Bools | None = None


def slice_recipe(fields: Any, place: Place, *, folder: Path | None = None) -> SliceRecipe:
    """One of classes, supercategory, images and attribute; a file of images lies in `folder`."""
    if not isinstance(fields, dict):
        raise place.mistake(f"a slice is a table, got {fields!r}")
    for key in fields:
        if key not in KINDS:
            raise place.unknown("key of a slice", key, KINDS)
    if len(fields) != 1:
        raise place.mistake(f"a slice has exactly one of {', '.join(KINDS)}, got {len(fields)}")
    kind = next(name for name in KINDS if name in fields)
    value = fields[kind]
    if kind == "images" and isinstance(value, str):
        return SliceRecipe(kind, _listed(Path(folder or "", value), place), place)
    _check_form(kind, value, place)
    return SliceRecipe(kind, value, place)


def find_slice(recipe: SliceRecipe, dataset: Dataset) -> Slice:
    """The slice in a data set; every name has to be there."""
    if recipe.kind == "attribute":
        return Slice(counted=_with_attribute(recipe, dataset))
    if recipe.kind == "images":
        return Slice(image_rows=_image_rows(recipe, dataset))
    if recipe.kind == "supercategory":
        groups = dataset.classes.by_supercategory()
        if recipe.value not in groups:
            raise recipe.place.unknown("supercategory", recipe.value, groups)
        return Slice(class_rows=tuple(groups[recipe.value]))
    rows = {class_row(name, dataset, recipe.place) for name in recipe.value}
    return Slice(class_rows=tuple(sorted(rows)))


def cut(
    dataset: Dataset, tables: Sequence[Detections], part: Slice
) -> tuple[Dataset, list[Detections]]:
    """The data of a slice of images or of objects; classes are a matter of the mean over them."""
    if part.image_rows is not None:
        cuts = [select_images(dataset, table, part.image_rows) for table in tables]
        return cuts[0][0], [table for _, table in cuts]
    if part.counted is not None:
        # METHODS 2.3: the objects outside become don't-care, all false positives stay.
        ignored = frozen(dataset.gt.difficult | ~part.counted, np.bool_)
        return replace(dataset, gt=replace(dataset.gt, difficult=ignored)), list(tables)
    return dataset, list(tables)


def class_row(name: str, dataset: Dataset, place: Place) -> int:
    """The row of the one class of this name."""
    rows = [row for row, known in enumerate(dataset.classes.name) if known == name]
    if not rows:
        raise place.unknown("class", name, dataset.classes.name)
    if len(rows) > 1:
        raise place.mistake(f"{len(rows)} classes are called {name!r}")
    return rows[0]


def _check_form(kind: SliceKind, value: Any, place: Place) -> None:
    if kind == "attribute":
        if not isinstance(value, dict):
            raise place.mistake(
                f"attribute is a table, got {value!r}",
                'Write attribute = {name = "occlusion", value = "high"}',
            )
        for key in value:
            if key not in ATTRIBUTE_KEYS:
                raise place.unknown("key of an attribute", key, ATTRIBUTE_KEYS)
        if set(value) != set(ATTRIBUTE_KEYS) or not isinstance(value["name"], str):
            raise place.mistake("an attribute has a name (a text) and a value")
        if not isinstance(value["value"], (str, int, float)):
            raise place.mistake(
                f"the value of an attribute is a text, a number or a flag, got {value['value']!r}"
            )
    elif kind == "supercategory":
        if not isinstance(value, str):
            raise place.mistake(f"supercategory is a text, got {value!r}")
    else:
        kinds = (str,) if kind == "classes" else (str, int)
        if not isinstance(value, list) or not all(_is_one(item, kinds) for item in value):
            what = "names" if kind == "classes" else "ids, or a file of them"
            raise place.mistake(f"{kind} is a list of {what}, got {value!r}")
        if not value:
            raise place.mistake(f"{kind} is an empty list")


def _is_one(item: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(item, kinds) and not isinstance(item, bool)


def _listed(path: Path, place: Place) -> list[str]:
    """Ids of images, one a line."""
    try:
        lines = read_text(path).splitlines()
    except InputError as problem:
        raise place.mistake(f"images: {problem}") from problem
    ids = [line.strip() for line in lines if line.strip()]
    if not ids:
        raise place.mistake(f"{path} lists no image")
    return ids


def _image_rows(recipe: SliceRecipe, dataset: Dataset) -> Rows:
    row_of = {str(key): row for row, key in enumerate(dataset.images.id.tolist())}
    unknown = [item for item in recipe.value if str(item) not in row_of]
    if unknown:
        n_more = len(unknown) - 1
        more = f" (and {n_more:,} more are unknown)" if n_more else ""
        example = f"Ids look like {next(iter(row_of))!r}" if row_of else "It has no images at all"
        raise recipe.place.mistake(
            f"the data set has no image with the id {str(unknown[0])!r}{more}", example
        )
    rows = {row_of[str(item)] for item in recipe.value}
    return np.array(sorted(rows), dtype=np.int32)


def _with_attribute(recipe: SliceRecipe, dataset: Dataset) -> Bools:
    """Objects of this value; those that lack the attribute are outside."""
    name, value = recipe.value["name"], recipe.value["value"]
    attributes: Mapping[str, Attribute] = dataset.gt.attributes
    if name not in attributes:
        raise recipe.place.unknown("attribute", name, attributes)
    column = attributes[name]
    if column.dtype == object:
        inside: Bools = column == str(value)
        known = sorted({text for text in column.tolist() if text is not None})
    else:
        numbers = column[~np.isnan(column)]
        inside = column == _as_number(value)
        known = [f"{number:g}" for number in np.unique(numbers).tolist()]
    if not inside.any():
        raise recipe.place.unknown(f"value of {name!r}", str(value), known)
    return inside


def _as_number(value: str | float) -> float:
    """NaN, which is equal to nothing, for a text that is no number."""
    try:
        return float(value)
    except ValueError:
        return float("nan")
