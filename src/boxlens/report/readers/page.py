"""A study as a page: the answer first, then a section per question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby, islice
from typing import Any

from boxlens.report.pages.guide import has_method, method
from boxlens.report.pages.markup import link, notes, paragraph, table, tiles
from boxlens.report.pages.page import card, page
from boxlens.report.readers.provenance import provenance_section
from boxlens.report.study import Markup, Note, Part, Plot, Section, Study, Table
from boxlens.wording import is_undefined

# The HTML of a figure; empty where it is not drawn.
Card = Callable[[Plot], str]

MOST_TILES = 6
_HEADING = re.compile(r"<(/?)h3\b")


def study_page(
    study: Study,
    document: dict[str, Any],
    specs: Mapping[str, dict[str, Any]] | None = None,
    formats: Sequence[str] = (),
) -> str:
    """`document` is what results.json holds, `specs` are figures by name, in files of `formats`."""

    def drawn(plot: Plot) -> str:
        return card(plot, specs[plot.name], formats) if specs and plot.name in specs else ""

    first = [
        (one, html) for one in (_summary(study), *study.sections) if (html := _html(one, drawn))
    ]
    last = (*_method([one for one, _ in first]), provenance_section(study, document))
    sections = [*first, *((one, _html(one, drawn)) for one in last)]
    return page((study.title, study.data), ", ".join(study.facts), sections)


def _summary(study: Study) -> Section:
    """The numbers that matter most, and the answer."""
    first, *others = study.sentences
    texts = (tiles(shown_tiles(study)), paragraph(first, "lead"), *map(paragraph, others))
    return Section("summary", "Summary", tuple(map(Markup, texts)))


def shown_tiles(study: Study) -> list[tuple[str, str]]:
    """The first of the main numbers that are known, with their names."""
    known = (one for one in study.tiles if not is_undefined(one[1]))
    return [(name, form.text(value)) for name, value, form in islice(known, MOST_TILES)]


def _method(sections: Sequence[Section]) -> Iterator[Section]:
    """What the guide says about counting, for every page of it that a section names."""
    pages = tuple(dict.fromkeys(name for name in _guides(sections) if has_method(name)))
    if pages:
        texts = "".join(
            f'<details id="guide-{name}"><summary>boxlens {name}</summary>\n'
            f'<div class="guide">{method(name, embedded=pages)}</div></details>\n'
            for name in pages
        )
        reading = "How every number of this page is counted."
        yield Section("method", "Method", (Markup(texts),), reading)


def _guides(sections: Sequence[Section]) -> Iterator[str]:
    for one in sections:
        yield one.guide
        yield from _guides(one.inner)


def _html(one: Section, drawn: Card, level: int = 2) -> str:
    """Empty where there is nothing to show."""
    parts = [*map(paragraph, one.findings), *filter(None, _parts(one.parts, drawn))]
    inner = [(part, html) for part in one.inner if (html := _html(part, drawn, level + 1))]
    if not parts and not inner:
        return ""
    how = link(f"#guide-{one.guide}", "How it is counted") if has_method(one.guide) else ""
    reading = f'<p class="reading">{escape(one.reading)} {how}</p>' if one.reading or how else ""
    choices = "".join(f"<li>{link('#' + part.name, part.title)}</li>" for part, _ in inner)
    return "\n".join(
        [
            f'<section id="{one.name}">',
            f"<h{level}>{escape(one.title)}</h{level}>",
            reading,
            f'<ul class="inner">{choices}</ul>' if len(inner) > 1 else "",
            # Headings below one of the third rank are of the fourth.
            *(parts if level == 2 else (_HEADING.sub(r"<\1h4", text) for text in parts)),
            *(html for _, html in inner),
            "</section>\n",
        ]
    )


def _parts(parts: Sequence[Part], drawn: Card) -> Iterator[str]:
    """Figures that follow one another stand side by side."""
    for kind, same in groupby(parts, type):
        if kind is Plot:
            plots = [one for one in same if isinstance(one, Plot)]
            cards = "\n".join(filter(None, (drawn(one) for one in plots if not one.absent)))
            yield f'<div class="figures">\n{cards}\n</div>\n' if cards else ""
            yield notes(f"{one.title}: not shown, {one.absent}." for one in plots if one.absent)
        elif kind is Note:
            yield notes(one.text for one in same if isinstance(one, Note))
        elif kind is Table:
            yield from (table(one) for one in same if isinstance(one, Table))
        elif kind is Markup:
            yield from (one.html for one in same if isinstance(one, Markup))
