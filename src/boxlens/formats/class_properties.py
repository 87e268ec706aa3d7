"""What the classes of a data set are like, from a user's table (CSV or TOML, class_tables.py)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from os import PathLike

from boxlens.data import Classes, Notice
from boxlens.data.class_properties import (
    MOST_NUMBERS_AS_GROUPS,
    ClassProperties,
    finite_numbers,
)
from boxlens.data.naming import MOST_NAMED, some_names
from boxlens.errors import InputError
from boxlens.formats.class_tables import ClassTable, read_class_table
from boxlens.formats.places import Place

SAMPLE = 4
# How alike a name and a class must be to be suggested: 1 is equal.
ALIKE = 0.7


def read_class_properties(path: str | PathLike[str], classes: Classes) -> ClassProperties:
    """The properties of these classes; notices name what does not fit."""
    table = read_class_table(path)
    rows_of = _class_rows(table, classes, path)
    notices = list(_differences(table, rows_of, classes, path))
    cells: dict[str, dict[int, str]] = {}
    for name, column in table.cells.items():
        values = {row: value for key, value in column.items() for row in rows_of.get(key, ())}
        _check_numbers(name, values.values(), path)
        useless = _useless(name, values, path)
        if useless is None:
            cells[name] = values
        else:
            notices.append(useless)
    return ClassProperties.of(len(classes), cells, notices)


def _class_rows(
    table: ClassTable, classes: Classes, path: str | PathLike[str]
) -> dict[str, tuple[int, ...]]:
    """Rows of the classes that the table names; a name goes before an id."""
    rows: dict[str, tuple[int, ...]] = {}
    for row, name in enumerate(classes.name):
        rows[name.strip()] = (*rows.get(name.strip(), ()), row)
    rows = {str(key): (row,) for key, row in classes.row_of_id().items()} | rows
    found = {key: rows[key] for key in table.named if key in rows}
    if not found:
        raise InputError(
            f"no class of the data set, but {some_names(map(repr, table.named), SAMPLE)}",
            path=path,
            remedy=f"The classes are {some_names(map(repr, classes.name), SAMPLE)}",
        )
    name_of: dict[int, str] = {}
    for key, of_key in found.items():
        for row in of_key:
            if row in name_of:
                raise Place(path, table.named[key]).error(
                    f"{name_of[row]!r} ({table.named[name_of[row]]}) and {key!r} are one class",
                    "Give each class once, by its name or its id",
                )
            name_of[row] = key
    return found


def _differences(
    table: ClassTable,
    rows_of: Mapping[str, tuple[int, ...]],
    classes: Classes,
    path: str | PathLike[str],
) -> Iterator[Notice]:
    told = {row for rows in rows_of.values() for row in rows}
    untold = [name for row, name in enumerate(classes.name) if row not in told]
    strangers = [key for key in table.named if key not in rows_of]
    if strangers:
        # Only names that are shown are worth a search.
        named = [_suggesting(key, untold) for key in strangers[:MOST_NAMED]]
        listed = some_names([*named, *strangers[MOST_NAMED:]])
        what = "name is" if len(strangers) == 1 else "names are"
        message = f"{path}: {len(strangers):,} {what} unknown: "
        yield Notice("property_without_class", len(strangers), message + listed)
    if untold:
        what = "class is" if len(untold) == 1 else "classes are"
        message = f"{path}: {len(untold):,} {what} not in the class table: "
        yield Notice("class_without_property", len(untold), message + some_names(map(repr, untold)))


def _suggesting(key: str, names: Iterable[str]) -> str:
    import difflib

    folded = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(key.casefold(), folded, n=1, cutoff=ALIKE)
    return f"{key!r} (did you mean {folded[close[0]]!r}?)" if close else repr(key)


def _check_numbers(name: str, values: Collection[str], path: str | PathLike[str]) -> None:
    """Refuses a few words among many numbers: a typing error would make words of a quantity."""
    words = [value for value in values if finite_numbers([value]) is None]
    numbers = set(values) - set(words)
    if words and len(numbers) > MOST_NUMBERS_AS_GROUPS and 2 * len(words) < len(values):
        raise Place(path, f"property {name!r}").error(
            f"{words[0]!r} is not a finite number, but most values are",
            "Fix it, or leave it empty where there is no value",
        )


def _useless(name: str, values: Mapping[int, str], path: str | PathLike[str]) -> Notice | None:
    """Columns that group nothing: empty ones, and words that differ for every class."""
    if not values:
        message = f"{path}: no class has a value of {name!r}: the property is skipped"
        return Notice("property_without_value", 1, message)
    all_differ = len(set(values.values())) == len(values) > MOST_NUMBERS_AS_GROUPS
    if not all_differ or finite_numbers(values.values()) is not None:
        return None
    message = f"{path}: {name!r} has a different value for each class: the property is skipped"
    return Notice("property_without_groups", 1, message)
