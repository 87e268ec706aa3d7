"""A study as a page: the answer first, then a section per question."""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

from boxlens.metrics.json_form import to_json
from boxlens.report import study as nouns
from boxlens.report.pages import page as pages
from boxlens.report.pages.markup import Cell, notes, paragraph, table, tiles
from boxlens.wording import is_undefined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from boxlens.data import Notice
    from boxlens.report.pages.page import DrawnPlan
    from boxlens.report.study import Part, Section, Study, Table

MOST_TILES = 6


def study_page(
    study: Study, document: dict[str, Any], drawn: DrawnPlan, notices: Sequence[Notice] = ()
) -> str:
    """`document` is what results.json holds; `notices` are those of detectors, too."""
    if notices:
        document = {**document, "notices": to_json(notices)}
    if study.parameters is not None:
        document = {**document, "parameters": study.parameters}
    sections = [
        summary(study),
        *(rendered(one, drawn) for one in study.sections),
        pages.provenance_section(document),
    ]
    return pages.page((study.title, study.data), ", ".join(study.facts), sections)


def summary(study: Study) -> pages.Section:
    """The numbers that matter most, and the answer."""
    numbers = [
        (name, form.text(value)) for name, value, form in study.tiles if not is_undefined(value)
    ]
    first, *others = study.sentences
    parts = (
        tiles(numbers[:MOST_TILES]) if numbers else "",
        paragraph(first, "lead"),
        *(paragraph(text) for text in others),
    )
    return pages.Section("summary", "Summary", parts)


def rendered(section: Section, drawn: DrawnPlan) -> pages.Section:
    """A section as HTML."""
    return pages.Section(
        section.name,
        section.title,
        (*map(paragraph, section.findings), *_parts(section.parts, drawn)),
        section.reading,
        section.guide,
        tuple(rendered(one, drawn) for one in section.inner),
    )


def _parts(parts: Sequence[Part], drawn: DrawnPlan) -> Iterator[str]:
    """Figures that follow one another stand side by side."""
    for kind, same in groupby(parts, type):
        if kind is nouns.Plot:
            plots = [one for one in same if isinstance(one, nouns.Plot)]
            yield drawn.cards_of(one.name for one in plots if not one.absent)
            yield notes(f"{one.title}: not shown, {one.absent}." for one in plots if one.absent)
        elif kind is nouns.Note:
            yield notes(one.text for one in same if isinstance(one, nouns.Note))
        else:
            yield from map(_part, same)


def _part(part: Part) -> str:
    if isinstance(part, nouns.Table):
        return table_html(part)
    return part.html if isinstance(part, nouns.Markup) else ""


def table_html(one: Table[Any]) -> str:
    """Empty where it is not to be shown, or has no row."""
    if not one.caption or not one.rows:
        return ""
    columns = [*(c for c in one.shown if not c.further), *(c for c in one.shown if c.further)]
    shown = table(
        [column.heading for column in columns],
        (_cells(columns, row) for row in one.rows),
        caption=one.caption,
        wide=one.wide or one.folded,
        n_shown=sum(not column.further for column in columns),
    )
    if not one.folded:
        return shown
    return f"<details><summary>{escape(one.caption)}</summary>{shown}</details>\n"


def _cells(columns: Iterable[nouns.Column[Any]], row: Any) -> list[Cell]:
    cells = []
    for column in columns:
        value = column.value(row)
        form = column.form
        cells.append(Cell(form.text(value), form.order(value), form.numeric))
    return cells
