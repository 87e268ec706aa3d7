"""Small pieces of HTML, everything from outside escaped: cells, tables, links, notes."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from boxlens.wording import UNDEFINED, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Cell:
    """What is shown, and the number it is sorted by; None: sorted as text, or undefined."""

    text: str
    value: float | None = None
    numeric: bool = True


def text_cell(text: object) -> Cell:
    return Cell(UNDEFINED if text is None else str(text), numeric=False)


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    caption: str,
    wide: bool = False,
    n_shown: int | None = None,
) -> str:
    """Sorted by a click on a heading; the first column names the row.

    Of many columns `n_shown` are shown first, the others at a click.
    """
    lines = list(rows)
    n_first = len(headings) if n_shown is None else n_shown
    kinds = [
        " ".join(["number"] * all(row[at].numeric for row in lines) + ["further"] * (at >= n_first))
        for at in range(len(headings))
    ]
    head = "".join(
        f'<th scope="col"{_class(kind)}><button type="button">{escape(heading)}</button></th>'
        for heading, kind in zip(headings, kinds, strict=True)
    )
    body = "\n".join(f"<tr>{_row(row, kinds)}</tr>" for row in lines)
    n_further = len(headings) - n_first
    more = counted(n_further, "more column")
    choice = f'<label><input type="checkbox"> {more}</label>' if n_further else ""
    name = escape(caption)
    # Above what scrolls, so that it wraps and stays in sight.
    return (
        f'<figure class="{"table wide" if wide else "table"}"><figcaption>{name}</figcaption>'
        f'<p class="tools">{choice}<button type="button" class="copy" '
        f'aria-label="Copy table: {name}">Copy table</button></p>'
        f'<div class="scrolling"><table class="sortable" aria-label="{name}">'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div></figure>\n"
    )


def _row(cells: Sequence[Cell], kinds: Sequence[str]) -> str:
    first, *others = cells
    return f'<th scope="row"{_value(first)}>{escape(first.text)}</th>' + "".join(
        f"<td{_class(kind)}{_value(cell)}>{escape(cell.text)}</td>"
        for cell, kind in zip(others, kinds[1:], strict=True)
    )


def _class(names: str) -> str:
    return f' class="{names}"' if names else ""


def _value(cell: Cell) -> str:
    return "" if cell.value is None else f' data-value="{cell.value!r}"'


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
    return f'<dl class="tiles">{items}</dl>\n'


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values, line by line."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
    return f'<dl class="facts">{items}</dl>\n'
