"""Open Images CSV files as checked columns; a bad cell is named by line and column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.errors import InputError
from boxlens.formats.csv_rows import csv_rows
from boxlens.formats.exact_sides import LONG, number_of
from boxlens.formats.files import DATA_BYTES, existing_file, is_gzip, read_bytes, read_text
from boxlens.formats.sniff_content import csv_header, file_head

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

    from boxlens.data.columns import Boxes, Floats
    from boxlens.formats.exact_sides import Number

CORNERS = ("XMin", "XMax", "YMin", "YMax")
# Columns of boxes that are attributes, and the names they get.
FLAGS = {
    "IsOccluded": "occluded",
    "IsTruncated": "truncated",
    "IsDepiction": "depiction",
    "IsInside": "inside",
}
# Beyond this a coordinate is not a fraction of the image, even of one that the box overshoots.
FARTHEST = 2.0
_LONG_TEXT = " as text"


def read_csv(
    path: Path,
    *,
    text: Sequence[str] = (),
    numbers: Sequence[str] = (),
    optional_text: Sequence[str] = (),
    optional_numbers: Sequence[str] = (),
    may_be_empty: Sequence[str] = (),
) -> pl.DataFrame:
    """The named columns, found whatever their case; optional ones only where they are there.

    Corners that are longer than float64 stay beside their values as text.
    """
    existing_file(path)
    header = csv_header(file_head(path))
    name_of = {name.lower(): name for name in header}
    wanted = [*text, *numbers]
    missing = [name for name in wanted if name.lower() not in name_of]
    if missing:
        raise InputError(
            f"missing column {', '.join(missing)}; found {', '.join(header)[:200]}",
            path=path,
            where="line 1",
            remedy=f"The file needs the columns {', '.join(wanted)}",
        )
    there = [name for name in (*optional_text, *optional_numbers) if name.lower() in name_of]
    chosen = {name_of[name.lower()]: name for name in (*wanted, *there)}
    numeric = {name for name in (*numbers, *optional_numbers) if name in chosen.values()}
    frame = _read(path, chosen, numeric)
    refuse_empty(frame, [name for name in wanted if name not in may_be_empty], path)
    return frame


def refuse_empty(
    frame: pl.DataFrame, names: Sequence[str], path: Path, remedy: str | None = None
) -> None:
    """Every cell of these columns must hold something."""
    for name in names:
        if frame[name].null_count():
            row = int(np.argmax(frame[name].is_null().to_numpy()))
            where = line_of(row, frame)
            raise InputError(f"{name} is empty", path=path, where=where, remedy=remedy)


def refuse_json(path: Path, what: str, remedy: str) -> None:
    """Detections in the place of a table are a common slip."""
    if file_head(path).lstrip()[:1] in (b"[", b"{"):
        raise InputError(f"found JSON, expected a CSV table of {what}", path=path, remedy=remedy)


def line_of(row: int, frame: pl.DataFrame) -> str:
    """Where a row stands: by its column `line`, or counted from the header in line 1."""
    line = frame["line"][row] if "line" in frame.columns else row + 2
    return f"line {line}"


def with_number(frame: pl.DataFrame, name: str, cells: pl.Series) -> pl.DataFrame:
    """A column of text as numbers, null where a cell is not a number."""
    import polars as pl

    found = [cells.cast(pl.Float64, strict=False).alias(name)]
    length = cells.str.len_bytes().max() if name in CORNERS else None
    if isinstance(length, int) and length >= LONG:
        found.append(cells.set(cells.str.len_bytes() < LONG, None).alias(f"{name}{_LONG_TEXT}"))
    return frame.with_columns(found)


def exact_corners(frame: pl.DataFrame) -> dict[int, list[Number]]:
    """XMin, YMin, XMax, YMax of rows with a corner that float64 cannot hold."""
    sides = ("XMin", "YMin", "XMax", "YMax")
    texts = {name: frame.get_column(f"{name}{_LONG_TEXT}", default=None) for name in sides}
    there = [column.is_not_null().to_numpy() for column in texts.values() if column is not None]
    rows = np.flatnonzero(np.logical_or.reduce(there)) if there else np.zeros(0, np.int64)
    return {
        row: [
            float(frame[name][row]) if text is None or text[row] is None else number_of(text[row])
            for name, text in texts.items()
        ]
        for row in rows.tolist()
    }


def relative_boxes(frame: pl.DataFrame, path: Path, *, detected: bool = False) -> Boxes:
    """x, y, w, h as fractions of the image; pixels are refused.

    What people drew must lie near the image; a detector may overshoot it now and then.
    """
    left, right, top, bottom = (finite_numbers(frame, name, path) for name in CORNERS)
    for values, name in ((left, "XMin"), (right, "XMax"), (top, "YMin"), (bottom, "YMax")):
        far = np.abs(values) > FARTHEST
        if far.any() and (not detected or far.mean() > 0.5):
            raise _pixels(frame, name, int(np.argmax(far)), path)
    for low, high, low_name, high_name in (
        (left, right, "XMin", "XMax"),
        (top, bottom, "YMin", "YMax"),
    ):
        wrong = np.flatnonzero(high < low)
        if len(wrong):
            row = int(wrong[0])
            raise InputError(
                f"{high_name} {high[row]} is below {low_name} {low[row]}",
                path=path,
                where=line_of(row, frame),
                remedy="Check the order of the columns: XMin, XMax, YMin, YMax",
            )
    return np.stack([left, top, right - left, bottom - top], axis=1)


def finite_numbers(frame: pl.DataFrame, name: str, path: Path) -> Floats:
    values: Floats = frame[name].to_numpy()
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        row = int(bad[0])
        raise InputError(
            f"{values[row]} is not a finite number",
            path=path,
            where=f"{line_of(row, frame)}, column {name}",
            remedy="Correct or remove the line",
        )
    return values


def _pixels(frame: pl.DataFrame, name: str, row: int, path: Path) -> InputError:
    return InputError(
        f"{frame[name][row]} is not a fraction of the image",
        path=path,
        where=f"{line_of(row, frame)}, column {name}",
        remedy="Open Images coordinates are between 0 and 1: divide pixels by the image size",
    )


def _read(path: Path, chosen: dict[str, str], numeric: set[str]) -> pl.DataFrame:
    import polars as pl

    types = {
        column: pl.Float64() if name in numeric and name not in CORNERS else pl.String()
        for column, name in chosen.items()
    }
    source = read_bytes(path, DATA_BYTES) if is_gzip(path) else path
    try:
        # All columns are parsed, since a choice among them would let lines of any length pass.
        frame = pl.read_csv(source, schema_overrides=types, infer_schema=False, glob=False)
    except (pl.exceptions.PolarsError, OSError):
        frame = _read_as_text(path, chosen, numeric)
    if not chosen.keys() <= set(frame.columns) or not _corners_are_numbers(frame, chosen):
        frame = _read_as_text(path, chosen, numeric)
    frame = frame.select(pl.col(column).alias(name) for column, name in chosen.items())
    for name in CORNERS:
        if name in frame.columns and frame[name].dtype == pl.String:
            frame = with_number(frame, name, frame[name])
    return frame


def _corners_are_numbers(frame: pl.DataFrame, chosen: dict[str, str]) -> bool:
    import polars as pl

    cells = [frame[column] for column, name in chosen.items() if name in CORNERS]
    return all(
        one.dtype != pl.String
        or one.cast(pl.Float64, strict=False).null_count() == one.null_count()
        for one in cells
    )


def _read_as_text(path: Path, chosen: dict[str, str], numeric: set[str]) -> pl.DataFrame:
    """Slower: forgives spaces around names and numbers, and finds the cell that is not a number."""
    import polars as pl

    text = read_text(path, DATA_BYTES)
    try:
        frame = pl.read_csv(text.encode(), infer_schema=False)
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise _broken_line(path, text, str(problem)) from problem
    if not chosen.keys() <= set(frame.columns):
        # Spaces after the commas.
        names = [name.strip() for name in frame.columns]
        missing = [name for name in chosen if name not in names]
        if missing or len(set(names)) < len(names):
            what = f"no column {missing[0]}" if missing else "duplicate column names"
            raise InputError(
                f"{what}; found {', '.join(names)[:200]}",
                path=path,
                where="line 1",
                remedy="Close every quote in the first line, and give every column a unique name",
            )
        frame = frame.rename(str.strip).with_columns(pl.all().str.strip_chars())
    for column, name in chosen.items():
        if name not in numeric:
            continue
        cells = frame[column].str.strip_chars()
        values = cells.cast(pl.Float64, strict=False)
        bad = (values.is_null() & cells.is_not_null() & (cells != "")).to_numpy()
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"{cells[row]!r} is not a number",
                path=path,
                where=f"{line_of(row, frame)}, column {column}",
                remedy="Correct or remove the line",
            )
        kept = cells.set(cells == "", None) if name in CORNERS else values
        frame = frame.with_columns(kept.alias(column))
    return frame


def _broken_line(path: Path, text: str, reason: str) -> InputError:
    rows = csv_rows(text, path)
    _, header = next(rows, (0, []))
    for line, row in rows:
        if len(row) > len(header):
            return InputError(
                f"{len(row)} fields, but the header has {len(header)}",
                path=path,
                where=f"line {line}",
                remedy="Quote fields that contain a comma",
            )
    return InputError(
        f"not readable as CSV ({reason.partition(chr(10))[0]})",
        path=path,
        remedy="Save it as CSV in UTF-8",
    )
