"""What a result is to its readers: a study of sections, these of tables and plots.

One file per verb in `described/` makes a `Study` of its result. Terminal, page, notebook and table
files are readers of it (`readers/`): a value, a heading or a sentence is written down once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count, starmap
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from boxlens import wording

if TYPE_CHECKING:
    import polars as pl

    from boxlens.report.charts.forms.layers import Spec

Row = TypeVar("Row")
Of = TypeVar("Of")
Stored = Literal["text", "whole", "real", "flag", "id", "nothing"]


@dataclass(frozen=True, slots=True)
class Form:
    """How values of one kind are written on every surface, and stored in files."""

    write: Callable[[Any], str]
    stored: Stored
    # Numbers stand to the right, and are sorted by value.
    numeric: bool = True

    def text(self, value: object) -> str:
        """One mark wherever there is no value."""
        return wording.UNDEFINED if wording.is_undefined(value) else self.write(value)

    def order(self, value: Any) -> float | None:
        """What a table is sorted by; None: as text, or undefined."""
        if not self.numeric or wording.is_undefined(value):
            return None
        first = value[0] if isinstance(value, tuple) else value
        return None if wording.is_undefined(first) else float(first)


TEXT = Form(str, "text", numeric=False)
# The id of an image or object: a number or a text, as in its file.
ID = Form(str, "id", numeric=False)
FLAG = Form(lambda value: "yes" if value else "no", "flag", numeric=False)
COUNT = Form(wording.count, "whole")
MEAN_COUNT = Form(wording.mean_count, "real")
SCORE = Form(wording.score, "real")
# Where the fourth digit matters: conventions of protocols, trials of a search.
FINE_SCORE = Form(partial(wording.score, digits=4), "real")
CHANGE = Form(wording.change, "real")
FINE_CHANGE = Form(partial(wording.change, digits=4), "real")
SHARE = Form(wording.share, "real")
P_VALUE = Form(wording.p_value, "real")
NUMBER = Form(wording.number, "real")
SECONDS = Form(wording.seconds, "real")
# Both ends of an interval; files have a column for each.
INTERVAL = Form(lambda ends: wording.interval(*ends), "nothing")
FINE_INTERVAL = Form(lambda ends: wording.interval(ends[0], ends[1], 4), "nothing")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One value of every row. No key: not in files. No heading: in files only."""

    key: str
    heading: str
    value: Callable[[Row], object]
    form: Form = SCORE
    # Pages show it at a click, terminals where details are asked for.
    further: bool = False

    def text(self, row: Row) -> str:
        return self.form.text(self.value(row))


@dataclass(frozen=True, slots=True)
class Table(Generic[Row]):
    """Rows and what is told of each. No name: not in files. No caption: in files only."""

    name: str
    caption: str
    rows: Sequence[Row]
    columns: Sequence[Column[Row]]
    # The rows shown where there is little room (terminal, notebook); None: all.
    brief: Sequence[Row] | None = None
    # Which rows these are.
    brief_caption: str = ""
    # It has a line of the page to itself.
    wide: bool = False
    # Pages show it at a click: a figure above it says the same.
    folded: bool = False
    # Terminals show it only where details are asked for.
    detail: bool = False
    # Too long for any terminal.
    unprinted: bool = False

    @property
    def shown(self) -> tuple[Column[Row], ...]:
        return tuple(one for one in self.columns if one.heading)

    @property
    def leading(self) -> tuple[Column[Row], ...]:
        """Shown without being asked for."""
        return tuple(one for one in self.shown if not one.further)

    @property
    def filed(self) -> tuple[Column[Row], ...]:
        return tuple(one for one in self.columns if one.key)


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure: what it shows, what its marks are, what to make of it, or why it is absent."""

    name: str
    title: str
    # What to make of it.
    reading: str
    draw: Callable[[], Spec]
    # What its marks are, and of which data.
    legend: str = ""
    about: str = ""
    # Why it cannot be drawn; empty: it can.
    absent: str = ""
    # The detector it is about; empty: several.
    detector: str = ""
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A remark between tables: what is missing, or where more is to be found."""

    text: str


@dataclass(frozen=True, slots=True)
class Markup:
    """What only a page shows: pictures with their captions, as HTML."""

    html: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What only files have, and is too long to be made row by row."""

    name: str
    make: Callable[[], pl.DataFrame]


@dataclass(frozen=True, slots=True)
class Typeset:
    """What only the typeset report shows: data for one of its templates."""

    make: Callable[[], dict[str, Any]]
    # Sections and plots in whose place it stands, as far as other plots do not say the same.
    replaces: Sequence[str] = ()
    # Sections whose tables stand below the verdict, like the main one.
    first: Sequence[str] = ()


# Before the first picture.
MOST_SENTENCES = 3

Part = Table[Any] | Plot | Note | Markup | Frame | Typeset


@dataclass(frozen=True, slots=True)
class Section:
    """One question of a study."""

    name: str
    title: str
    parts: tuple[Part, ...] = ()
    reading: str = ""
    # The page of the guide, without its ending.
    guide: str = ""
    inner: tuple[Section, ...] = ()
    # What it found, in sentences.
    findings: tuple[str, ...] = ()

    @property
    def all_findings(self) -> tuple[str, ...]:
        return (*self.findings, *(text for one in self.inner for text in one.all_findings))

    def walk(self) -> Iterator[tuple[Section, Part]]:
        for part in self.parts:
            yield self, part
        for section in self.inner:
            yield from section.walk()

    def changed(self, change: Callable[[Part], Part]) -> Section:
        """With another part in place of each, inner ones too."""
        parts = tuple(map(change, self.parts))
        return replace(self, parts=parts, inner=tuple(one.changed(change) for one in self.inner))


@dataclass(frozen=True, slots=True)
class Study:
    """All that readers show of a result."""

    # What it is about, and on which data.
    title: str
    data: str
    # How much there is of what, for the line below the title.
    facts: tuple[str, ...]
    # The answer: the first sentence leads.
    sentences: tuple[str, ...]
    # The numbers that matter most, with their names; undefined ones are not shown.
    tiles: tuple[tuple[str, float | int | None, Form], ...]
    sections: tuple[Section, ...]
    # What a notebook shows: a table by caption, a plot by how its name begins; empty: the first.
    main_table: str = ""
    main_plot: str = ""
    # The page of the guide of sections that name none.
    guide: str = ""
    # What was asked, where results.json says it at length; None: as there.
    parameters: Mapping[str, Any] | None = None

    @property
    def all_sentences(self) -> tuple[str, ...]:
        """The answer, then what each section found; what is said again in more words, only then."""
        told = [*self.sentences, *(text for one in self.sections for text in one.all_findings)]
        return tuple(
            text
            for at, text in enumerate(told)
            if not any(later.startswith(text) for later in told[at + 1 :])
        )

    def tables(self) -> Iterator[Table[Any]]:
        return (part for _, part in self.walk() if isinstance(part, Table))

    def plots(self) -> Iterator[tuple[Section, Plot]]:
        return ((section, part) for section, part in self.walk() if isinstance(part, Plot))

    def answer_first(self) -> Study:
        """A few sentences before all sections: what they leave begins the first one."""
        first, *others = self.sections
        told = (*self.sentences[MOST_SENTENCES:], *first.findings)
        sections = (replace(first, findings=told), *others)
        return replace(self, sentences=self.sentences[:MOST_SENTENCES], sections=sections)

    def with_own_names(self) -> Study:
        """Every plot under a name of its own: attributes may differ in signs no file name has."""
        taken: set[str] = set()

        def renamed(part: Part) -> Part:
            if not isinstance(part, Plot) or part.absent:
                return part
            others = (f"{part.name}_{n}" for n in count(2))
            name = next(name for name in chain([part.name], others) if name not in taken)
            taken.add(name)
            return replace(part, name=name)

        sections = (
            replace(one.changed(renamed), guide=one.guide or self.guide) for one in self.sections
        )
        return replace(self, sections=tuple(sections))

    def within(self, name: str) -> Study:
        """As part of a larger report: sections, plots and tables carry its name."""
        named = self.of_detector("", f"{name}_")
        sections = (replace(one, name=f"{name}-{one.name}") for one in named.sections)
        return replace(named, sections=tuple(sections))

    def of_detector(self, detector: str, prefix: str = "") -> Study:
        """All about one detector; `prefix` keeps its files apart from those of others."""

        def named(part: Part) -> Part:
            if isinstance(part, Plot):
                return replace(part, name=prefix + part.name, detector=detector or part.detector)
            if isinstance(part, Table) and part.name:
                return replace(part, name=prefix + part.name)
            return part

        return replace(self, sections=tuple(one.changed(named) for one in self.sections))

    def walk(self) -> Iterator[tuple[Section, Part]]:
        return (found for section in self.sections for found in section.walk())


def table_of(
    name: str, caption: str, forms: Mapping[str, Form], rows: Iterable[tuple[Any, ...]], **more: Any
) -> Table[tuple[Any, ...]]:
    """Of plain tuples: `forms` by what a column is called in files, and by readers."""
    columns = [
        Column(key if name else "", key if caption else "", itemgetter(at), form)
        for at, (key, form) in enumerate(forms.items())
    ]
    return Table(name, caption, list(rows), columns, **more)


def columns_of(
    of: Iterable[Of],
    value: Callable[[Row, Of], object],
    form: Form = SCORE,
    *,
    key: str | Callable[[Of], str] = "",
    heading: Callable[[Of], str] | None = None,
    further: bool = False,
    most: int | None = None,
) -> list[Column[Row]]:
    """One column per item: in files where there is a key, or what keys begin with.

    Shown where there is a heading; those after the first `most` at a click.
    """

    def column(place: int, one: Of) -> Column[Row]:
        return Column(
            key(one) if callable(key) else key and f"{key}{one}",
            heading(one) if heading else "",
            lambda row: value(row, one),
            form,
            further or (most is not None and place >= most),
        )

    return list(starmap(column, enumerate(of)))


def interval_columns(
    value: Callable[[Row], tuple[float, float]],
    heading: str,
    keys: tuple[str, str] = ("low", "high"),
) -> tuple[Column[Row], ...]:
    """Both ends in one column for readers, and in two for files."""
    return (
        Column("", heading, value, INTERVAL),
        Column(keys[0], "", lambda row: value(row)[0], SCORE),
        Column(keys[1], "", lambda row: value(row)[1], SCORE),
    )


def file_name(text: str) -> str:
    """The name of an attribute in signs that every file system takes."""
    plain = re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_").lower()
    return plain[:60] or "attribute"
