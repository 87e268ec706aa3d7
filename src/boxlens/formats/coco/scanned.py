"""What the kernel's JSON scanner found, as columns; its errors as errors of the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boxlens import _kernel
from boxlens.data import Links, Spans
from boxlens.data.columns import Attribute, Ids, Rows, frozen
from boxlens.errors import InputError
from boxlens.formats.files import (
    DATA_BYTES,
    existing_file,
    is_gzip,
    opened,
    read_bytes,
    reading,
)

# Ids or texts as the kernel gives them: int64, or (numbers of texts with -1 for none, texts).
Scanned = Any


@dataclass(frozen=True, slots=True)
class Records:
    """The records of one array; a column that no record has is None."""

    rows: int
    columns: Mapping[str, Scanned]
    attributes: Mapping[str, Scanned]
    skipped: Mapping[str, int]


def scan(
    path: Path,
    scanner: Callable[[str | bytes], dict[str, Any]],
    remedy: str,
) -> dict[str, Any]:
    """Runs a scanner over a file, plain or gzip."""
    source = existing_file(path)
    try:
        return scanner(read_bytes(source, DATA_BYTES) if is_gzip(source) else str(source))
    except _kernel.ScanError as error:
        raise InputError(error.problem, path=path, where=_place(error), remedy=remedy) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from error


def _place(error: _kernel.ScanError) -> str:
    parts = [f"byte {error.offset}"]
    if error.record >= 0:
        parts.insert(0, f"{error.array} record {error.record}")
    if error.field:
        parts.insert(-1, f"field {error.field}")
    return ", ".join(parts)


def ids_of(column: Scanned) -> Ids:
    """Ids in file order: int64, or object holding str."""
    if isinstance(column, tuple):
        return _texts(column)
    return frozen(column, np.int64)


def texts_of(column: Scanned, rows: int) -> list[str | None]:
    """Texts in file order, None where a record has none."""
    if column is None:
        return [None] * rows
    return list(_texts(column))


def numbers_of(column: Scanned, rows: int) -> Attribute:
    """Numbers in file order, NaN where a record has none."""
    return np.full(rows, np.nan) if column is None else frozen(column, np.float64)


def attribute_of(column: Scanned) -> Attribute:
    """float64 with NaN, or object holding str with None."""
    return _texts(column) if isinstance(column, tuple) else frozen(column, np.float64)


def _texts(column: tuple[Any, list[str]]) -> Attribute:
    codes, texts = column
    # One more text at the end serves the code -1.
    table = np.empty(len(texts) + 1, dtype=object)
    table[: len(texts)] = texts
    return frozen(table[codes], object)


def rows_in(column: Scanned, ids: Ids) -> Rows:
    """The row each scanned id has in ascending, unique ids; -1 where it is not among them."""
    if isinstance(column, tuple):
        codes, texts = column
        row_of = {str(key): row for row, key in enumerate(ids.tolist())}
        rows = np.array([row_of.get(text, -1) for text in texts] + [-1], dtype=np.int32)
        return np.asarray(rows[codes])
    if ids.dtype == np.int64:
        return _kernel.rows_of(column, ids)
    distinct, inverse = np.unique(column, return_inverse=True)
    row_of = {key: row for row, key in enumerate(ids.tolist())}
    rows = np.array([row_of.get(str(key), -1) for key in distinct.tolist()], dtype=np.int32)
    return np.asarray(rows[inverse])


def shown_id(column: Scanned, record: int) -> str:
    """An id as a message shows it."""
    if isinstance(column, tuple):
        codes, texts = column
        return repr(texts[codes[record]])
    return str(column[record])


def links_of(column: Scanned, class_ids: Ids) -> tuple[Links, int]:
    """Lists of class ids as links to class rows, and how many ids are not classes."""
    offsets, members = column
    rows = rows_in(members, class_ids)
    known = rows >= 0
    before = np.concatenate([[0], np.cumsum(known)])
    links = Links(frozen(before[offsets], np.int64), frozen(rows[known], np.int32))
    return links, int(len(rows) - before[-1])


def spans_of(column: Scanned, path: Path) -> Spans:
    begin, end = column
    return Spans(
        (path,),
        frozen(np.zeros(len(begin)), np.int32),
        frozen(begin, np.int64),
        frozen(end, np.int64),
    )


def raw_spans(spans: Spans) -> list[bytes | None]:
    """The bytes of every span, None where there is none; each file is read once."""
    found: list[bytes | None] = [None] * len(spans.begin)
    for number, file in enumerate(spans.files):
        rows = np.flatnonzero((spans.file_row == number) & (spans.begin >= 0))
        if len(rows) == 0:
            continue
        content = memoryview(read_bytes(file, DATA_BYTES))
        for row in rows.tolist():
            found[row] = bytes(content[spans.begin[row] : spans.end[row]])
    return found


def read_spans(spans: Spans) -> list[object | None]:
    """The values of spans, None where there is none."""
    return [None if raw is None else parsed(raw, spans.files[0]) for raw in raw_spans(spans)]


def bytes_between(path: Path, begin: int, end: int) -> bytes:
    """Some bytes of a file, or of what it unpacks to; the rest of a plain file is not read."""
    if is_gzip(path):
        return read_bytes(path, DATA_BYTES)[begin:end]
    with reading(path), opened(path) as file:
        file.seek(begin)
        return file.read(end - begin)


def parsed(content: bytes, path: Path) -> Any:
    """A JSON value that has been scanned before."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise InputError(
            f"a value could not be read again ({problem})",
            path=path,
            remedy="Read the data set again if the file has changed",
        ) from problem
