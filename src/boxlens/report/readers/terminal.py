"""A study as text: a headline, the sentences, then the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, compress, groupby
from operator import attrgetter
from textwrap import fill
from typing import Any

from boxlens.report.study import Note, Section, Study, Table
from boxlens.safe_text import safe_line

WIDTH = 96
# Further columns are shown if they leave lines that a wide window holds.
WIDEST = 160


def study_text(study: Study, *, detail: bool = False, more: str = "-o DIR") -> str:
    """`detail` shows every row, further columns if there is room, and the tables that are long.

    `more` is the option that shows what is cut.
    """
    parts = [headline(study), sentences_text(study.sentences)]
    for section in study.sections:
        parts += _section(section, detail=detail, more=more)
    return "\n\n".join(filter(None, parts))


def headline(study: Study) -> str:
    return " | ".join((f"{study.title} on {study.data}", *study.facts))


def sentences_text(sentences: Sequence[str]) -> str:
    """Each from a line of its own."""
    return "\n".join(fill(text, WIDTH) for text in sentences)


def _section(section: Section, *, detail: bool, more: str) -> Iterator[str]:
    """Notes that follow one another are a list."""
    yield sentences_text(section.findings)
    for kind, same in groupby(section.parts, type):
        if kind is Note:
            notes = (one.text for one in same if isinstance(one, Note))
            yield "\n".join(fill(f"- {text}", WIDTH, subsequent_indent="  ") for text in notes)
        else:
            tables = (one for one in same if isinstance(one, Table))
            yield from (table_text(one, detail=detail, more=more) for one in tables)
    for one in section.inner:
        yield from _section(one, detail=detail, more=more)


def table_text(table: Table[Any], *, detail: bool = False, more: str = "-o DIR") -> str:
    """Below its caption; empty where it is not shown, or has no row."""
    brief = None if detail else table.brief
    rows = table.rows if brief is None else brief
    if not rows or not table.caption or table.unprinted or (table.detail and not detail):
        return ""
    columns = sorted(table.shown if detail else table.leading, key=attrgetter("further"))
    texts = [[one.heading, *map(one.text, rows)] for one in columns]
    ends = accumulate(2 + max(map(len, column)) for column in texts)
    kept = [not one.further or end <= WIDEST for one, end in zip(columns, ends, strict=True)]
    lines = list(zip(*compress(texts, kept), strict=True))
    numeric = [one.form.numeric for one in compress(columns, kept)]
    caption = (brief and table.brief_caption) or table.caption
    cut = [f"{len(rows):,} of {len(table.rows):,} rows"] * (len(rows) < len(table.rows))
    cut += [f"{sum(kept)} of {len(kept)} columns"] * (not all(kept))
    told = f" ({', '.join(cut)}; all with {more})" if cut else ""
    return f"{caption}{told}\n{aligned(lines, numeric)}"


def aligned(rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    """Columns side by side below a header: numbers to the right, texts to the left."""
    safe = [[safe_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in safe
    ]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([lines[0], rule, *lines[1:]])
