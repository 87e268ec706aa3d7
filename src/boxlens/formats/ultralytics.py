"""Ultralytics' predictions.json: COCO results whose images are named by id or by file stem."""

from __future__ import annotations

import json
from functools import partial
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from boxlens import _kernel
from boxlens.data import Dataset, Detections, Images
from boxlens.data.columns import Rows
from boxlens.errors import InputError
from boxlens.formats.border import detections_from
from boxlens.formats.coco import raw_results
from boxlens.formats.coco.scanned import ids_of, rows_in, scan, shown_id
from boxlens.formats.coco.writing import write_results
from boxlens.formats.places import Place

REMEDY = (
    "Predictions are an array of objects with image_id, category_id, bbox (x, y, width, height) "
    "and score, as save_json=True writes them"
)


def read_detections(
    path: Path,
    dataset: Dataset,
    *,
    name: str | None = None,
    strict: bool = False,
    threads: int = 0,
) -> Detections:
    """Predictions; images are found by id, then by file stem, classes by id alone."""
    scanner = partial(_kernel.scan_results, threads=threads, file_names=True)
    columns = scan(path, scanner, REMEDY)["columns"]
    label = columns["category_id"]
    class_row = rows_in(label, dataset.classes.id)
    _refuse_class_numbers(label, class_row, dataset, path)
    image_row = _image_rows(columns["image_id"], columns["file_name"], dataset.images, path)
    raw = raw_results(columns, image_row, class_row)
    return detections_from(
        raw, dataset, name=name, path=path, format_name="ultralytics", strict=strict, checked=True
    )


def write_detections(detections: Detections, dataset: Dataset, path: str | PathLike[str]) -> None:
    """Predictions as Ultralytics writes them: image_id is the stem of the file, or its number."""
    images = dataset.images
    fields = [
        f'"image_id":{json.dumps(_stem_id(file, key))},"file_name":{json.dumps(file)}'
        for file, key in zip(images.file_name, images.id.tolist(), strict=True)
    ]
    write_results([detections], dataset, path, fields)


def _stem_id(file_name: str, key: int | str) -> int | str:
    """The stem as Ultralytics writes it; an image without a file name keeps its id."""
    name = PurePosixPath(file_name).stem
    return _as_id(name) if name else key


def _as_id(name: str) -> int | str:
    return int(name) if name.isascii() and name.isdigit() and len(name) <= 18 else name


def _image_rows(image: Any, file_name: Any, images: Images, path: Path) -> Rows:
    by_id = rows_in(image, images.id)
    if len(by_id) == 0 or (file_name is None and by_id.min() >= 0):
        return by_id
    by_stem, certain = _rows_by_stem(image, file_name, images)
    by_id = np.where(certain & (by_stem >= 0), by_stem, by_id).astype(np.int32)
    unclear = (by_id >= 0) & (by_stem >= 0) & (by_id != by_stem)
    if unclear.any() and bool(np.any((by_id < 0) & (by_stem >= 0))):
        record = int(np.argmax(unclear))
        named = images.file_name[by_stem[record]]
        raise Place(path, f"record {record}").error(
            f"image_id {shown_id(image, record)} is the id of {images.file_name[by_id[record]]!r} "
            f"and the stem of {named!r}, and other records name images by stem alone",
            "Write ids or stems throughout, or add file_name to every record",
        )
    return np.where(by_id >= 0, by_id, by_stem).astype(np.int32)


def _rows_by_stem(image: Any, file_name: Any, images: Images) -> tuple[Rows, Any]:
    """Rows found by stem, and whether the record's own file_name says that its id is a stem."""
    row_of: dict[int | str, int] = {}
    for row, name in enumerate(images.file_name):
        key = _as_id(PurePosixPath(name).stem)
        # Two files with one stem in different folders: the stem names neither.
        row_of[key] = -1 if key in row_of else row
    codes, distinct = _distinct(image)
    keys = [_as_id(key) if isinstance(key, str) else key for key in distinct]
    rows = np.array([*(row_of.get(key, -1) for key in keys), -1], dtype=np.int32)[codes]
    if file_name is None:
        return rows, np.zeros(len(rows), dtype=np.bool_)
    # Id and file name are numbered, so that a stem is taken once a file and not once a record.
    number_of = {key: number for number, key in enumerate(keys)}
    file_codes, files = file_name
    stem_numbers = [number_of.get(_as_id(PurePosixPath(file).stem), -2) for file in files]
    return rows, np.array([*stem_numbers, -2])[file_codes] == codes


def _distinct(column: Any) -> tuple[Any, list[int | str]]:
    """A number for each record, and the ids that the numbers stand for."""
    if isinstance(column, tuple):
        return column[0], list(column[1])
    distinct, inverse = np.unique(column, return_inverse=True)
    return inverse, distinct.tolist()


def _refuse_class_numbers(label: Any, class_row: Rows, dataset: Dataset, path: Path) -> None:
    """Class numbers where ids are due: plausible shifts are named, never applied."""
    if len(class_row) == 0 or class_row.min() >= 0 or isinstance(label, tuple):
        return
    ids = dataset.classes.id
    if ids.dtype != np.int64:
        return
    found = np.unique(ids_of(label))
    n = len(ids)
    readings = {
        "ids that are one too small": bool(np.isin(found + 1, ids).all()),
        "ids that are one too large": bool(np.isin(found - 1, ids).all()),
        f"class numbers from 0 to {n - 1}": bool(found[0] >= 0 and found[-1] < n),
        f"class numbers from 1 to {n}": bool(found[0] >= 1 and found[-1] <= n),
    }
    likely = [reading for reading, fits in readings.items() if fits]
    if not likely:
        return
    raise InputError(
        f"category_id has values {_range(found)}, the ground truth has {_range(ids)}; "
        f"the file seems to contain {' or '.join(likely)}",
        path=path,
        remedy="Write the ground truth's category ids (in Ultralytics the class map of the "
        "validator), or evaluate against a data set with these ids",
    )


def _range(ids: Any) -> str:
    values = ids.tolist()
    shown = ", ".join(str(value) for value in values[:3])
    return shown if len(values) <= 3 else f"{shown} ... {values[-1]} ({len(values)} in all)"
