"""One Parquet table of a run as checked columns; what is damaged is refused with its file."""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from boxlens.app.opening.documents import AGAIN, refuse_packed
from boxlens.app.opening.tables import Codes, Keys
from boxlens.data.columns import Bools, Boxes, Floats, Rows, id_column, owned
from boxlens.errors import InputError
from boxlens.formats.files import DATA_BYTES, read_bytes
from boxlens.formats.parquet.columns import parquet_of

if TYPE_CHECKING:
    import polars as pl

BOX = ("x", "y", "w", "h")


@dataclass(frozen=True, slots=True)
class TableFile:
    """The content of a file, before it is turned into arrays. Arrays are copies: they last."""

    path: Path
    frame: pl.DataFrame

    @classmethod
    def read(cls, path: Path, needed: Sequence[str], n_rows: int, what: str) -> TableFile:
        """All columns of a file that has those needed, and as many rows as run.json says."""
        import polars as pl

        if not path.is_file():
            raise InputError("no such table", path=path, remedy=AGAIN)
        refuse_packed(path)
        content = read_bytes(path, DATA_BYTES)
        with parquet_of(path, AGAIN):
            table = pl.scan_parquet(io.BytesIO(content))
            schema, found = table.collect_schema(), table.select(pl.len()).collect().item()
        # Before anything is unpacked: equal rows beyond number fit into a small file.
        _expect_rows(path, found, n_rows, what)
        _check_columns(path, schema, needed)
        with parquet_of(path, AGAIN):
            frame = pl.read_parquet(io.BytesIO(content))
        _expect_rows(path, len(frame), n_rows, what)
        return cls(path, frame)

    def __len__(self) -> int:
        return len(self.frame)

    def __contains__(self, name: str) -> bool:
        return name in self.frame.columns

    def require(self, holds: Bools, problem: str) -> None:
        """Refuses the table, naming the first row where a condition does not hold."""
        if not holds.all():
            where = f"row {int(np.argmin(holds))}"
            raise InputError(problem, path=self.path, where=where, remedy=AGAIN)

    def expect_texts(self, names: Sequence[str]) -> None:
        for name in names:
            if not self.is_text(name):
                raise self._unfit(name, "text")

    def expect_numbers(self, names: Sequence[str]) -> None:
        for name in names:
            if self.is_text(name):
                raise self._unfit(name, "numbers")

    def is_text(self, name: str) -> bool:
        import polars as pl

        # Compared one by one: an Enum of some texts equals, but does not hash like Enum.
        return self.frame[name].dtype in (pl.String, pl.Enum, pl.Categorical)

    def floats(self, name: str) -> Floats:
        """Numbers and flags as float64, NaN where there is none."""
        import polars as pl

        column = self.frame[name]
        if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise self._unfit(name, "numbers")
        values = column.cast(pl.Float64).to_numpy()
        return owned(np.array(values, dtype=np.float64))

    def rows(self, name: str, n: int) -> Rows:
        """Row numbers below n, -1 where there is none."""
        import polars as pl

        column = self.frame[name]
        if not column.dtype.is_integer() and column.dtype != pl.Null:
            raise self._unfit(name, "rows")
        known = column.is_not_null().to_numpy()
        values = column.cast(pl.Int64, strict=False).fill_null(-1).to_numpy()
        self.require(~known | ((values >= 0) & (values < n)), f"{name} is not a row below {n:,}")
        return owned(values.astype(np.int32))

    def texts(self, name: str) -> tuple[str, ...]:
        """Texts, empty where there is none."""
        import polars as pl

        self.expect_texts([name])
        return tuple(self.frame[name].cast(pl.String).fill_null("").to_list())

    def codes(self, name: str) -> Codes:
        """Texts as codes, in the order of the file's own list of them, else of the alphabet."""
        import polars as pl

        column = self.frame[name]
        if column.dtype != pl.Enum:
            column = column.cast(pl.String)
            column = column.cast(pl.Enum(column.drop_nulls().unique().sort()))
        values = _categories(column)
        narrow = np.int16 if len(values) < np.iinfo(np.int16).max else np.int32
        code = column.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        known = (code >= -1) & (code < len(values))
        self.require(known, f"{name} is not one of its {len(values):,} texts")
        return Codes(values, owned(code.astype(narrow)))

    def rows_of_texts(self, name: str, names: Sequence[str]) -> Rows:
        """The place of every text among names; each has one."""
        self.expect_texts([name])
        codes = self.codes(name)
        # The first of equal names, as everywhere.
        place = {text: row for row, text in reversed(list(enumerate(names)))}
        row_of = np.array([*(place.get(text, -1) for text in codes.values), -1], dtype=np.int32)
        rows: Rows = row_of[codes.code]
        self.require(rows >= 0, f"{name} is not in run.json")
        return owned(rows)

    def keys(self, name: str) -> Keys:
        """Ids, whole numbers or texts."""
        import polars as pl

        column = self.frame[name]
        known = owned(np.array(column.is_not_null().to_numpy()))
        if column.dtype.is_integer():
            ids = column.cast(pl.Int64, strict=False).fill_null(0).to_numpy()
            return Keys(owned(np.array(ids)), known)
        if column.dtype != pl.Null and not self.is_text(name):
            raise self._unfit(name, "ids")
        codes = self.codes(name)
        # The last place is that of -1; equal ids share one text.
        texts = np.array([*codes.values, ""], dtype=object)
        return Keys(owned(texts[codes.code]), known)

    def ids_equal(self, name: str, ids: Sequence[int | str], rows: Rows) -> Bools:
        """Whether every id is that of its row among ids."""
        keys = self.keys(name)
        equal: Bools = np.asarray(keys.ids == id_column(ids)[rows], dtype=np.bool_)
        return keys.known & equal

    def boxes(self) -> Boxes:
        """x, y, w, h; finite, no size below 0."""
        box = np.stack([self.floats(name) for name in BOX], axis=1)
        whole: Bools = np.logical_and(np.isfinite(box).all(axis=1), (box[:, 2:] >= 0).all(axis=1))
        self.require(whole, "invalid box")
        return owned(box)

    def further(self, but: Collection[str]) -> tuple[dict[str, Floats], dict[str, Codes]]:
        """All other columns: numbers, and texts as codes."""
        names = [name for name in self.frame.columns if name not in but]
        codes = {name: self.codes(name) for name in names if self.is_text(name)}
        return {name: self.floats(name) for name in names if name not in codes}, codes

    def _unfit(self, name: str, expected: str) -> InputError:
        problem = f"column {name} holds {self.frame[name].dtype}, not {expected}"
        return InputError(problem, path=self.path, remedy=AGAIN)


def _expect_rows(path: Path, found: int, n: int, what: str) -> None:
    if found != n:
        raise InputError(
            f"has {found:,} rows, but run.json has {n:,} {what}",
            path=path,
            remedy=f"{AGAIN}: the files in this folder belong to different runs",
        )


def _check_columns(path: Path, schema: pl.Schema, needed: Sequence[str]) -> None:
    """All that are needed, and none with more than one value per row."""
    missing = [name for name in needed if name not in schema]
    if missing:
        raise InputError(f"missing column {', '.join(missing)}", path=path, remedy=AGAIN)
    for name, kind in schema.items():
        if kind.is_nested():
            problem = f"column {name} holds {kind}, not numbers or text"
            raise InputError(problem, path=path, remedy=AGAIN)


def _categories(column: pl.Series) -> tuple[str, ...]:
    """The texts of an Enum column."""
    return tuple(cast("pl.Enum", column.dtype).categories.to_list())
