"""Labels of boxes as records, from JSON, CSV or Parquet."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boxlens.errors import InputError
from boxlens.formats.csv_rows import csv_rows
from boxlens.formats.files import DATA_BYTES, read_bytes, read_json, read_text
from boxlens.formats.places import Place

BOX = ("x", "y", "w", "h")
# Columns of which a table has one at least: what names an object, and what names its class.
OBJECT_COLUMNS = ("id", "image", "image_id")
CLASS_COLUMNS = ("label", "category_id", "scores")
REMEDY = (
    'Give records such as {"id": 7, "label": "cat", "score": 0.9} as JSON, or the columns '
    "id,label,score as CSV or Parquet; image and bbox may replace id"
)


@dataclass(frozen=True, slots=True)
class LabelRecords:
    """Records as the file holds them; absent values are missing or None."""

    path: Path
    records: tuple[Mapping[str, Any], ...]
    # "record", "line" or "row", and the number of each.
    unit: str
    numbers: Sequence[int]

    def where(self, number: int) -> str:
        """The place of a record, for messages."""
        return f"{self.unit} {self.numbers[number]}"

    def error(self, number: int, problem: str, remedy: str) -> InputError:
        return InputError(problem, path=self.path, where=self.where(number), remedy=remedy)


def read_label_records(path: Path) -> LabelRecords:
    """The format is recognised by content."""
    content = read_bytes(path, DATA_BYTES)
    if content.startswith(b"PAR1"):
        records = _from_parquet(content, path)
        return LabelRecords(path, records, "row", range(1, len(records) + 1))
    if content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{"):
        records = _from_json(path)
        return LabelRecords(path, records, "record", range(len(records)))
    return _from_csv(path)


def _from_json(path: Path) -> tuple[Mapping[str, Any], ...]:
    records = read_json(path, remedy=REMEDY, most_bytes=DATA_BYTES)
    if not isinstance(records, list):
        raise InputError("expected a list of records", path=path, remedy=REMEDY)
    for number, record in enumerate(records):
        if not isinstance(record, dict):
            raise Place(path, f"record {number}").error(
                f"expected a record, got {type(record).__name__}", REMEDY
            )
    return tuple(records)


def _from_csv(path: Path) -> LabelRecords:
    lines = csv_rows(read_text(path, DATA_BYTES), path, skipinitialspace=True)
    header = [name.strip().lower() for name in next(lines, (1, []))[1]]
    _check_columns(header, path, "line 1")
    records, numbers = [], []
    for number, row in lines:
        # Empty lines are no records.
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise Place(path, f"line {number}").error(
                f"{len(row)} fields, but the header has {len(header)}",
                "Quote fields that contain a comma",
            )
        cells = dict(zip(header, (cell.strip() or None for cell in row), strict=True))
        records.append(_with_box(cells))
        numbers.append(number)
    return LabelRecords(path, tuple(records), "line", tuple(numbers))


def _check_columns(header: Sequence[str], path: Path, where: str | None = None) -> None:
    """What a table must name, once each."""
    found = f"found {', '.join(header)[:200] or 'nothing'}"
    problem = ""
    if not set(OBJECT_COLUMNS) & set(header):
        problem = f"missing column id; {found}"
    elif not set(CLASS_COLUMNS) & set(header):
        problem = f"missing column label, category_id or scores; {found}"
    else:
        repeated = [name for name, n in Counter(header).items() if n > 1]
        problem = f"duplicate column {repeated[0]!r}" if repeated else ""
    if problem:
        raise InputError(problem, path=path, where=where, remedy=REMEDY)


def _from_parquet(content: bytes, path: Path) -> tuple[Mapping[str, Any], ...]:
    import polars as pl

    from boxlens.formats.parquet.columns import check_size, parquet_of

    with parquet_of(path):
        table = pl.scan_parquet(io.BytesIO(content))
        check_size(table, path)
        frame = table.collect()
    _check_columns(frame.columns, path)
    return tuple(_with_box(record) for record in frame.to_dicts())


def _with_box(cells: dict[str, Any]) -> Mapping[str, Any]:
    """Four columns x, y, w, h as one box."""
    if not set(BOX) <= cells.keys():
        return cells
    others = {name: value for name, value in cells.items() if name not in BOX}
    return {**others, "bbox": [cells[name] for name in BOX]}
