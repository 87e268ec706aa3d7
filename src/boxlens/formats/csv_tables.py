"""CSV files as checked columns; a bad cell is named by line and column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.columns import Bools, Floats
from boxlens.errors import InputError
from boxlens.formats.csv_rows import csv_rows
from boxlens.formats.exact_sides import LONG, Number, number_of
from boxlens.formats.files import DATA_BYTES, existing_file, is_gzip, read_bytes, read_text
from boxlens.formats.places import Place
from boxlens.formats.sniff_content import csv_header, file_head

if TYPE_CHECKING:
    import polars as pl

_LONG_TEXT = " as text"


@dataclass(frozen=True, slots=True)
class CsvTable:
    """Columns of a file. A column `line` says where rows stand that are no lines of their own."""

    path: Path
    frame: pl.DataFrame

    def __len__(self) -> int:
        return len(self.frame)

    def __contains__(self, name: str) -> bool:
        return name in self.frame.columns

    def __getitem__(self, name: str) -> pl.Series:
        return self.frame[name]

    def line(self, row: int) -> str:
        """Where a row stands, counted from the header in line 1."""
        return f"line {self['line'][row] if 'line' in self else row + 2}"

    def refuse(
        self,
        bad: Bools,
        problem: str | Callable[[int], str],
        remedy: str | None = None,
        *,
        cell: str = "",
    ) -> None:
        """Names the first row where something is wrong, and the cell in it."""
        if bad.any():
            row = int(np.argmax(bad))
            said = problem if isinstance(problem, str) else problem(row)
            where = f"{self.line(row)}, {cell}" if cell else self.line(row)
            raise InputError(said, path=self.path, where=where, remedy=remedy)

    def refuse_empty(self, names: Sequence[str], remedy: str | None = None) -> None:
        """Every cell of these columns must hold something."""
        for name in names:
            if self[name].null_count():
                self.refuse(self[name].is_null().to_numpy(), f"{name} is empty", remedy)

    def finite(self, name: str) -> Floats:
        values: Floats = self[name].to_numpy()
        self.refuse(
            ~np.isfinite(values),
            lambda row: f"{values[row]} is not a finite number",
            "Correct or remove the line",
            cell=f"column {name}",
        )
        return values

    def exact(self, names: Sequence[str]) -> dict[int, list[Number]]:
        """Numbers of the rows of which float64 cannot hold one."""
        texts = {name: self.frame.get_column(f"{name}{_LONG_TEXT}", default=None) for name in names}
        there = [column.is_not_null().to_numpy() for column in texts.values() if column is not None]
        rows = np.flatnonzero(np.logical_or.reduce(there)) if there else np.zeros(0, np.int64)
        return {
            row: [
                float(self[name][row])
                if text is None or text[row] is None
                else number_of(text[row])
                for name, text in texts.items()
            ]
            for row in rows.tolist()
        }

    def with_number(self, name: str, *, exact: bool = False) -> CsvTable:
        """A column of text as numbers, null where a cell is not a number.

        Numbers that are longer than float64 stay beside their values as text, if asked for.
        """
        import polars as pl

        cells = self[name]
        found = [cells.cast(pl.Float64, strict=False).alias(name)]
        length = cells.str.len_bytes().max() if exact else None
        if isinstance(length, int) and length >= LONG:
            found.append(cells.set(cells.str.len_bytes() < LONG, None).alias(f"{name}{_LONG_TEXT}"))
        return CsvTable(self.path, self.frame.with_columns(found))


def read_csv(
    path: Path,
    *,
    text: Sequence[str] = (),
    numbers: Sequence[str] = (),
    optional_text: Sequence[str] = (),
    optional_numbers: Sequence[str] = (),
    may_be_empty: Sequence[str] = (),
    exact: Collection[str] = (),
) -> CsvTable:
    """The named columns, found whatever their case; optional ones only where they are there.

    Numbers of `exact` columns that are longer than float64 stay beside their values as text.
    """
    existing_file(path)
    header = csv_header(file_head(path))
    name_of = {name.lower(): name for name in header}
    wanted = [*text, *numbers]
    missing = [name for name in wanted if name.lower() not in name_of]
    if missing:
        raise Place(path, "line 1").error(
            f"missing column {', '.join(missing)}; found {', '.join(header)[:200]}",
            f"The file needs the columns {', '.join(wanted)}",
        )
    there = [name for name in (*optional_text, *optional_numbers) if name.lower() in name_of]
    chosen = {name_of[name.lower()]: name for name in (*wanted, *there)}
    numeric = {name for name in (*numbers, *optional_numbers) if name in chosen.values()}
    table = _read(path, chosen, numeric, exact)
    table.refuse_empty([name for name in wanted if name not in may_be_empty])
    return table


def refuse_json(path: Path, what: str, remedy: str) -> None:
    """Detections in the place of a table are a common slip."""
    if file_head(path).lstrip()[:1] in (b"[", b"{"):
        raise InputError(f"found JSON, expected a CSV table of {what}", path=path, remedy=remedy)


def _read(
    path: Path, chosen: dict[str, str], numeric: set[str], exact: Collection[str]
) -> CsvTable:
    import polars as pl

    types = {
        column: pl.Float64() if name in numeric and name not in exact else pl.String()
        for column, name in chosen.items()
    }
    source = read_bytes(path, DATA_BYTES) if is_gzip(path) else path
    try:
        # All columns are parsed, since a choice among them would let lines of any length pass.
        frame = pl.read_csv(source, schema_overrides=types, infer_schema=False, glob=False)
    except (pl.exceptions.PolarsError, OSError):
        frame = _read_as_text(path, chosen, numeric, exact)
    long = [column for column, name in chosen.items() if name in exact]
    if not chosen.keys() <= set(frame.columns) or not all(_are_numbers(frame[one]) for one in long):
        frame = _read_as_text(path, chosen, numeric, exact)
    named = frame.select(pl.col(column).alias(name) for column, name in chosen.items())
    table = CsvTable(path, named)
    for name in exact:
        if name in table and table[name].dtype == pl.String:
            table = table.with_number(name, exact=True)
    return table


def _are_numbers(cells: pl.Series) -> bool:
    import polars as pl

    read = cells.cast(pl.Float64, strict=False)
    return cells.dtype != pl.String or read.null_count() == cells.null_count()


def _read_as_text(
    path: Path, chosen: dict[str, str], numeric: set[str], exact: Collection[str]
) -> pl.DataFrame:
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
            raise Place(path, "line 1").error(
                f"{what}; found {', '.join(names)[:200]}",
                "Close every quote in the first line, and give every column a unique name",
            )
        frame = frame.rename(str.strip).with_columns(pl.all().str.strip_chars())
    for column, name in chosen.items():
        if name in numeric:
            cells, values = _numbers(CsvTable(path, frame), column)
            kept = cells.set(cells == "", None) if name in exact else values
            frame = frame.with_columns(kept.alias(column))
    return frame


def _numbers(table: CsvTable, column: str) -> tuple[pl.Series, pl.Series]:
    """The cells of a column without blanks around them, and as numbers."""
    import polars as pl

    cells = table[column].str.strip_chars()
    values = cells.cast(pl.Float64, strict=False)
    table.refuse(
        (values.is_null() & cells.is_not_null() & (cells != "")).to_numpy(),
        lambda row: f"{cells[row]!r} is not a number",
        "Correct or remove the line",
        cell=f"column {column}",
    )
    return cells, values


def _broken_line(path: Path, text: str, reason: str) -> InputError:
    rows = csv_rows(text, path)
    _, header = next(rows, (0, []))
    for line, row in rows:
        if len(row) > len(header):
            return Place(path, f"line {line}").error(
                f"{len(row)} fields, but the header has {len(header)}",
                "Quote fields that contain a comma",
            )
    return InputError(
        f"not readable as CSV ({reason.partition(chr(10))[0]})",
        path=path,
        remedy="Save it as CSV in UTF-8",
    )
