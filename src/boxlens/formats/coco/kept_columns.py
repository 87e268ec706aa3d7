"""What COCO's own fields cannot say of a data set: the object "boxlens" of a file we wrote.

It names the fields that are flags, attributes that could not keep their names, lists of verified
classes, and holds the tree of classes. A file without it is read as plain COCO: a field `difficult`
of somebody else's file is an attribute and changes no score.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from boxlens.data import ClassTree, Dataset, GroundTruth, Links, Notice, file_notices
from boxlens.data.columns import Attribute, Bools, Ids, frozen
from boxlens.formats.coco.scanned import Records, bytes_between, links_of, parsed
from boxlens.formats.places import Place
from boxlens.wording import counted

SCHEMA = 1
OWN_FIELDS = frozenset(
    {"id", "image_id", "category_id", "bbox", "area", "iscrowd", "segmentation", "keypoints"}
)
# Group-of boxes are written as crowds; "crowd" marks those that are both.
FLAGS = ("difficult", "group_of", "crowd")
LISTS = {
    "negative": "neg_category_ids",
    "positive": "pos_category_ids",
    "not_exhaustive": "not_exhaustive_category_ids",
}
_REMEDY = 'Convert the original again, or remove "boxlens" to read the file as plain COCO'


class KeptAttribute(NamedTuple):
    """An attribute whose field has another name, or that no object has a value of."""

    name: str
    field: str
    kind: Literal["number", "text"]


@dataclass(frozen=True, slots=True)
class Kept:
    """The content of "boxlens"."""

    flags: tuple[str, ...] = ()
    attributes: tuple[KeptAttribute, ...] = ()
    # The lists of verified classes that images have; None: it is not told.
    lists: tuple[str, ...] | None = None
    tree: ClassTree | None = None
    relative: bool = False

    def to_json(self) -> dict[str, Any]:
        """Empty where COCO's fields say everything."""
        found: dict[str, Any] = {
            "flags": list(self.flags),
            "attributes": [one._asdict() for one in self.attributes],
            "class_tree": None if self.tree is None else list(map(list, self.tree.parents.items())),
            "relative": self.relative,
        }
        told = {key: value for key, value in found.items() if value}
        if self.lists is not None:
            told["lists"] = list(self.lists)
        return {"schema": SCHEMA, **told} if told else {}

    def flags_of(
        self, attributes: dict[str, Attribute], crowd: Bools | None, path: Path
    ) -> dict[str, Bools | None]:
        """The flags of objects, taken out of the attributes they were scanned as."""
        found = {
            name: _flag(attributes.pop(name, None), name, path)
            for name in FLAGS
            if name in self.flags
        }
        group, both = found.get("group_of"), found.pop("crowd", None)
        if crowd is not None and group is not None:
            crowd = crowd & ~group if both is None else (crowd & ~group) | both
        return {"crowd": crowd, **found}

    def renamed(self, attributes: dict[str, Attribute], n: int) -> dict[str, Attribute]:
        """Attributes by the names they had, those without any value filled in."""
        values = {one: attributes.pop(one.field, None) for one in self.attributes}
        for one, column in values.items():
            attributes[one.name] = _missing(one.kind, n) if column is None else column
        return attributes


def kept_of(dataset: Dataset) -> Kept:
    """What COCO's own fields cannot say of a data set."""
    flags = written_flags(dataset.gt)
    lists = tuple(name for name in LISTS if getattr(dataset.images, name) is not None)
    # Frequencies alone let a file pass for LVIS, whose images have lists.
    told = bool(lists) or dataset.classes.frequency is not None
    return Kept(
        flags=tuple(flags),
        attributes=kept_attributes(dataset.gt.attributes, flags),
        lists=lists if told else None,
        tree=dataset.classes.tree,
        relative=dataset.relative,
    )


def written_flags(gt: GroundTruth) -> dict[str, Bools]:
    """Those that some object has."""
    columns = (gt.difficult, gt.group_of, gt.crowd & gt.group_of)
    return {name: flag for name, flag in zip(FLAGS, columns, strict=True) if flag.any()}


def kept_attributes(
    attributes: Mapping[str, Attribute], flags: Collection[str]
) -> tuple[KeptAttribute, ...]:
    fields = field_names(attributes, flags)
    return tuple(
        KeptAttribute(name, fields[name], "text" if column.dtype == object else "number")
        for name, column in attributes.items()
        if fields[name] != name or not _has_value(column)
    )


def field_names(names: Iterable[str], flags: Collection[str]) -> dict[str, str]:
    """The field that holds each attribute: its name, unless that is taken."""
    taken = {*OWN_FIELDS, *flags, "attributes", *names}
    fields: dict[str, str] = {}
    for name in names:
        field, number = name, 1
        if name in OWN_FIELDS or name in flags or name == "attributes":
            while field in taken:
                field, number = f"{name}_{number}", number + 1
            taken.add(field)
        fields[name] = field
    return fields


def read_kept(tables: Mapping[str, Any], path: Path) -> Kept:
    """From what the scanner found; nothing where the file has no such object."""
    begin, end = tables["boxlens_span"]
    if begin < 0:
        return Kept()
    content, place = parsed(bytes_between(path, begin, end), path), Place(path, "boxlens")
    try:
        if content["schema"] != SCHEMA:
            raise place.error(
                f"written with schema {content['schema']}, this Boxlens reads schema {SCHEMA}",
                "Upgrade Boxlens, or convert the original again",
            )
        return _kept(content)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise place.error(
            f"not what Boxlens writes there ({type(problem).__name__}: {problem})", _REMEDY
        ) from problem


def links_to_classes(
    records: Records, names: Iterable[str], class_ids: Ids, path: Path
) -> tuple[dict[str, Links], tuple[Notice, ...]]:
    """The lists of verified classes of images; a list that no image has is empty."""
    found: dict[str, Links] = {}
    notices: list[Notice] = []
    for name in names:
        field = LISTS[name]
        column = records.columns[field]
        if column is None:
            found[name] = Links.empty(records.rows)
            continue
        found[name], unknown = links_of(column, class_ids)
        words = f"skipped {counted(unknown, 'id')} in {field}, not among the categories"
        notices += file_notices(path, (f"unknown_{field}", unknown, words))
    return found, tuple(notices)


def _kept(content: Mapping[str, Any]) -> Kept:
    lists, tree = content.get("lists"), content.get("class_tree")
    known = [*content.get("flags", ()), *(lists or ())]
    unknown = [name for name in known if name not in FLAGS and name not in LISTS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is neither a flag nor a list")
    attributes = [KeptAttribute(**one) for one in content.get("attributes", ())]
    if not all(isinstance(text, str) for one in attributes for text in one):
        raise ValueError("attributes have names")
    return Kept(
        flags=tuple(content.get("flags", ())),
        attributes=tuple(attributes),
        lists=None if lists is None else tuple(lists),
        tree=None if tree is None else ClassTree({node: tuple(above) for node, above in tree}),
        relative=bool(content.get("relative")),
    )


def _flag(column: Attribute | None, name: str, path: Path) -> Bools | None:
    if column is None:
        return None
    # One value in quotes makes all of a column text.
    text = column.dtype == object
    yes = column == ("1" if text else 1)
    none = np.array([value is None for value in column]) if text else np.isnan(column)
    fits = yes | none | (column == ("0" if text else 0))
    if not fits.all():
        row = int(np.argmin(fits))
        place = Place(path, f"annotations record {row}, field {name}")
        raise place.error(f"{column[row]!r} is neither 0 nor 1", _REMEDY)
    return frozen(yes, np.bool_)


def _has_value(column: Attribute) -> bool:
    if column.dtype == object:
        return any(value is not None for value in column)
    return not bool(np.isnan(column).all())


def _missing(kind: str, n: int) -> Attribute:
    if kind == "number":
        return frozen(np.full(n, np.nan), np.float64)
    return frozen(np.full(n, None), object)
