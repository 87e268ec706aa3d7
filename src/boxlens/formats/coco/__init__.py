"""COCO's JSON: instances as a data set, results as detections, both read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from boxlens import _kernel
from boxlens.data import (
    Classes,
    Dataset,
    Detections,
    GroundTruth,
    Images,
    Links,
    Notice,
    Source,
    file_notices,
)
from boxlens.data.boxes import areas
from boxlens.data.columns import Floats, Ids, Rows
from boxlens.errors import InputError, ParameterError
from boxlens.formats.border import RawDetections, detections_from
from boxlens.formats.coco.kept_columns import Kept, links_to_classes, read_kept
from boxlens.formats.coco.scanned import (
    Records,
    attribute_of,
    bytes_between,
    ids_of,
    numbers_of,
    parsed,
    read_spans,
    rows_in,
    scan,
    shown_id,
    spans_of,
    texts_of,
)
from boxlens.formats.coco.writing import write_dataset, write_detections
from boxlens.formats.files import stem
from boxlens.formats.places import Place
from boxlens.wording import counted

__all__ = [
    "read_dataset",
    "read_detections",
    "read_images",
    "read_spans",
    "write_dataset",
    "write_detections",
]

DATASET_REMEDY = "A COCO data set is an object with images, annotations and categories"
IMAGES_REMEDY = "Images and classes are an object with the lists images and categories"
RESULTS_REMEDY = (
    "COCO results are an array of objects with image_id, category_id, bbox (x, y, width, height) "
    "and score; masks and keypoints alone are not scored"
)


def read_dataset(path: Path, *, threads: int = 0) -> Dataset:
    """Ground truth; masks and keypoints stay in the file until `read_spans` asks for them."""
    return _dataset(scan_dataset(path, threads), path)


def read_images(path: Path, *, threads: int = 0) -> Dataset:
    """Images and classes alone; the file may lack its annotations, as COCO's test sets do."""
    scanner = partial(_kernel.scan_dataset, threads=threads, annotations_needed=False)
    dataset = _dataset(scan(path, scanner, IMAGES_REMEDY), path)
    return dataset.where(dataset.gt.image_row < 0)


def _dataset(tables: dict[str, Any], path: Path) -> Dataset:
    kept = read_kept(tables, path)
    classes = classes_of(tables, path, kept)
    records = Records(**tables["images"])
    names = texts_of(records.columns["file_name"], records.rows)
    links, notices = links_to_classes(records, kept.lists or (), classes.id, path)
    images = images_of(records, ["" if name is None else name for name in names], path, links)
    return dataset_of(tables, images, classes, kept, path=path, format_name="coco", notices=notices)


def read_detections(
    path: Path,
    dataset: Dataset,
    *,
    name: str | None = None,
    strict: bool = False,
    threads: int = 0,
) -> Detections:
    """Results; those of unknown images or classes are counted, or refused if strict."""
    found = scan(path, partial(_kernel.scan_results, threads=threads), RESULTS_REMEDY)
    columns = found["columns"]
    raw = raw_results(
        columns,
        rows_in(columns["image_id"], dataset.images.id),
        rows_in(columns["category_id"], dataset.classes.id),
    )
    return detections_from(
        raw, dataset, name=name, path=path, format_name="coco", strict=strict, checked=True
    )


def raw_results(columns: Mapping[str, Any], image_row: Rows, class_row: Rows) -> RawDetections:
    """Scanned results whose images and classes are found."""
    image, label = columns["image_id"], columns["category_id"]

    def describe(record: int) -> str:
        ids = f"image_id {shown_id(image, record)}, category_id {shown_id(label, record)}"
        return f"record {record} ({ids})"

    return RawDetections(image_row, class_row, columns["bbox"], columns["score"], describe)


def scan_dataset(path: Path, threads: int) -> dict[str, Any]:
    """The columns of a data set's three arrays, as the kernel found them."""
    return scan(path, partial(_kernel.scan_dataset, threads=threads), DATASET_REMEDY)


def images_of(
    records: Records,
    names: Sequence[str],
    path: Path,
    links: Mapping[str, Links],
) -> Images:
    """The images, ids ascending."""
    try:
        images, _ = Images.of(
            ids_of(records.columns["id"]),
            numbers_of(records.columns["width"], records.rows),
            numbers_of(records.columns["height"], records.rows),
            names,
            **links,
            sort=True,
        )
    except InputError as error:
        raise _named(error, path) from None
    except ParameterError as error:
        remedy = "Leave width and height out where they are unknown"
        raise InputError(str(error), path=path, where="images", remedy=remedy) from None
    return images


def classes_of(tables: dict[str, Any], path: Path, kept: Kept) -> Classes:
    """The classes, ids ascending, with every further field of the file."""
    records = Records(**tables["categories"])
    extra: dict[str, list[Any]] = {}
    if records.skipped:
        begin, end = tables["categories_span"]
        categories = parsed(bytes_between(path, begin, end), path)
        extra = {key: [one.get(key) for one in categories] for key in records.skipped}
    try:
        return Classes.of(
            ids_of(records.columns["id"]),
            [str(name) for name in texts_of(records.columns["name"], records.rows)],
            supercategory=texts_of(records.columns["supercategory"], records.rows),
            frequency=texts_of(records.columns["frequency"], records.rows),
            tree=kept.tree,
            extra=extra,
            sort=True,
        )
    except InputError as error:
        raise _named(error, path) from None


def dataset_of(
    tables: dict[str, Any],
    images: Images,
    classes: Classes,
    kept: Kept,
    *,
    path: Path,
    format_name: str,
    notices: tuple[Notice, ...] = (),
) -> Dataset:
    """The objects of the annotations, put to their images and classes."""
    records = Records(**tables["annotations"])
    columns = records.columns
    area, area_notices = _areas(columns["area"], columns["bbox"], path)
    ids, id_notices = _object_ids(columns["id"], path)
    crowd = columns["iscrowd"]
    attributes = {name: attribute_of(column) for name, column in records.attributes.items()}
    flags = kept.flags_of(attributes, None if crowd is None else crowd == 1, path)
    gt = GroundTruth.of(
        len(images),
        image_row=_known_rows(columns, "image_id", images.id, path),
        class_row=_known_rows(columns, "category_id", classes.id, path),
        box=columns["bbox"],
        area_px=area,
        ids=ids,
        attributes=kept.renamed(attributes, records.rows),
        **flags,
        spans={
            name: spans_of(columns[name], path)
            for name in ("segmentation", "keypoints")
            if columns[name] is not None
        },
    )
    skipped = []
    for name, count in records.skipped.items():
        words = f"skipped field {name!r}, an array or object in {counted(count, 'annotation')}"
        skipped.append(("skipped_field", count, words))
    return Dataset(
        stem(path),
        images,
        classes,
        gt,
        Source.of(path, format_name),
        (*notices, *area_notices, *id_notices, *file_notices(path, *skipped)),
        relative=kept.relative,
    )


def _known_rows(columns: Any, field: str, ids: Ids, path: Path) -> Rows:
    rows = rows_in(columns[field], ids)
    if len(rows) and rows.min() < 0:
        record = int(np.argmax(rows < 0))
        array = "images" if field == "image_id" else "categories"
        problem = f"{field} {shown_id(columns[field], record)} is not among the {array}"
        place = Place(path, f"annotations record {record}")
        raise place.error(problem, f"Add it to {array} or remove the annotation")
    return rows


def _areas(column: Any, boxes: Any, path: Path) -> tuple[Floats | None, tuple[Notice, ...]]:
    """METHODS 10: a missing area falls back to width times height, with a notice."""
    if len(boxes) == 0:
        return None, ()
    if column is not None and np.nanmin(column, initial=0.0) < 0:
        record = int(np.argmax(column < 0))
        place = Place(path, f"annotations record {record}")
        problem = f"area {column[record]:g} is negative"
        raise place.error(problem, "Areas are 0 or more, in square pixels")
    missing = np.ones(len(boxes), np.bool_) if column is None else np.isnan(column)
    count = int(np.count_nonzero(missing))
    if count == 0:
        return column, ()
    words = f"{counted(count, 'annotation')} without area; width times height is used"
    box_area = areas(boxes)
    area = box_area if column is None else np.where(missing, box_area, column)
    return area, file_notices(path, ("missing_area", count, words))


def _object_ids(column: Any, path: Path) -> tuple[Ids | None, tuple[Notice, ...]]:
    """Ids of the objects: they may repeat (METHODS 10); where only some are absent, 0 stands."""
    if column is None:
        return None, ()
    codes = column[0] if isinstance(column, tuple) else column
    absent = codes == (-1 if isinstance(column, tuple) else np.iinfo(np.int64).min)
    count = int(np.count_nonzero(absent))
    ids = ids_of(column)
    if count:
        ids = np.where(absent, "0" if isinstance(column, tuple) else 0, ids).astype(ids.dtype)
    words = f"{counted(count, 'annotation')} without id; 0 is used"
    return ids, file_notices(path, ("missing_id", count, words))


def _named(error: InputError, path: Path) -> InputError:
    return InputError(error.problem, path=path, where=error.where, remedy=error.remedy)
