"""The lines of a CSV text; an invalid line or an endless field is an error of the file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from os import PathLike

from boxlens.formats.places import Place


def csv_rows(
    text: str,
    path: str | PathLike[str],
    *,
    delimiter: str = ",",
    skipinitialspace: bool = False,
    strict: bool = False,
) -> Iterator[tuple[int, list[str]]]:
    """Every line as its number, or that of its last line, and its cells."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        skipinitialspace=skipinitialspace,
        strict=strict,
    )
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as problem:
        raise Place(path, f"line {reader.line_num}").error(
            f"not CSV ({problem})", "Close every quote, and double a quote inside quotes"
        ) from problem
