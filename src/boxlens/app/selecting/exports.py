"""A selection as a file to keep: CSV for spreadsheets, COCO JSON for tools, a list of images."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from boxlens.app.opening.column_files import BOX
from boxlens.app.opening.run import Run
from boxlens.app.opening.tables import BoxTable, Integers, Keys
from boxlens.app.selecting.coco_exports import coco_json
from boxlens.app.selecting.selection import Selection
from boxlens.data.columns import Floats, Rows

if TYPE_CHECKING:
    import polars as pl

    # The cells of some rows of a column.
    Cells = Callable[[Rows], pl.Series]

__all__ = ["coco_json", "csv_lines", "image_list"]

CHUNK = 5_000
# Cells that begin so are run as formulas by some spreadsheet; the last four are full-width signs.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Rows of our own that mean nothing outside.
_INNER = frozenset({"image_row", "object_row"})
# Everything that some reader takes for the end of a line.
_LINE_ENDS = {ord(mark): repr(mark)[1:-1] for mark in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"}


def csv_lines(run: Run, selection: Selection) -> Iterator[bytes]:
    """One line per row in the order of the selection, after a line of names (RFC 4180).

    Polars writes it, which leaves other requests their share of the interpreter.
    """
    import polars as pl

    columns = _image_columns(run) if selection.of == "images" else _box_columns(run, selection)
    yield _lines(pl.Series([harmless(name)]) for name in columns)
    for begin in range(0, selection.n_rows, CHUNK):
        rows = selection.rows[begin : begin + CHUNK]
        yield _lines(cells(rows) for cells in columns.values())


def image_list(run: Run, selection: Selection) -> Iterator[bytes]:
    """One file name a line, or the id of an image without one."""
    for begin in range(0, selection.n_images, CHUNK):
        rows = selection.image_rows[begin : begin + CHUNK].tolist()
        names = (run.images.name(row).translate(_LINE_ENDS) for row in rows)
        yield "".join(f"{name}\n" for name in names).encode()


def harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _lines(columns: Iterable[pl.Series]) -> bytes:
    import polars as pl

    # Columns need names of their own, which are not written.
    frame = pl.DataFrame({str(number): cells for number, cells in enumerate(columns)})
    content = io.BytesIO()
    frame.write_csv(content, include_header=False, line_terminator="\r\n")
    return content.getvalue()


def _image_columns(run: Run) -> dict[str, Cells]:
    images = run.images
    every = np.arange(len(images))
    return {
        "image_id": _ids(images.id, every),
        "file_name": _texts(images.file_name, every),
        "width": _numbers(images.width),
        "height": _numbers(images.height),
        **{name: _numbers(values) for name, values in images.columns.items()},
    }


def _box_columns(run: Run, selection: Selection) -> dict[str, Cells]:
    """The columns of the table in their order, the file name after the image's id."""
    table = run.boxes(selection.of)
    columns: dict[str, Cells] = {}
    for name in table.names:
        if name not in _INNER:
            columns[name] = _cells(run, table, name)
        if name == "image_id":
            columns["file_name"] = _texts(run.images.file_name, table.image_row)
    return columns


def _cells(run: Run, table: BoxTable, name: str) -> Cells:
    if name == "detector":
        return _texts(run.detector_names, table.detector_row)
    if name == "class":
        return _texts(run.class_names, table.class_row)
    if name == "image_id":
        return _ids(run.images.id, table.image_row)
    if name == "score":
        return _numbers(table.score)
    if name in BOX:
        return _numbers(table.box[:, BOX.index(name)])
    if name in table.keys:
        return _keys(table.keys[name])
    if name in table.codes:
        return _texts(table.codes[name].values, table.codes[name].code)
    return _numbers(table.numbers[name])


def _texts(texts: Iterable[str], code: Integers) -> Cells:
    """What rows say by the number of a text; -1 is the last place, which is empty."""
    import polars as pl

    said = pl.Series([*map(harmless, texts), None], dtype=pl.String)
    return lambda rows: said.gather(code[rows])


def _ids(ids: tuple[int | str, ...], row_of: Integers) -> Cells:
    import polars as pl

    if ids and isinstance(ids[0], str):
        return _texts(map(str, ids), row_of)
    numbers = pl.Series(ids, dtype=pl.Int64)
    return lambda rows: numbers.gather(row_of[rows])


def _keys(keys: Keys) -> Cells:
    import polars as pl

    def cells(rows: Rows) -> pl.Series:
        ids = keys.ids[rows].tolist()
        if keys.ids.dtype == object:
            ids = [harmless(key) for key in ids]
        known = pl.Series(keys.known[rows])
        return pl.select(pl.when(known).then(pl.Series(ids))).to_series()

    return cells


def _numbers(values: Floats) -> Cells:
    """Numbers in full, nothing where there is none; counts and flags without a point."""
    import polars as pl

    known = values[~np.isnan(values)]
    whole = bool((np.abs(known) < 2**53).all() and (known == np.floor(known)).all())
    kind = pl.Int64 if whole else pl.Float64
    return lambda rows: pl.Series(values[rows]).fill_nan(None).cast(kind)
