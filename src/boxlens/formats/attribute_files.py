"""Attributes of objects from a file: CSV, TSV, JSON or Parquet, plain or packed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from boxlens.data.attributes import AttributeTable
from boxlens.data.source import Source
from boxlens.errors import InputError
from boxlens.formats.csv_rows import csv_rows
from boxlens.formats.files import DATA_BYTES, existing_file, read_json, read_text, reading
from boxlens.formats.parquet.columns import read_table
from boxlens.formats.places import Place
from boxlens.formats.sniff_content import file_head

PARQUET = b"PAR1"


def read_attributes(path: str | PathLike[str]) -> AttributeTable:
    """One row per object: what names the object, and what is said of it."""
    file = existing_file(path)
    with reading(path):
        head, source = file_head(file), Source.of(file, "attributes")
        if head.startswith(PARQUET):
            frame = read_table(file, (), others=True)
            return AttributeTable(frame.to_dict(as_series=False), str(path), source=source)
        if head.lstrip()[:1] in (b"[", b"{"):
            columns = _json_columns(file)
            return AttributeTable(columns, str(path), lambda row: f"record {row}", source)
        return replace(_csv_table(file), source=source)


def _json_columns(path: Path) -> Mapping[str, list[Any]]:
    """A list of records, or lists by name."""
    content = read_json(path, most_bytes=DATA_BYTES)
    if isinstance(content, list) and all(isinstance(one, dict) for one in content):
        names = dict.fromkeys(name for one in content for name in one)
        return {name: [one.get(name) for one in content] for name in names}
    if isinstance(content, dict) and all(isinstance(one, list) for one in content.values()):
        return content
    raise InputError(
        "expected a list of records, or an object of lists of one length",
        path=path,
        remedy='Write [{"object_id": 1, "occlusion": "low"}, ...]',
    )


def _csv_table(path: Path) -> AttributeTable:
    text = read_text(path, DATA_BYTES)
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    rows = list(csv_rows(text, path, delimiter=delimiter))
    filled = [(line, cells) for line, cells in rows if any(map(str.strip, cells))]
    if not filled:
        raise InputError("is empty", path=path, remedy="Give a line of names, then one per object")
    (_, header), *body = filled
    for line, cells in body:
        if len(cells) != len(header):
            problem = f"{len(cells)} fields, but the header has {len(header)}"
            raise Place(path, f"line {line}").error(problem, "Quote fields that hold a delimiter")
    columns = {name: [cells[at] for _, cells in body] for at, name in enumerate(header)}
    return AttributeTable(columns, str(path), lambda row: f"line {body[row][0]}")
