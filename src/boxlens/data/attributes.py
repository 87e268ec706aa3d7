"""Attributes of objects from a table of their own: joined by object, by box, or by order.

A row names its object by its id, else by its image and box, else by its image and class: then the
rows of a class in an image are its objects in the order of the ground truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.data.boxes import xywh_from_corners
from boxlens.data.columns import (
    Attribute,
    Boxes,
    Floats,
    Rows,
    attribute_column,
    box_column,
    frozen,
)
from boxlens.data.image_names import rows_of_names
from boxlens.data.naming import some_names
from boxlens.data.source import Notice, Source
from boxlens.errors import InputError, ParameterError
from boxlens.wording import counted, score

if TYPE_CHECKING:
    from boxlens.data.dataset import Dataset

# What columns may be called that say which object a row is about.
OBJECT = ("object_id", "annotation_id", "id")
IMAGE = ("image", "image_id", "file_name")
CLASS = ("class", "class_name", "category")
ORDER = ("order",)
SIDES, CORNERS = ("x", "y", "w", "h"), ("x1", "y1", "x2", "y2")
BOX = ("box", "bbox")
KEYS = frozenset((*OBJECT, *IMAGE, *CLASS, *ORDER, *SIDES, *CORNERS, *BOX))
# A box that no object has exactly is that of the object it overlaps most, from here on.
LEAST_IOU = 0.5
# Before every overlap.
SAME = 2.0
# Columns with several words per object: each word becomes a flag of this prefix.
FLAGS = {"parts": "part_", "sides": "side_"}
YES = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
REMEDY = (
    "Give the object's id (object_id), or its image and box (image, x, y, w, h), or its image and "
    "class (image, class)"
)


@dataclass(frozen=True, slots=True)
class AttributeTable:
    """Columns of one length, with the name of their file and where a row stands in it."""

    columns: Mapping[str, Sequence[Any]]
    path: str = "attributes"
    where: Callable[[int], str] = field(default=lambda row: f"row {row}")
    source: Source | None = None

    @classmethod
    def of(cls, table: Any) -> AttributeTable:
        """A mapping of names to columns, or a frame of Polars or pandas."""
        names = getattr(table, "columns", table)
        columns = {str(name): np.asarray(table[name], dtype=object).tolist() for name in names}
        if len({len(column) for column in columns.values()}) > 1:
            raise ParameterError("the columns of attributes must have one length")
        return cls(columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def key(self, names: Sequence[str]) -> Sequence[Any] | None:
        """The first of these columns that is there."""
        folded = {name.strip().lower(): column for name, column in self.columns.items()}
        return next((folded[name] for name in names if name in folded), None)

    def error(self, problem: str, row: int | None = None, remedy: str = REMEDY) -> InputError:
        where = "" if row is None else self.where(row)
        return InputError(problem, path=self.path, where=where, remedy=remedy)


def join_attributes(dataset: Dataset, table: AttributeTable) -> Dataset:
    """The data set with the attributes of the table; notices count what fits nothing."""
    found = dict(_attributes(table))
    if not found:
        raise table.error("has no column but those that name objects", remedy="Add attributes")
    rows, notices = _object_rows(dataset, table)
    notices += tuple(_unmatched(dataset, table, rows))
    known = rows >= 0
    attributes = dict(dataset.gt.attributes)
    for name, column in found.items():
        if name in attributes:
            message = f"{table.path}: {name!r} replaces the attribute of the ground truth"
            notices += (Notice("attribute_replaced", 1, message),)
        attributes[name] = _spread(column, rows, known, len(dataset.gt))
    gt = replace(dataset.gt, attributes=attributes)
    source = dataset.source and replace(dataset.source, attributes=table.source)
    return replace(dataset, gt=gt, source=source, notices=(*dataset.notices, *notices))


def _spread(column: Attribute, rows: Rows, known: Any, n_objects: int) -> Attribute:
    missing = None if column.dtype == object else np.nan
    values = np.full(n_objects, missing, dtype=column.dtype)
    values[rows[known]] = column[known]
    return frozen(values, column.dtype)


def _attributes(table: AttributeTable) -> Iterator[tuple[str, Attribute]]:
    """Every column that is no key, as numbers or text; lists of words as flags."""
    for name, cells in table.columns.items():
        if name.strip().lower() in KEYS:
            continue
        prefix = FLAGS.get(name.lower(), f"{name}_")
        split = name.lower() in FLAGS
        known = [None if _is_missing(cell) else cell for cell in cells]
        if split or any(isinstance(cell, (list, tuple, set)) for cell in known):
            words = [None if cell is None else _words(cell) for cell in known]
            for word in dict.fromkeys(sorted({one for of in words if of for one in of})):
                flags = [None if of is None else word in of for of in words]
                yield f"{prefix}{word}", attribute_column(flags)
        else:
            yield name, attribute_column(_as_numbers(known))


def _is_missing(cell: Any) -> bool:
    return cell is None or cell != cell or (isinstance(cell, str) and not cell.strip())  # noqa: PLR0124


def _words(cell: Any) -> set[str]:
    parts = cell.replace("|", ";").split(";") if isinstance(cell, str) else cell
    return {str(part).strip() for part in parts if str(part).strip()}


def _as_numbers(cells: Sequence[Any]) -> list[Any]:
    """Texts that are all numbers, or all yes and no, as numbers."""
    texts = [cell.strip() if isinstance(cell, str) else cell for cell in cells]
    words = [text for text in texts if isinstance(text, str)]
    if words and all(word.lower() in YES for word in words):
        return [YES[text.lower()] if isinstance(text, str) else text for text in texts]
    try:
        return [float(text) if isinstance(text, str) else text for text in texts]
    except ValueError:
        return texts


def _object_rows(dataset: Dataset, table: AttributeTable) -> tuple[Rows, tuple[Notice, ...]]:
    """The row of the object that each row is about, -1 where there is none."""
    notices: tuple[Notice, ...] = ()
    ids, images, classes = (table.key(names) for names in (OBJECT, IMAGE, CLASS))
    if ids is not None:
        rows = _rows_by_id(dataset, ids)
    elif images is None:
        raise table.error("no column says which object a row is about")
    else:
        image_rows = np.array(rows_of_names(map(_text, images), dataset.images), dtype=np.int32)
        class_rows = None if classes is None else _class_rows(dataset, classes)
        boxes = _boxes(table)
        if boxes is not None:
            rows, notices = _rows_by_box(dataset, table, image_rows, class_rows, boxes)
        elif class_rows is not None:
            rows = _rows_by_order(dataset, table, image_rows, class_rows)
        else:
            raise table.error("names an image, but no box and no class in it")
    twice = [row for row, n in Counter(rows[rows >= 0].tolist()).items() if n > 1]
    if twice:
        first, second, *_ = np.flatnonzero(rows == twice[0]).tolist()
        name = dataset.gt.id[twice[0]]
        problem = f"object {name} has two rows, this one and {table.where(first)}"
        raise table.error(problem, second, "Give each object one row")
    return rows, notices


def _text(value: Any) -> str:
    """Numbers of frames may have become fractions: 12.0 is 12."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value).strip()


def _rows_by_id(dataset: Dataset, ids: Sequence[Any]) -> Rows:
    """An id that two objects have is that of none."""
    row_of: dict[str, int] = {}
    for row, key in enumerate(dataset.gt.id.tolist()):
        row_of[str(key)] = -1 if str(key) in row_of else row
    return np.array([row_of.get(_text(one), -1) for one in ids], dtype=np.int32)


def _class_rows(dataset: Dataset, classes: Sequence[Any]) -> Rows:
    """By name, else by id."""
    by_id = {str(key): row for key, row in dataset.classes.row_of_id().items()}
    row_of = by_id | dataset.classes.row_of_name()
    return np.array([row_of.get(_text(one), -1) for one in classes], dtype=np.int32)


def _boxes(table: AttributeTable) -> Boxes | None:
    whole = table.key(BOX)
    if whole is not None:
        return box_column(list(whole))
    for names in (SIDES, CORNERS):
        columns = [table.key((name,)) for name in names]
        if all(column is not None for column in columns):
            try:
                sides = np.array(columns, dtype=np.float64).T
            except (TypeError, ValueError) as problem:
                raise table.error(f"{', '.join(names)} must be numbers ({problem})") from None
            return box_column(sides if names is SIDES else xywh_from_corners(sides))
    return None


def _rows_by_order(
    dataset: Dataset, table: AttributeTable, image_rows: Rows, class_rows: Rows
) -> Rows:
    """The k-th row of an image and class is about the k-th such object; `order` may give k."""
    gt, order = dataset.gt, table.key(ORDER)
    objects: dict[tuple[int, int], list[int]] = {}
    for row, key in enumerate(zip(gt.image_row.tolist(), gt.class_row.tolist(), strict=True)):
        objects.setdefault(key, []).append(row)
    n_seen: Counter[tuple[int, int]] = Counter()
    rows = []
    for at, key in enumerate(zip(image_rows.tolist(), class_rows.tolist(), strict=True)):
        n_seen[key] += 1
        place = n_seen[key] if order is None else _place(table, order, at)
        found = objects.get(key, ())
        rows.append(found[place - 1] if 1 <= place <= len(found) else -1)
    return np.array(rows, dtype=np.int32)


def _place(table: AttributeTable, order: Sequence[Any], row: int) -> int:
    try:
        return int(_text(order[row]))
    except ValueError:
        raise table.error(f"order is {order[row]!r}, expected 1, 2, 3 ...", row) from None


def _rows_by_box(
    dataset: Dataset,
    table: AttributeTable,
    image_rows: Rows,
    class_rows: Rows | None,
    boxes: Boxes,
) -> tuple[Rows, tuple[Notice, ...]]:
    """The object with just this box, else the one that it overlaps most; of its class, if given."""
    gt = dataset.gt
    rows = np.full(len(table), -1, dtype=np.int32)
    overlaps: list[float] = []
    by_image = np.argsort(image_rows, kind="stable").tolist()
    for image_row, group in groupby(by_image, key=lambda at: int(image_rows[at])):
        if image_row < 0:
            continue
        mine = np.array(list(group))
        begin, end = gt.offsets[image_row : image_row + 2].tolist()
        iou = _overlaps(boxes[mine], gt.box[begin:end])
        iou[(boxes[mine][:, None] == gt.box[None, begin:end]).all(axis=2)] = SAME
        if class_rows is not None:
            iou[class_rows[mine][:, None] != gt.class_row[None, begin:end]] = 0.0
        taken: set[int] = set()
        # The best first; of equal ones the first row and the first object.
        for place in np.argsort(-iou, axis=None, kind="stable").tolist():
            at, of = divmod(place, end - begin)
            best = float(iou[at, of])
            if best < LEAST_IOU:
                break
            if rows[mine[at]] < 0 and of not in taken:
                rows[mine[at]] = begin + of
                taken.add(of)
                overlaps += [best] * (best < SAME)
    if not overlaps:
        return rows, ()
    message = (
        f"{table.path}: {counted(len(overlaps), 'row')} joined to the object whose box they "
        f"overlap most (IoU {score(min(overlaps))} or more), since none has the same box"
    )
    return rows, (Notice("attribute_by_overlap", len(overlaps), message),)


def _overlaps(first: Boxes, second: Boxes) -> Floats:
    """IoU of every pair."""
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum((first[:, :2] + first[:, 2:])[:, None], (second[:, :2] + second[:, 2:])[None])
    inner = np.prod(np.clip(high - low, 0, None), axis=2)
    areas = np.prod(first[:, 2:], axis=1)[:, None] + np.prod(second[:, 2:], axis=1)[None]
    union = areas - inner
    iou: Floats = np.divide(inner, union, out=np.zeros_like(inner), where=union > 0)
    return iou


def _unmatched(dataset: Dataset, table: AttributeTable, rows: Rows) -> Iterator[Notice]:
    strangers = np.flatnonzero(rows < 0).tolist()
    if strangers:
        listed = some_names(map(table.where, strangers), 5)
        rows_of = f"{counted(len(strangers), 'row')} of {len(table):,}"
        message = f"{table.path}: {rows_of} fit no object of the ground truth ({listed})"
        yield Notice("attribute_without_object", len(strangers), message)
    lacking = np.ones(len(dataset.gt), dtype=np.bool_)
    lacking[rows[rows >= 0]] = False
    if lacking.any():
        n, of = int(lacking.sum()), counted(len(dataset.gt), "object")
        listed = some_names(map(str, dataset.gt.id[lacking].tolist()), 5)
        message = f"{table.path}: {n:,} of {of} have no row (ids {listed})"
        yield Notice("object_without_attributes", n, message)
