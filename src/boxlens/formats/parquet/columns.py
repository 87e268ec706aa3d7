"""Parquet files as checked columns, and the cheapest ways from them to rows and boxes."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boxlens.data.columns import Boxes, Floats, Ids, Rows, id_column
from boxlens.errors import InputError
from boxlens.formats.files import (
    DATA_BYTES,
    UNPACKED_BYTES,
    UNPACKED_FACTOR,
    existing_file,
    is_gzip,
    read_bytes,
    reason_of,
    written_whole,
)
from boxlens.formats.text_ids import rows_of_text

if TYPE_CHECKING:
    import polars as pl

SCHEMA = 1
SCHEMA_KEY = "boxlens_schema"
BOX = ("x", "y", "w", "h")
# So many rows that decoding a group is worth a thread, so few that both cores share a file.
ROW_GROUP = 1 << 17
# Rows interleaved at a time: the four source columns and the target stay in the cache.
BLOCK = 1 << 14
# Ids spread no wider than this are looked up in a dense table.
DENSE_SPAN = 1 << 22
REMEDY = "Write it again, or name the right file"


def write_table(frame: pl.DataFrame, path: Path, metadata: Mapping[str, str] | None = None) -> None:
    """Uncompressed and without statistics: packing would cost more than reading does."""
    import polars as pl

    with written_whole(path) as temporary:
        try:
            frame.write_parquet(
                temporary,
                compression="uncompressed",
                statistics=False,
                row_group_size=ROW_GROUP,
                metadata={SCHEMA_KEY: str(SCHEMA), **(metadata or {})},
            )
        except pl.exceptions.PolarsError as problem:
            raise OSError(str(problem).partition("\n")[0]) from problem


def read_table(path: Path, required: Sequence[str], *, others: bool = False) -> pl.DataFrame:
    """The required columns, none with an empty value, and the other columns if asked for."""
    import polars as pl

    readable = _readable(path)
    with parquet_of(path):
        _check_schema(dict(pl.read_parquet_metadata(readable)), path)
        content = pl.scan_parquet(readable, glob=False, hive_partitioning=False)
        names = content.collect_schema().names()
        missing = [name for name in required if name not in names]
        if missing:
            raise InputError(
                f"missing column {', '.join(missing)}; found {', '.join(names)}",
                path=path,
                remedy=f"Give the columns {', '.join(required)}",
            )
        check_size(content, path)
        frame = content.select(names if others else required).collect()
    for name in required:
        if frame[name].null_count():
            row = int(np.argmax(frame[name].is_null().to_numpy()))
            raise InputError(f"{name} is empty", path=path, where=f"row {row}")
    return frame


def metadata_of(path: Path) -> dict[str, str]:
    import polars as pl

    with parquet_of(path):
        return dict(pl.read_parquet_metadata(_readable(path)))


@contextmanager
def parquet_of(path: Path, remedy: str = REMEDY) -> Iterator[None]:
    """Whatever a damaged file raises in its reader is an error of the file."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        reason = reason_of(problem)
        raise InputError(
            f"not a readable Parquet file ({reason})", path=path, remedy=remedy
        ) from problem


def check_size(content: pl.LazyFrame, path: Path) -> None:
    """Refuses a few bytes that claim to be billions of rows."""
    import polars as pl

    n_rows: int = content.select(pl.len()).collect().item()
    n_bytes = 8 * n_rows * len(content.collect_schema())
    if n_bytes > max(UNPACKED_BYTES, UNPACKED_FACTOR * path.stat().st_size):
        raise InputError(
            f"declares {n_rows:,} rows, far more than its size allows",
            path=path,
            remedy=REMEDY,
        )


def _readable(path: Path) -> Path | io.BytesIO:
    """What Polars can read: the file, or its content where it is packed."""
    found = existing_file(path)
    return io.BytesIO(read_bytes(found, DATA_BYTES)) if is_gzip(found) else found


def table_file(folder: Path, name: str) -> Path:
    """A table of a folder, plain or packed."""
    packed = folder / f"{name}.gz"
    return packed if packed.exists() and not (folder / name).exists() else folder / name


def float_column(frame: pl.DataFrame, name: str, path: Path) -> pl.Series:
    import polars as pl

    column = frame[name]
    if column.dtype == pl.Float64:
        return column
    if not column.dtype.is_numeric() and column.dtype != pl.Null:
        raise InputError(
            f"column {name} holds {column.dtype}, not numbers",
            path=path,
            remedy="Store it as float64",
        )
    return column.cast(pl.Float64)


def floats(frame: pl.DataFrame, name: str, path: Path) -> Floats:
    values: Floats = float_column(frame, name, path).to_numpy()
    return values


def boxes(frame: pl.DataFrame, path: Path) -> Boxes:
    """The four columns interleaved, straight from the chunks they were decoded into."""
    box = np.empty((len(frame), 4), dtype=np.float64)
    columns = [float_column(frame, name, path).get_chunks() for name in BOX]
    if len({tuple(map(len, chunks)) for chunks in columns}) > 1:
        columns = [[float_column(frame, name, path).rechunk()] for name in BOX]
    first = 0
    for chunks in zip(*columns, strict=True):
        x, y, w, h = (chunk.to_numpy() for chunk in chunks)
        for begin in range(0, len(x), BLOCK):
            end = min(begin + BLOCK, len(x))
            block = box[first + begin : first + end]
            block[:, 0], block[:, 1] = x[begin:end], y[begin:end]
            block[:, 2], block[:, 3] = w[begin:end], h[begin:end]
        first += len(x)
    return box


def texts(frame: pl.DataFrame, name: str, path: Path) -> list[str | None]:
    """A column of text, None where there is none."""
    import polars as pl

    column = frame[name]
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        raise InputError(
            f"column {name} holds {column.dtype}, not text", path=path, remedy="Store it as text"
        )
    return column.cast(pl.String).to_list()


def ids_of(column: pl.Series, path: Path) -> Ids:
    """Whole numbers or text, none of them empty."""
    import polars as pl

    integers = column.dtype.is_integer()
    if not integers and column.dtype != pl.String:
        raise InputError(
            f"column {column.name} holds {column.dtype}, not whole numbers or text",
            path=path,
            remedy="Store ids as int64 or as text",
        )
    values = column.cast(pl.Int64, strict=False) if integers else column
    if values.null_count():
        row = int(np.argmax(values.is_null().to_numpy()))
        problem = f"{column.name} is empty or too large for int64"
        raise InputError(problem, path=path, where=f"row {row}", remedy="Give every row an id")
    return id_column(values.to_numpy() if integers else values.to_list())


def id_series(ids: Ids) -> pl.Series:
    import polars as pl

    if ids.dtype == np.int64:
        return pl.Series(ids)
    return pl.Series(ids.tolist(), dtype=pl.String)


def rows_of_ids(column: pl.Series, ids: Ids, path: Path, *, in_runs: bool = False) -> Rows:
    """The row of every id among ascending `ids`, -1 where it is not one of them.

    `in_runs` expects equal ids to stand together, and looks each run up once.
    """
    import polars as pl

    integers = ids.dtype == np.int64
    if len(ids) == 0:
        return np.full(len(column), -1, dtype=np.int32)
    if integers != column.dtype.is_integer() or not (integers or column.dtype == pl.String):
        raise InputError(
            f"column {column.name} holds {column.dtype}, but the data set's ids are "
            f"{'integers' if integers else 'text'}",
            path=path,
            remedy="Store the ids as the data set has them",
        )
    if integers:
        known = column.cast(pl.Int64, strict=False)
        rows = _rows_of_integers(known.fill_null(0), ids)
        # An id beyond the range of int64 is none of these.
        return (
            np.where(known.is_null().to_numpy(), -1, rows).astype(np.int32)
            if (known.null_count())
            else rows
        )
    if not in_runs:
        return rows_of_text(column, ids.tolist())
    runs = column.rle()
    rows = rows_of_text(runs.struct.field("value"), ids.tolist())
    return np.repeat(rows, runs.struct.field("len").to_numpy())


def _rows_of_integers(column: pl.Series, ids: Ids) -> Rows:
    before = ids[0] - 1
    span = int(ids[-1]) - int(before)
    if span >= DENSE_SPAN:
        return _rows_of_runs(column.to_numpy(), ids)
    # A place at either end catches what lies outside.
    row_of = np.full(span + 2, -1, dtype=np.int32)
    row_of[ids - before] = np.arange(len(ids), dtype=np.int32)
    rows = np.empty(len(column), dtype=np.int32)
    first = 0
    for chunk in column.get_chunks():
        end = first + len(chunk)
        row_of.take(chunk.to_numpy() - before, mode="clip", out=rows[first:end])
        first = end
    return rows


def _rows_of_runs(values: Ids, ids: Ids) -> Rows:
    """Looks each run of equal ids up once."""
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    starts = np.concatenate([[0], changes])[: len(values)]
    first = values[starts]
    place = np.searchsorted(ids, first).clip(max=len(ids) - 1)
    rows = np.where(ids[place] == first, place, -1).astype(np.int32)
    return np.repeat(rows, np.diff(starts, append=len(values)))


def _check_schema(metadata: Mapping[str, str], path: Path) -> None:
    version = metadata.get(SCHEMA_KEY, str(SCHEMA))
    if version != str(SCHEMA):
        raise InputError(
            f"written with schema {version}, this Boxlens reads schema {SCHEMA}",
            path=path,
            remedy="Upgrade Boxlens, or convert the original files again",
        )
