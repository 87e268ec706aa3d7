"""Small pieces of HTML, everything from outside escaped: tables, links, notes."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from boxlens.report.study import Column, Table
from boxlens.wording import counted


def table(one: Table[Any]) -> str:
    """Sorted by a click on a heading; the first column names the row.

    Further columns are shown at a click. Empty where it is not to be shown, or has no row.
    """
    if not one.caption or not one.rows:
        return ""
    columns = sorted(one.shown, key=lambda column: column.further)
    head = "".join(
        f'<th scope="col"{_class(column)}><button type="button">{escape(column.heading)}</button>'
        "</th>"
        for column in columns
    )
    body = "\n".join(
        f"<tr>{''.join(_cell(column, row, first=column is columns[0]) for column in columns)}</tr>"
        for row in one.rows
    )
    n_further = sum(column.further for column in columns)
    more = f'<label><input type="checkbox"> {counted(n_further, "more column")}</label>'
    name = escape(one.caption)
    # Above what scrolls, so that it wraps and stays in sight.
    shown = (
        f'<figure class="{"table wide" if one.wide or one.folded else "table"}">'
        f"<figcaption>{name}</figcaption>"
        f'<p class="tools">{more if n_further else ""}<button type="button" class="copy" '
        f'aria-label="Copy table: {name}">Copy table</button></p>'
        f'<div class="scrolling"><table class="sortable" aria-label="{name}">'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div></figure>\n"
    )
    return f"<details><summary>{name}</summary>{shown}</details>\n" if one.folded else shown


def _cell(column: Column[Any], row: Any, *, first: bool) -> str:
    order, text = column.form.order(column.value(row)), escape(column.text(row))
    sorted_by = "" if order is None else f' data-value="{order!r}"'
    if first:
        return f'<th scope="row"{sorted_by}>{text}</th>'
    return f"<td{_class(column)}{sorted_by}>{text}</td>"


def _class(column: Column[Any]) -> str:
    names = " ".join(["number"] * column.form.numeric + ["further"] * column.further)
    return f' class="{names}"' if names else ""


def link(address: str, text: str) -> str:
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    marked = f' class="{kind}"' if kind else ""
    return f"<p{marked}>{escape(text)}</p>\n"


def notes(texts: Iterable[str]) -> str:
    """Remarks about what is missing or was left out."""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<ul class="notes">{items}</ul>\n' if items else ""


def tiles(pairs: Iterable[tuple[str, str]]) -> str:
    """Large numbers with small names."""
    items = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in pairs
    )
    return f'<dl class="tiles">{items}</dl>\n' if items else ""


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values, line by line."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
    return f'<dl class="facts">{items}</dl>\n'
