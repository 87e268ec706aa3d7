"""A table of what classes are like, as a CSV or TOML file holds it: nothing is joined yet.

CSV has a column `class` (name or id) and one column per property. TOML has one table per class
(`[dog]`, `origin = "natural"`) or one table per property (`[origin]`, `natural = ["dog", "cat"]`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from boxlens.formats.csv_rows import csv_rows
from boxlens.formats.files import read_text, reason_of
from boxlens.formats.places import Place

CLASS_COLUMN = "class"
DELIMITERS = ",;\t"
CSV_REMEDY = "Start with a header such as class,origin,size, followed by one line per class"
TOML_REMEDY = (
    'Write one table per class ([dog], origin = "natural") or one table per property '
    '([origin], natural = ["dog", "cat"]); names with spaces stand in quotes (["hot dog"])'
)
# What a TOML file can begin with, comments aside: a table, or a key, perhaps in quotes.
TOML_START = re.compile(r"""\[|("[^"]*"|'[^']*'|[^=,;\t"'])+=""")
TOML_LINE = re.compile(r"\(at (line \d+)")


@dataclass(slots=True)
class ClassTable:
    """A file's classes with the place where each is first named, and its cells with a value."""

    named: dict[str, str] = field(default_factory=dict)
    # By property, then by class as the file names it, in the order of the file.
    cells: dict[str, dict[str, str]] = field(default_factory=dict)


def read_class_table(path: str | PathLike[str]) -> ClassTable:
    """CSV or TOML, recognised by content, plain or gzip."""
    text = read_text(path)
    return _toml_table(text, Place(path)) if _is_toml(text) else _csv_table(text, Place(path))


def _is_toml(text: str) -> bool:
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return TOML_START.match(first) is not None


def _csv_table(text: str, file: Place) -> ClassTable:
    lines = _csv_lines(text, file.path)
    first, header = next(lines, ("line 1", []))
    at_class, columns = _csv_columns(header, file.at(first))
    table = ClassTable(cells={name: {} for name in columns.values()})
    for where, cells in lines:
        _check_length(cells, header, file.at(where))
        key = cells[at_class]
        if not key:
            raise file.at(where).error("no class name", CSV_REMEDY)
        if key in table.named:
            problem = f"class {key!r} already has a row ({table.named[key]})"
            raise file.at(where).error(problem, "Keep one of them")
        table.named[key] = where
        for at, name in columns.items():
            if cells[at]:
                table.cells[name][key] = cells[at]
    return table


def _csv_lines(text: str, path: str | PathLike[str]) -> Iterator[tuple[str, list[str]]]:
    """Places and cells without blanks around them, of the lines that hold anything."""
    first = text.lstrip().partition("\n")[0]
    delimiter = max(DELIMITERS, key=first.count)
    rows = csv_rows(text, path, delimiter=delimiter, skipinitialspace=True, strict=True)
    for line, cells in rows:
        if any(cell.strip() for cell in cells):
            yield f"line {line}", [cell.strip() for cell in cells]


def _csv_columns(header: list[str], line: Place) -> tuple[int, dict[int, str]]:
    """Where the class stands, and the properties by column; columns without a name are ignored."""
    at_class = [at for at, name in enumerate(header) if name.casefold() == CLASS_COLUMN]
    if not at_class:
        problem = f"missing column '{CLASS_COLUMN}'; found {_sample(header) or 'nothing'}"
        raise line.error(problem, CSV_REMEDY)
    names = [CLASS_COLUMN if at in at_class else name for at, name in enumerate(header)]
    again = next((name for at, name in enumerate(names) if name and name in names[:at]), None)
    if again is not None:
        raise line.error(f"duplicate column {again!r}", "Rename or remove one")
    columns = {at: name for at, name in enumerate(names) if name and at != at_class[0]}
    if not columns:
        raise line.error("no property", CSV_REMEDY)
    return at_class[0], columns


def _sample(cells: list[str]) -> str:
    """Short also where the file is something else altogether."""
    shown = [repr(cell[:30]) for cell in cells[:6]]
    return ", ".join(shown) + (" ..." if len(cells) > len(shown) else "")


def _check_length(cells: list[str], header: list[str], line: Place) -> None:
    # Not cut and not filled up: a comma too many or too few moves values to other properties.
    nameless = [cell for cell, name in zip(cells, header, strict=False) if cell and not name]
    if len(cells) == len(header) and not nameless:
        return
    problem = (
        f"value {nameless[0]!r} is in a column without a name"
        if nameless
        else f"has {len(cells)} cells, but there are {len(header)} columns"
    )
    raise line.error(problem, "Quote values that contain a comma")


def _toml_table(text: str, file: Place) -> ClassTable:
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # also endless numbers, and nests too deep
        line = TOML_LINE.search(str(problem))
        message = reason_of(problem).partition(" (at ")[0]
        place = file.at(line[1]) if line else file
        raise place.error(f"not TOML ({message})", TOML_REMEDY) from problem
    for key, part in content.items():
        if not isinstance(part, dict):
            raise file.at(key).error(f"expected a table, got {part!r}", TOML_REMEDY)
    values = [value for part in content.values() for value in part.values()]
    by_property = 2 * sum(isinstance(value, list) for value in values) > len(values)
    return _of_properties(content, file) if by_property else _of_classes(content, file)


def _of_classes(content: Mapping[str, Mapping[str, Any]], file: Place) -> ClassTable:
    table = ClassTable()
    for key, part in content.items():
        table.named[key] = f"[{key}]"
        for name, value in part.items():
            cell = _cell(value, file.at(f"{key}.{name}"))
            column = table.cells.setdefault(name, {})
            if cell:
                column[key] = cell
    if not table.cells:
        raise file.error("no property", TOML_REMEDY)
    return table


def _of_properties(content: Mapping[str, Mapping[str, Any]], file: Place) -> ClassTable:
    table = ClassTable()
    for name, part in content.items():
        column = table.cells.setdefault(name, {})
        for value, keys in part.items():
            where = f"{name}.{value}"
            place = file.at(where)
            if not isinstance(keys, list):
                raise place.error(f"expected a list of classes, got {keys!r}", TOML_REMEDY)
            for key in (_cell(item, place) for item in keys):
                if key in column:
                    other = "twice" if column[key] == value else f"also under {column[key]!r}"
                    raise place.error(
                        f"class {key!r} occurs here {other}",
                        "A class has one value per property: keep one of them",
                    )
                column[key] = value
                table.named.setdefault(key, where)
    return table


def _cell(value: Any, place: Place) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, int, float)):
        return str(value).strip()
    raise place.error(f"expected a word or a number, got {value!r}", TOML_REMEDY)
