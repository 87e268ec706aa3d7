"""The ground truth: what is in which image. Readers make it, everything else only reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.data.boxes import areas
from boxlens.data.classes import Classes
from boxlens.data.columns import (
    Attribute,
    Bools,
    Boxes,
    Floats,
    Ids,
    Offsets,
    Rows,
    box_column,
    check_boxes,
    check_class_rows,
    check_table,
    frozen,
    offsets_of,
    row_column,
    stable_order,
    take,
    value_column,
)
from boxlens.data.images import Images
from boxlens.data.source import Notice, Source
from boxlens.errors import ParameterError
from boxlens.wording import counted

# What every object has; attributes and spans differ between data sets.
COLUMNS = ("image_row", "class_row", "box", "area_px", "crowd", "difficult", "group_of", "id")


@dataclass(frozen=True, slots=True)
class Spans:
    """Raw values left in their files: `name` of object i is files[file_row] bytes begin:end.

    Masks and keypoints are large and seldom needed; keeping their place costs nothing.
    """

    files: tuple[Path, ...]
    file_row: Rows
    begin: Offsets
    end: Offsets

    def select(self, rows: npt.NDArray[np.integer]) -> Spans:
        return Spans(
            self.files,
            take(self.file_row, rows),
            take(self.begin, rows),
            take(self.end, rows),
        )


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """One row per object, grouped by image, file order within an image.

    >>> objects = read_dataset(gt).gt
    >>> objects.box[0].tolist(), int(objects.crowd.sum())
    ([446.0, 106.0, 23.0, 76.0], 30)
    """

    image_row: Rows
    """The row of each object's image in `Dataset.images`: a position, not an id."""
    class_row: Rows
    """The row of each object's class in `Dataset.classes`: a position, not an id."""
    box: Boxes
    """x, y, width, height from the top left corner, in px; fractions if `Dataset.relative`."""
    area_px: Floats
    """Area of the object in square px, of its mask where the file has it."""
    crowd: Bools
    """Whether the box is around a crowd (COCO iscrowd)."""
    difficult: Bools
    """Whether the object is marked difficult (VOC) and so does not count."""
    group_of: Bools
    """Whether the box is around a group (Open Images)."""
    id: Ids
    """Ids as in the file; 1, 2, 3 ... where it has none."""
    offsets: Offsets
    """Objects of image row i are rows offsets[i] to offsets[i + 1], the latter excluded."""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    """Further properties by name, one value per object; NaN or None: missing."""
    spans: Mapping[str, Spans] = field(default_factory=dict)
    """Where "segmentation" and "keypoints" are in their files; they are read only when needed."""

    @classmethod
    def of(
        cls,
        n_images: int,
        *,
        image_row: npt.ArrayLike,
        class_row: npt.ArrayLike,
        box: npt.ArrayLike,
        area_px: npt.ArrayLike | None = None,
        crowd: npt.ArrayLike | None = None,
        difficult: npt.ArrayLike | None = None,
        group_of: npt.ArrayLike | None = None,
        ids: Ids | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        spans: Mapping[str, Spans] | None = None,
    ) -> GroundTruth:
        """Groups objects by image. Area falls back to width times height."""
        rows = row_column(image_row, "image_row")
        n = len(rows)
        boxes = box_column(box)
        area = areas(boxes) if area_px is None else area_px
        no = np.zeros(n, dtype=np.bool_)
        table = cls(
            image_row=rows,
            class_row=row_column(class_row, "class_row"),
            box=boxes,
            area_px=value_column(area, np.float64, "area_px"),
            crowd=value_column(no if crowd is None else crowd, np.bool_, "crowd"),
            difficult=value_column(no if difficult is None else difficult, np.bool_, "difficult"),
            group_of=value_column(no if group_of is None else group_of, np.bool_, "group_of"),
            id=frozen(np.arange(1, n + 1), np.int64) if ids is None else ids,
            offsets=frozen([], np.int64),
            attributes=dict(attributes or {}),
            spans=dict(spans or {}),
        )
        columns = {name: getattr(table, name) for name in COLUMNS}
        check_table(columns | dict(table.attributes), rows, n_images)
        check_boxes(boxes)
        if n and not table.area_px.min() >= 0:
            raise ParameterError(f"area {table.area_px.min()}: areas must be 0 or more")
        order = stable_order(rows, n_images)
        if order is not None:
            table = table._reordered(order)
        return replace(table, offsets=offsets_of(table.image_row, n_images))

    def __len__(self) -> int:
        return len(self.image_row)

    def highest_first(self, rows: npt.NDArray[np.integer], values: Floats) -> list[int]:
        """Some rows by falling value, equal ones by image and id, whatever the file's order."""
        by_id = np.lexsort((self.id[rows], self.image_row[rows]))
        ordered: list[int] = rows[by_id[np.argsort(-values[by_id], kind="stable")]].tolist()
        return ordered

    def _reordered(self, rows: npt.NDArray[np.integer]) -> GroundTruth:
        columns: dict[str, Any] = {name: take(getattr(self, name), rows) for name in COLUMNS}
        return replace(
            self,
            **columns,
            attributes={name: take(column, rows) for name, column in self.attributes.items()},
            spans={name: spans.select(rows) for name, spans in self.spans.items()},
        )

    def where(self, keep: Bools) -> GroundTruth:
        """The objects of a mask."""
        table = self._reordered(np.flatnonzero(keep))
        return replace(table, offsets=offsets_of(table.image_row, len(self.offsets) - 1))

    def renumbered(self, image_row_of: Rows, class_row_of: Rows, n_images: int) -> GroundTruth:
        """Objects whose image and class stay (new row >= 0), with their new rows."""
        image_row = image_row_of[self.image_row]
        class_row = class_row_of[self.class_row]
        keep = np.flatnonzero((image_row >= 0) & (class_row >= 0))
        kept = self._reordered(keep)
        kept = replace(
            kept,
            image_row=take(image_row, keep),
            class_row=take(class_row, keep),
        )
        order = stable_order(kept.image_row, n_images)
        if order is not None:
            kept = kept._reordered(order)  # noqa: SLF001 - a table of this class
        return replace(kept, offsets=offsets_of(kept.image_row, n_images))


@dataclass(frozen=True, slots=True)
class Dataset:
    """Images, classes and the objects in them.

    >>> dataset = read_dataset(gt)
    >>> len(dataset.images), len(dataset.gt)
    (200, 1456)
    >>> small = dataset.where(dataset.gt.area_px < 32**2)
    >>> len(small.gt)
    674
    """

    name: str
    """As the file or folder is called."""
    images: Images
    """One row per image."""
    classes: Classes
    """One row per class."""
    gt: GroundTruth
    """One row per object."""
    source: Source | None = None
    """The file it was read from; None: made in memory."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or filled in."""
    relative: bool = False
    """Boxes are fractions of their image: overlaps are right, areas in pixels are unknown."""

    def __post_init__(self) -> None:
        n_images = len(self.gt.offsets) - 1
        if n_images != len(self.images):
            raise ParameterError(
                f"the ground truth of {self.name!r} has rows for {counted(n_images, 'image')}, "
                f"expected {len(self.images)}: the images of the data set",
            )
        check_class_rows(self.gt.class_row, "class_row", self.name, len(self.classes))

    def select_images(self, rows: npt.ArrayLike) -> Dataset:
        """Some images, their order kept, and the objects in them."""
        return self._select(_chosen(rows, len(self.images), "image"), None)

    def select_classes(self, rows: npt.ArrayLike) -> Dataset:
        """Some classes, their order kept, and their objects; all images stay."""
        return self._select(None, _chosen(rows, len(self.classes), "class"))

    def where(self, keep: npt.ArrayLike | Callable[[GroundTruth], npt.ArrayLike]) -> Dataset:
        """The objects of a mask over `gt`, or of a predicate of it; images and classes stay."""
        mask = np.asarray(keep(self.gt) if callable(keep) else keep, dtype=np.bool_)
        if mask.shape != (len(self.gt),):
            raise ParameterError(f"expected a mask of {len(self.gt)} objects, got {mask.shape}")
        return replace(self, gt=self.gt.where(mask))

    def with_attributes(self, table: Any) -> Dataset:
        """With properties of objects from a `table`: a mapping of columns, or a frame.

        A row names its object by `object_id`; or by `image` and box (`x`, `y`, `w`, `h` or `x1`,
        `y1`, `x2`, `y2`), the same or the one it overlaps most; or by `image` and `class`, then in
        the order of the ground truth. All other columns are attributes. What fits nothing is in
        `notices`.

        >>> graded = dataset.with_attributes({"object_id": [1, 2], "light": ["dim", "bright"]})
        >>> graded.gt.attributes["light"][:2].tolist()
        ['dim', 'bright']
        """
        from boxlens.data.attributes import AttributeTable, join_attributes

        return join_attributes(self, AttributeTable.of(table))

    def _select(self, image_rows: Rows | None, class_rows: Rows | None) -> Dataset:
        images_kept = _all(len(self.images)) if image_rows is None else image_rows
        classes_kept = _all(len(self.classes)) if class_rows is None else class_rows
        image_row_of = renumbering(images_kept, len(self.images))
        class_row_of = renumbering(classes_kept, len(self.classes))
        return replace(
            self,
            images=self.images.select(images_kept, class_row_of),
            classes=self.classes.select(classes_kept),
            gt=self.gt.renumbered(image_row_of, class_row_of, len(images_kept)),
        )


def renumbering(kept: Rows, n: int) -> Rows:
    """Old row -> new row, -1 for rows not kept."""
    new_row_of = np.full(n, -1, dtype=np.int32)
    new_row_of[kept] = np.arange(len(kept), dtype=np.int32)
    return new_row_of


def _all(n: int) -> Rows:
    return np.arange(n, dtype=np.int32)


def _chosen(rows: npt.ArrayLike, n: int, what: str) -> Rows:
    """Row numbers or a mask, as ascending unique rows."""
    array = np.asarray(rows)
    if array.dtype == np.bool_:
        if array.shape != (n,):
            raise ParameterError(f"expected a mask of {n} {what} rows, got {array.shape}")
        array = np.flatnonzero(array)
    chosen = np.unique(array.astype(np.int32))
    if len(chosen) and (chosen[0] < 0 or chosen[-1] >= n):
        span = f"{chosen[0]}..{chosen[-1]}"
        raise ParameterError(f"{what} rows must be between 0 and {n - 1}, got {span}")
    return chosen
