"""Scores by properties of classes: what groups of classes reach, and how hard their objects are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from boxlens.report.charts.colours import INK, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names, from_zero
from boxlens.report.charts.forms.keys import LETTER_PX
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import SMALL_PX, bars, spans, words
from boxlens.report.charts.forms.panels import Series, below, name_rows
from boxlens.report.charts.forms.tables import coloured, table_rows
from boxlens.report.described.difficulty.datasets import NO_OBJECTS, measure_columns
from boxlens.report.described.difficulty.systems import (
    NO_SYSTEMS,
    By,
    control_plots,
    system_colours,
    system_key,
    who_is_shown,
)
from boxlens.report.study import COUNT, TEXT, Column, Plot, Section, Table, interval_columns
from boxlens.studies.difficulty.accuracy import ScoreName, defined_scores
from boxlens.studies.difficulty.class_groups import GroupScore, PropertyScores
from boxlens.studies.difficulty.measures import MEASURE_NAMES
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import group_sentences
from boxlens.wording import counted

# Of one panel, and of all of them.
MOST_GROUPS, MOST_BARS = 12, 40
WIDTH, LABEL_CHARACTERS = 200, 18


def properties_section(result: DifficultyResult) -> Section:
    table = _groups(result)
    return Section(
        "properties",
        "Class properties",
        (*_plots(result, table), table),
        "Means over the classes of a group, with 95% intervals; small groups say "
        "little. The means of the measures show whether a group has harder objects.",
        findings=tuple(group_sentences(result)),
    )


def _plots(result: DifficultyResult, table: Table[_Scored]) -> Iterator[Plot]:
    """The main score and localization accuracy; plain accuracy where a system has neither."""
    grouped = {one.score for one in result.properties}
    known = [name for name in defined_scores(result.systems) if name in grouped]
    scores: list[ScoreName] = [name for name in known if name in ("ap", "cls_loc")]
    if "cls" in known and any(not any(map(one.has, scores)) for one in result.systems):
        scores.append("cls")
    if not scores:
        why = "no table of class properties was given" if result.systems else NO_SYSTEMS
        absent = NO_OBJECTS if result.properties else why
        title = "Scores by properties of classes"
        yield replace(_bars_plot(result, table, By("", ""), "ap"), title=title, absent=absent)
        return
    controlled = scores[:1]
    # Another only for systems that localize, but do not have the main score.
    if any(one.has("cls_loc") and not one.has(controlled[0]) for one in result.systems):
        controlled.append("cls_loc")
    for by in dict.fromkeys(By(one.property, one.within_property) for one in result.properties):
        for score in scores:
            yield _bars_plot(result, table, by, score)
        for score in controlled:
            yield from control_plots(result, by, score)


def _bars_plot(result: DifficultyResult, table: Table[_Scored], by: By, score: ScoreName) -> Plot:
    found = [
        one
        for one in result.properties
        if (one.property, one.within_property, one.score) == (*by, score)
        and any(not math.isnan(group.mean) for group in one.groups)
    ]
    shown = _with_room(found)
    rows = [_Scored(one, group) for one in shown for group in one.groups]
    words, colours = result.label(score), system_colours(result, bound_by=score)
    legend = "Bar: mean over the classes of a group; stroke: 95% interval; n: number of classes."
    if (n_groups := max((len(one.groups) for one in found), default=0)) > MOST_GROUPS:
        legend += f" The {MOST_GROUPS} largest of {n_groups:,} groups."
    if n_more := len({one.within_value for one in found} - {one.within_value for one in shown}):
        legend += f" {counted(n_more, 'more panel is', 'more panels are')} in the tables."
    if n_without := max((one.n_without for one in found), default=0):
        legend += f" {counted(n_without, 'class has', 'classes have')} no value."
    return Plot(
        f"{score}_by_{by.file}",
        f"{words} by {by.words}",
        "Groups whose intervals do not overlap differ by more than chance; the curves up to a "
        "difficulty show whether one group only has easier objects.",
        partial(_draw, replace(table, rows=rows), words, colours),
        legend=legend + who_is_shown(result, score),
        absent="" if found else f"{words} of every group is undefined",
    )


def _with_room(found: Sequence[PropertyScores]) -> list[PropertyScores]:
    """As many panels as a figure has room for, at least one; of many groups the largest."""
    cut = [replace(one, groups=_largest(one.groups)) for one in found]
    shown: list[PropertyScores] = []
    for value in dict.fromkeys(one.within_value for one in cut):
        panel = [one for one in cut if one.within_value == value]
        if shown and sum(len(one.groups) for one in (*shown, *panel)) > MOST_BARS:
            break
        shown += panel
    return shown


def _largest(groups: Sequence[GroupScore]) -> tuple[GroupScore, ...]:
    """In the order given."""
    kept = sorted(groups, key=lambda group: -len(group.classes))[:MOST_GROUPS]
    return tuple(group for group in groups if group in kept)


def _draw(table: Table[_Scored], label: str, colours: Mapping[str, str]) -> Spec:
    """Bars of the groups by system; those within one value of another property share a panel."""
    tips = "group", "system", "mean", "95%", "classes"
    place = {"row": "group", "series": "system", "of": "within_property", "in": "within_value"}
    rows = coloured(table_rows(table, tips, **place, mean="mean", low="low", high="high"), colours)
    panels: dict[str, list[Row]] = {}
    for row in rows:
        row["text"] = f"{row['tip']['mean']}, n = {row['tip']['classes']}"
        panels.setdefault(f"within {row['of']}: {row['in']}" if row["of"] else "", []).append(row)
    ends = from_zero([0.05, *(row[end] for row in rows for end in ("mean", "high"))], 0.02)
    # As much room for the names in each panel.
    longest = max(min(len(row["row"]), LABEL_CHARACTERS) for row in rows)
    room_px = round(LETTER_PX * longest) + 10
    look: Row = {"characters": LABEL_CHARACTERS, "gap": 0, "room_px": room_px}
    drawn = []
    for title, of_panel in panels.items():
        systems = list(dict.fromkeys(row["series"] for row in of_panel))
        # Numbers stand below the last panel only.
        last = title == list(panels)[-1]
        panel = name_rows(
            of_panel,
            Names.of((row["row"] for row in of_panel), px=11 * len(systems) + 8, **look),
            Axis(label * last, ends, labels=last),
            bars("mean", opacity=0.75),
            spans(color=INK, strokeWidth=1, clip=True),
            words(value=WIDTH + 6, align="left", color=SOFT_INK, fontSize=SMALL_PX),
            width=WIDTH,
            series=Series(systems, outer=0.36, inner=0.1),
            title=title,
        )
        drawn.append(panel)
    return below(*system_key(colours, (row["series"] for row in rows)), *drawn)


class _Scored(NamedTuple):
    by: PropertyScores
    group: GroupScore

    @property
    def within(self) -> str | None:
        by = self.by
        return f"{by.within_property}: {by.within_value}" if by.within_property else None


def _groups(result: DifficultyResult) -> Table[_Scored]:
    rows = [_Scored(one, group) for one in result.properties for group in one.groups]
    main = {one.name: one.main_score for one in result.systems}
    brief = [row for row in rows if row.by.score == main.get(row.by.system)]
    parts = list(dict.fromkeys((row.by.property, row.within) for row in rows))
    defined = [
        name
        for name in MEASURE_NAMES
        if any(not math.isnan(row.group.measures.get(name, math.nan)) for row in rows)
    ]
    within = "within" if any(row.within for row in rows) else ""
    return Table(
        "properties",
        "Scores of every group of classes",
        rows,
        [
            Column("property", "property", lambda row: row.by.property, TEXT),
            Column("", within, lambda row: row.within, TEXT),
            Column("within_property", "", lambda row: row.by.within_property, TEXT),
            Column("within_value", "", lambda row: row.by.within_value, TEXT),
            Column("value", "group", lambda row: row.group.value, TEXT),
            Column("system", "system", lambda row: row.by.system, TEXT),
            Column("", "score", lambda row: result.label(row.by.score), TEXT),
            Column("score", "", lambda row: row.by.score, TEXT),
            Column("n_classes_with", "", lambda row: len(row.group.classes), COUNT),
            Column("n_classes", "classes", lambda row: row.group.n_classes, COUNT),
            Column("mean", "mean", lambda row: row.group.mean),
            *interval_columns(lambda row: (row.group.low, row.group.high), "95%"),
            *measure_columns(lambda row, name: row.group.measures.get(name), defined, further=True),
            Column("n_classes_without", "", lambda row: row.by.n_without, COUNT),
        ],
        # All systems of a property together.
        brief=sorted(brief, key=lambda row: parts.index((row.by.property, row.within))),
        brief_caption="Main scores of every group of classes",
        folded=True,
    )
