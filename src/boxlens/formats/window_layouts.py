"""How each kind of file holds windows: its records as columns, its images as rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boxlens import _kernel
from boxlens.data import Dataset, Notice
from boxlens.data.boxes import xywh_from_corners
from boxlens.data.columns import Boxes, Floats, Rows
from boxlens.data.image_names import rows_of_names
from boxlens.errors import InputError
from boxlens.formats.coco.scanned import rows_in, scan, shown_id
from boxlens.formats.files import DATA_BYTES, read_bytes

JSON_REMEDY = (
    "Windows are an array of objects with image_id, bbox (x, y, width, height) and, in all of them "
    "or in none, a score; classes do not matter"
)
CSV_REMEDY = "Windows are image,x,y,w,h or image,x1,y1,x2,y2, each with or without score"
_IMAGE_COLUMNS = ("image", "image_id", "file_name")
_NUMBERS = {int, float}
_SIZES, _CORNERS = ("x", "y", "w", "h"), ("x1", "y1", "x2", "y2")


@dataclass(frozen=True, slots=True)
class RawWindows:
    """Windows in file order, ids already turned into rows (-1: unknown)."""

    format: str
    image_row: Rows
    box: Boxes
    # None: the file order is the rank.
    score: Floats | None
    # Describes record i for messages: its image and its place in the file.
    describe: Callable[[int], str]
    notices: tuple[Notice, ...] = ()
    # What was read where it is not one file.
    files: tuple[Path, ...] | None = None


def from_json(path: Path, dataset: Dataset, threads: int) -> RawWindows:
    """COCO results; whole ones by the kernel, those without class or score by Polars."""

    def scanner(data: str | bytes) -> dict[str, Any]:
        try:
            return _kernel.scan_results(data, threads=threads)
        except _kernel.ScanError as error:
            if error.field not in ("category_id", "score"):
                raise
        content = read_bytes(path, DATA_BYTES)
        return {"columns": _at_once(content) or _record_by_record(content, path)}

    columns = scan(path, scanner, JSON_REMEDY)["columns"]
    image = columns["image_id"]

    def describe(record: int) -> str:
        return f"record {record} (image_id {shown_id(image, record)})"

    rows = rows_in(image, dataset.images.id)
    return RawWindows("coco", rows, columns["bbox"], columns["score"], describe)


def _at_once(content: bytes) -> dict[str, Any] | None:
    """The columns that the kernel gives, of records that need no class and no score.

    None where anything is unusual: reading record by record then finds what.
    """
    import polars as pl

    # Polars takes a truth value for a number.
    if b"true" in content or b"false" in content:
        return None
    schema: dict[str, Any] = {
        "image_id": pl.String,
        "bbox": pl.List(pl.Float64),
        "score": pl.Float64,
    }
    try:
        frame = pl.read_json(content, schema=schema)
    except pl.exceptions.PolarsError:
        return None
    key, box, score = (frame[name] for name in schema)
    values = box.explode()
    odd = key.null_count() or values.null_count() or (box.list.len() != 4).any()
    scored = score.null_count() == 0
    if odd or not (scored or b'"score"' not in content):
        return None
    distinct = key.unique(maintain_order=True)
    codes = key.replace_strict(distinct, range(len(distinct)), return_dtype=pl.Int64)
    return {
        "image_id": (codes.to_numpy(), distinct.to_list()),
        "bbox": values.to_numpy().reshape(-1, 4),
        "score": score.to_numpy() if scored else None,
    }


def _record_by_record(content: bytes, path: Path) -> dict[str, Any]:
    """As `_at_once`, slowly; the first wrong record is named."""
    try:
        records = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise InputError(f"not readable as JSON ({problem})", path=path) from problem
    # The kernel has seen an array and in it a record before it stopped.
    scored = "score" in records[0]
    n = len(records)
    code_of: dict[int | str, int] = {}
    codes, boxes, scores = np.empty(n, np.int64), np.empty((n, 4)), np.empty(n)
    for number, record in enumerate(records):
        fault = _fault(record, scored)
        if fault:
            where = f"record {number}"
            raise InputError(fault, path=path, where=where, remedy=JSON_REMEDY)
        codes[number] = code_of.setdefault(record["image_id"], len(code_of))
        boxes[number] = record["bbox"]
        scores[number] = record["score"] if scored else 0
    return {
        "image_id": (codes, [str(key) for key in code_of]),
        "bbox": boxes,
        "score": scores if scored else None,
    }


def _fault(record: Any, scored: bool) -> str | None:
    """What is wrong with a record, if anything is."""
    if not isinstance(record, dict):
        return "expected an object"
    key, box, score = (record.get(field) for field in ("image_id", "bbox", "score"))
    if isinstance(key, bool) or not isinstance(key, (int, str)):
        return "image_id must be an integer or a string"
    if not isinstance(box, list) or len(box) != 4 or not _NUMBERS.issuperset(map(type, box)):
        return "bbox must be four numbers"
    if scored != ("score" in record):
        return "missing score" if scored else "a score, but the first record has none"
    return "score must be a number" if scored and type(score) not in _NUMBERS else None


def from_parquet(path: Path, dataset: Dataset) -> RawWindows:
    """The columns image_id, x, y, w, h and, if it is there, score."""
    from boxlens.formats.parquet.columns import BOX, boxes, floats, read_table, rows_of_ids

    frame = read_table(path, ("image_id", *BOX), others=True)
    # The columns of boxes and scores would be held with the frame.
    image_id = frame["image_id"]

    def describe(row: int) -> str:
        return f"row {row} (image {image_id[row]})"

    return RawWindows(
        "parquet",
        rows_of_ids(frame["image_id"], dataset.images.id, path),
        boxes(frame, path),
        floats(frame, "score", path) if "score" in frame.columns else None,
        describe,
    )


def from_csv(path: Path, dataset: Dataset) -> RawWindows:
    """Corners are continuous: x2 is x1 plus the width. Images go by id, file name or stem."""
    from boxlens.formats.csv_tables import read_csv
    from boxlens.formats.sniff_content import csv_header, file_head

    header = csv_header(file_head(path))
    there = {name.lower() for name in header}
    image = next((name for name in _IMAGE_COLUMNS if name in there), None)
    columns = next((names for names in (_SIZES, _CORNERS) if there.issuperset(names)), None)
    if image is None or columns is None:
        shown = ", ".join(header)[:120]
        raise InputError(
            f"not a table of windows; it starts with {shown!r}", path=path, remedy=CSV_REMEDY
        )
    table = read_csv(path, text=(image,), numbers=columns, optional_numbers=("score",))
    values = np.stack([table.finite(name) for name in columns], axis=1)
    texts = table[image].unique(maintain_order=True).to_list()
    row_of_text = dict(zip(texts, rows_of_names(texts, dataset.images), strict=True))

    def describe(row: int) -> str:
        return f"{table.line(row)} (image {table[image][row]})"

    return RawWindows(
        "csv",
        np.array([row_of_text[text] for text in table[image].to_list()], dtype=np.int32),
        values if columns == _SIZES else xywh_from_corners(values),
        table.finite("score") if "score" in table else None,
        describe,
    )
