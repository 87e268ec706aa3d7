"""No two surfaces give one number two forms: page, terminal, notebook and files are compared."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from boxlens.report.described import describe
from boxlens.report.readers.frames import study_frames
from boxlens.report.readers.notebook import study_html, table_html
from boxlens.report.readers.page import study_page
from boxlens.report.readers.terminal import study_text
from boxlens.safe_text import safe_line
from report.written_verbs import VERBS

# What no surface may show: another mark for undefined, or a number in another form.
FOREIGN = re.compile(r"\bn/a\b|\bnan\b|\bNaN\b|–|(?<![\w.])[-+]?\.\d|\d %(?!\w)")


class Cells(HTMLParser):
    """The rows of every table of a page, by its name; of those without one, by their place."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.rows: list[list[str]] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            name = dict(attrs).get("aria-label") or str(len(self.tables))
            self.rows = self.tables.setdefault(name, [])
        elif tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def described(name: str):
    """The study of a verb, and the tables of its page."""
    verb = VERBS[name]
    result = verb.worlds[verb.whole]()
    study = describe(result)
    return study, Cells(study_page(study, result.to_json())).tables


# A whole report has tables of several verbs in it, some of which have one caption.
every_verb = pytest.mark.parametrize("name", [name for name in VERBS if name != "report"])


@every_verb
def test_the_page_shows_what_the_terminal_prints(name):
    study, page = described(name)
    lines = study_text(study, detail=True).splitlines()
    for table in study.tables():
        if not table.caption or not table.rows or table.unprinted:
            continue
        heading, *rows = page[table.caption]
        assert len(rows) == len(table.rows)
        caption = safe_line(table.caption)
        cut = re.compile(re.escape(caption) + r"( \(\d+ of \d+ columns; all with -o DIR\))?")
        start = 1 + next(at for at, line in enumerate(lines) if cut.fullmatch(line))
        printed = lines[start + 2 : start + 2 + len(rows)]
        shown = [one.heading for one in table.shown]
        assert sorted(heading) == sorted(shown)
        # Further columns come last, as far as there is room.
        headings = re.split("  +", lines[start].strip())
        assert headings == list(map(safe_line, heading[: len(headings)]))
        for row, line in zip(rows, printed, strict=True):
            first = row[: len(headings)]
            assert [text for text in first if safe_line(text) not in line] == [], table.caption


@every_verb
def test_the_notebook_shows_what_the_page_shows(name):
    study, page = described(name)
    for table in study.tables():
        if table.caption and table.rows:
            (shown,) = Cells(table_html(table)).tables.values()
            known = {cell for row in page[table.caption] for cell in row}
            assert {cell for row in shown for cell in row} <= known


@every_verb
def test_files_hold_the_numbers_that_are_shown(name):
    study, page = described(name)
    frames = study_frames(study)
    for table in study.tables():
        if not (table.name and table.caption and table.rows):
            continue
        heading, *rows = page[table.caption]
        for column in table.shown:
            if column.key:
                place = heading.index(column.heading)
                stored = frames[table.name][column.key].to_list()
                assert [column.form.text(value) for value in stored] == [
                    row[place] for row in rows
                ], (table.caption, column.key)


@every_verb
def test_no_surface_has_another_form_of_undefined_or_of_fractions(name):
    study, page = described(name)
    numeric = {
        column.heading for table in study.tables() for column in table.shown if column.form.numeric
    }
    for caption, (heading, *rows) in page.items():
        for row in rows:
            for text, head in zip(row, heading, strict=True):
                assert head not in numeric or not FOREIGN.search(text), (caption, head, text)
    for sentence in study.sentences:
        assert not FOREIGN.search(sentence), sentence
    assert study_html(study)
