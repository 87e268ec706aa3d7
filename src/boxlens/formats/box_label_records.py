"""Labels of boxes as records, whether a file is JSON, CSV or Parquet."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.errors import InputError
from boxlens.formats.files import existing_file, read_bytes, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BOX = ("x", "y", "w", "h")
REMEDY = (
    'Give records such as {"id": 7, "label": "cat", "score": 0.9} as JSON, or the columns '
    "id,label,score as CSV or Parquet; image and bbox may stand instead of id"
)


@dataclass(frozen=True, slots=True)
class LabelRecords:
    """Records as the file holds them; absent values are missing or None."""

    path: Path
    records: tuple[Mapping[str, Any], ...]
    # "record", "line" or "row", and the number of the first.
    unit: str
    first: int

    def where(self, number: int) -> str:
        """The place of a record, for messages."""
        return f"{self.unit} {number + self.first}"


def read_label_records(path: Path) -> LabelRecords:
    """Told by its content."""
    content = read_bytes(existing_file(path))
    if content.startswith(b"PAR1"):
        return LabelRecords(path, _from_parquet(content, path), "row", 1)
    if content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{"):
        return LabelRecords(path, _from_json(path), "record", 0)
    return LabelRecords(path, _from_csv(path), "line", 2)


def _from_json(path: Path) -> tuple[Mapping[str, Any], ...]:
    try:
        records = json.loads(read_text(path))
    except (ValueError, RecursionError) as problem:
        raise InputError(f"not readable as JSON ({problem})", path=path, remedy=REMEDY) from problem
    if not isinstance(records, list):
        raise InputError("expected a list of records", path=path, remedy=REMEDY)
    for number, record in enumerate(records):
        if not isinstance(record, dict):
            raise InputError(
                f"expected a record, got {type(record).__name__}",
                path=path,
                where=f"record {number}",
                remedy=REMEDY,
            )
    return tuple(records)


def _from_csv(path: Path) -> tuple[Mapping[str, Any], ...]:
    lines = csv.reader(io.StringIO(read_text(path)), skipinitialspace=True)
    try:
        header = [name.strip().lower() for name in next(lines, [])]
        rows = list(lines)
    except csv.Error as problem:
        raise InputError(f"not readable as CSV ({problem})", path=path, remedy=REMEDY) from problem
    if not {"id", "image", "image_id"} & set(header):
        raise InputError(
            f"no column id; found {', '.join(header)[:200] or 'nothing'}",
            path=path,
            where="line 1",
            remedy=REMEDY,
        )
    records = []
    for number, row in enumerate(rows, start=2):
        if len(row) not in {0, len(header)}:
            raise InputError(
                f"{len(row)} fields, the header names {len(header)}",
                path=path,
                where=f"line {number}",
                remedy="Quote fields that hold a comma",
            )
        cells = dict(zip(header, (cell.strip() or None for cell in row), strict=False))
        records.append(_with_box(cells))
    # Empty lines at the end are no records.
    while records and not records[-1]:
        records.pop()
    return tuple(records)


def _from_parquet(content: bytes, path: Path) -> tuple[Mapping[str, Any], ...]:
    import polars as pl

    try:
        frame = pl.read_parquet(io.BytesIO(content))
    except (pl.exceptions.PolarsError, OSError) as problem:
        reason = str(problem).partition("\n")[0]
        raise InputError(
            f"not readable as Parquet ({reason})", path=path, remedy="Write or copy it again"
        ) from problem
    if not {"id", "image", "image_id"} & set(frame.columns):
        raise InputError(
            f"no column id; found {', '.join(frame.columns)[:200]}", path=path, remedy=REMEDY
        )
    return tuple(_with_box(record) for record in frame.to_dicts())


def _with_box(cells: dict[str, Any]) -> Mapping[str, Any]:
    """Four columns x, y, w, h as one box."""
    if not set(BOX) <= cells.keys():
        return cells
    others = {name: value for name, value in cells.items() if name not in BOX}
    return {**others, "bbox": [cells[name] for name in BOX]}
