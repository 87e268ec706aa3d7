"""Rows for a form straight from a table of the description: values by channel, tips as it reads.

A figure whose marks are the rows of a table needs no records of its own:

    rows = table_rows(table, row="class", value="AP", low="AP_low", high="AP_high")
    name_rows(rows, Names.of(...), Axis("AP"), spans(), dots("value"),
              width=200, columns=table_columns(table, "class", "AP"))

Where no table has the numbers, `told_rows` makes such rows of plain tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from boxlens.report.charts.forms.layers import Row
from boxlens.report.study import Column, Form, Table, table_of


def table_rows(
    table: Table[Any], tips: Mapping[str, str] | Iterable[str] = (), **channels: str
) -> list[Row]:
    """One per row of the table; columns by key or heading. `tips` empty: all columns shown.

    A mapping of tips has columns by what they are called in this figure.
    """
    values = {channel: _column(table, name) for channel, name in channels.items()}
    if isinstance(tips, Mapping):
        told = {words: _column(table, name) for words, name in tips.items()}
    else:
        columns = [_column(table, name) for name in tips] or table.leading
        told = {one.heading or one.key: one for one in columns}
    return [
        {
            **{channel: column.value(row) for channel, column in values.items()},
            "tip": {words: column.text(row) for words, column in told.items()},
        }
        for row in table.rows
    ]


def told_rows(
    forms: Mapping[str, Form], found: Iterable[tuple[Any, ...]], **channels: str
) -> list[Row]:
    """Where no table has them: `forms` by what values are called in the tip, as it reads them.

    Each of what was `found` has its values in this order, and last other keys of its row.
    """
    rows = list(found)
    table = table_of("", "tips", forms, [row[:-1] for row in rows])
    return [
        {**one, **row[-1]} for one, row in zip(table_rows(table, **channels), rows, strict=True)
    ]


def coloured(rows: Iterable[Row], colours: Mapping[str, str]) -> list[Row]:
    """Those whose `series` has a colour, with it."""
    return [{**row, "colour": colours[row["series"]]} for row in rows if row["series"] in colours]


def table_columns(table: Table[Any], row: str, *names: str) -> dict[str, dict[str, str]]:
    """Texts that stand beside the rows of a panel, by heading, then by the row's name."""
    named = _column(table, row)
    columns = [_column(table, name) for name in names]
    return {
        one.heading or one.key: {str(named.value(at)): one.text(at) for at in table.rows}
        for one in columns
    }


def _column(table: Table[Any], name: str) -> Column[Any]:
    """By key, else by heading, which may be a name from a file."""
    keys = {one.key: one for one in table.filed}
    found = {**{one.heading: one for one in table.shown}, **keys}
    if name not in found:
        raise KeyError(f"the table {table.name or table.caption!r} has no column {name!r}")
    return found[name]
