"""Scores by properties of classes, and whether a group only has the harder objects."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from boxlens.report.charts.colours import GROUPS, colours_of
from boxlens.report.charts.difficulty_groups import property_scores_chart
from boxlens.report.charts.difficulty_scores import FEW_CLASSES, cumulative_panels
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.system_colours import system_colours
from boxlens.report.described.difficulty.columns import (
    LEVEL,
    NO_OBJECTS,
    NO_SYSTEMS,
    measure_columns,
    who_is_shown,
)
from boxlens.report.study import (
    COUNT,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    file_name,
    interval_columns,
)
from boxlens.studies.difficulty.accuracy import ScoreName, defined_scores
from boxlens.studies.difficulty.class_groups import GroupScore, PropertyScores
from boxlens.studies.difficulty.cumulative import CONTROLS, SCORES_OF_GROUPS, CumulativeCurve
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MEASURES
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import group_sentences
from boxlens.wording import counted

# Curves by the title of their panel, and by group.
_Panels = dict[str, dict[str, CumulativeCurve]]

# Of one panel, and of all of them.
MOST_GROUPS: Final = 12
MOST_BARS: Final = 40
# Of curves: as many groups as there are colours, and as many panels as have room.
MOST_CURVES: Final = len(GROUPS)
MOST_SYSTEMS: Final = 3
MOST_VALUES: Final = 3


class _By(NamedTuple):
    """A property, or one within the values of another (`within`; empty: of all classes)."""

    name: str
    within: str

    @property
    def words(self) -> str:
        return f"{self.name} within {self.within}" if self.within else self.name

    @property
    def file(self) -> str:
        inside = f"_within_{file_name(self.within)}" if self.within else ""
        return f"{file_name(self.name)}{inside}"


def properties_section(result: DifficultyResult) -> Section:
    table = _groups(result)
    return Section(
        "properties",
        "Class properties",
        (*_plots(result, table), table),
        f"Means over the classes of a group, with {LEVEL} intervals; small groups say "
        "little. The means of the measures show whether a group has harder objects.",
        findings=tuple(group_sentences(result)),
    )


def _plots(result: DifficultyResult, table: Table[_Scored]) -> Iterator[Plot]:
    scores = _scores_of_groups(result)
    if not scores:
        why = "no table of class properties was given" if result.systems else NO_SYSTEMS
        absent = NO_OBJECTS if result.properties else why
        title = "Scores by properties of classes"
        yield replace(_bars_plot(result, table, _By("", ""), "ap"), title=title, absent=absent)
        return
    controlled = scores[:1]
    # Another only for systems that localize, but do not have the main score.
    if any(one.has("cls_loc") and not one.has(controlled[0]) for one in result.systems):
        controlled.append("cls_loc")
    for by in dict.fromkeys(_By(one.property, one.within_property) for one in result.properties):
        for score in scores:
            yield _bars_plot(result, table, by, score)
        for score in controlled:
            yield from _control_plots(result, by, score)


def _scores_of_groups(result: DifficultyResult) -> list[ScoreName]:
    """The main score and localization accuracy; plain accuracy where a system has neither."""
    grouped = {one.score for one in result.properties}
    known = [name for name in defined_scores(result.systems) if name in grouped]
    scores: list[ScoreName] = [name for name in known if name in ("ap", "cls_loc")]
    if "cls" in known and any(not any(map(one.has, scores)) for one in result.systems):
        scores.append("cls")
    return scores


def _bars_plot(result: DifficultyResult, table: Table[_Scored], by: _By, score: ScoreName) -> Plot:
    found = [
        one
        for one in result.properties
        if (one.property, one.within_property, one.score) == (*by, score)
        and any(not math.isnan(group.mean) for group in one.groups)
    ]
    shown = _with_room(found)
    rows = [_Scored(one, group) for one in shown for group in one.groups]
    words, colours = result.label(score), system_colours(result, bound_by=score)
    legend = f"Bar: mean over the classes of a group; stroke: {LEVEL} interval; n: number of "
    legend += "classes."
    n_groups = max((len(one.groups) for one in found), default=0)
    if n_groups > MOST_GROUPS:
        legend += f" The {MOST_GROUPS} largest of {n_groups:,} groups."
    n_more = len({one.within_value for one in found} - {one.within_value for one in shown})
    if n_more:
        legend += f" {counted(n_more, 'more panel is', 'more panels are')} in the tables."
    n_without = max((one.n_without for one in found), default=0)
    if n_without:
        legend += f" {counted(n_without, 'class has', 'classes have')} no value."
    return Plot(
        f"{score}_by_{by.file}",
        f"{words} by {by.words}",
        "Groups whose intervals do not overlap differ by more than chance; the curves up to a "
        "difficulty show whether one group only has easier objects.",
        partial(property_scores_chart, replace(table, rows=rows), words, colours),
        legend=legend + who_is_shown(result, score),
        absent="" if found else f"{words} of every group is undefined",
    )


def _with_room(found: Sequence[PropertyScores]) -> list[PropertyScores]:
    """As many panels as a figure has room for, at least one; of many groups the largest."""
    cut = [replace(one, groups=_largest(one.groups)) for one in found]
    shown: list[PropertyScores] = []
    n_bars = 0
    for value in dict.fromkeys(one.within_value for one in cut):
        panel = [one for one in cut if one.within_value == value]
        n_bars += sum(len(one.groups) for one in panel)
        if shown and n_bars > MOST_BARS:
            break
        shown += panel
    return shown


def _largest(groups: Sequence[GroupScore]) -> tuple[GroupScore, ...]:
    """In the order given."""
    kept = sorted(groups, key=lambda group: -len(group.classes))[:MOST_GROUPS]
    return tuple(group for group in groups if group in kept)


def _control_plots(result: DifficultyResult, by: _By, score: ScoreName) -> Iterator[Plot]:
    found = [
        one
        for one in result.cumulative
        if (one.property, one.within_property, one.score) == (*by, score)
        and one.measure in CONTROLS
        and len(one.x)
    ]
    # Of both measures, so that a group has one colour.
    groups = list(dict.fromkeys(one.group for one in found))
    curves = [one for one in found if one.group in groups[:MOST_CURVES]]
    n_systems = len({one.system for one in curves})
    words = result.label(score)
    why = "no two classes of a group have a score and CPL or clutter"
    unmoved = "the difficulty of localization does not matter to classification"
    for measure, panels, columns, cut in _control_panels(by, curves):
        up_to = f"a value of {MEASURES[measure].short}" if measure else "a difficulty"
        yield Plot(
            f"{score}_controlled_{by.file}" + (f"_{measure}" if measure else ""),
            f"{words} up to {up_to}, by {by.words}",
            "Curves that stay apart all along: the groups differ also among equally hard classes. "
            "Curves that fall together: one group only has the harder objects.",
            partial(cumulative_panels, panels, colours_of(groups, GROUPS), words, columns),
            legend="At x: mean over the classes of a group whose measure is at most x; pale: fewer "
            f"than {FEW_CLASSES} classes. CPL has a square-root axis."
            f"{first_of(MOST_CURVES, len(groups), 'groups')}"
            f"{first_of(MOST_SYSTEMS, n_systems, 'systems')}{cut}",
            absent="" if panels else why if score in SCORES_OF_GROUPS else unmoved,
        )


def _control_panels(
    by: _By, curves: Sequence[CumulativeCurve]
) -> Iterator[tuple[str, _Panels, int, str]]:
    """By measure (empty: both), how many stand in a line, and a sentence about those without room.

    One per system and measure; nested groups have a figure per measure, in which each value of the
    outer property takes a line.
    """
    if not by.within or not curves:
        systems = list(dict.fromkeys(one.system for one in curves))[:MOST_SYSTEMS]
        panels: _Panels = {}
        for one in curves:
            if one.system in systems:
                title = f"{one.system}, {MEASURES[one.measure].short}"
                panels.setdefault(title, {})[one.group] = one
        yield "", panels, 2, ""
        return
    for measure in CONTROLS:
        of_it = [one for one in curves if one.measure == measure]
        systems = list(dict.fromkeys(one.system for one in of_it))[:MOST_SYSTEMS]
        values = list(dict.fromkeys(one.within_value for one in of_it))
        n_values = MOST_VALUES * (2 if len(systems) == 1 else 1)
        panels = {
            f"within {value}\n{system}": {
                one.group: one for one in of_it if (one.within_value, one.system) == (value, system)
            }
            for value in values[:n_values]
            for system in systems
        }
        if panels:
            cut = first_of(n_values, len(values), f"values of {by.within}")
            yield measure, panels, max(2, len(systems)), cut


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
            *interval_columns(lambda row: (row.group.low, row.group.high), LEVEL),
            *measure_columns(lambda row, name: row.group.measures.get(name), defined, further=True),
            Column("n_classes_without", "", lambda row: row.by.n_without, COUNT),
        ],
        # All systems of a property together.
        brief=sorted(brief, key=lambda row: parts.index((row.by.property, row.within))),
        brief_caption="Main scores of every group of classes",
        folded=True,
    )
