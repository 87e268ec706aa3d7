"""Scores as labels are relaxed up the class tree, and of its nodes as one class."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any, Final

from boxlens.report.charts.forms.axes import Axis, Names, around, from_zero
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots, hollow_dots, lines, spans
from boxlens.report.charts.forms.panels import Series, grid, name_rows, plot
from boxlens.report.charts.forms.tables import coloured, table_rows
from boxlens.report.described.difficulty.datasets import NO_OBJECTS
from boxlens.report.described.difficulty.systems import (
    NO_SYSTEMS,
    score_columns,
    system_colours,
    system_key,
)
from boxlens.report.study import (
    COUNT,
    MEAN_COUNT,
    SCORE,
    TEXT,
    Column,
    Plot,
    Section,
    Table,
    table_of,
)
from boxlens.studies.difficulty.accuracy import SCORES, ScoreName, defined_scores
from boxlens.studies.difficulty.levels import LevelScores, NodeScores
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import level_sentences
from boxlens.wording import is_undefined, mean_count

MOST_NODES: Final = 15
# Each in a panel.
DRAWN_SCORES: Final[tuple[ScoreName, ...]] = ("cls", "cls_loc", "ap")


def hierarchy_section(result: DifficultyResult) -> Section:
    levels, nodes = _levels(result), _nodes(result)
    why = "no class tree was given" if result.systems else NO_SYSTEMS
    without = absent = "" if result.systems and result.tree else why
    if not absent and all(math.isnan(at) for one in result.levels for at in one.scores.values()):
        absent = NO_OBJECTS
    if not absent and all(one.level == 0 for one in result.levels):
        absent = "the tree joins no classes"
    by_level = Plot(
        "levels",
        "Scores as labels are relaxed up the class tree",
        "A curve that rises early: the system confuses classes with their sisters. One that stays "
        "flat: its errors have nothing to do with similar classes.",
        partial(_draw_levels, result, levels),
        legend="Level 0: the exact class; 1: also its sisters; and so on up. Below each level: "
        "mean number of classes that are accepted for one.",
        absent=absent,
    )
    figures = (by_level,) if without else (by_level, _nodes_plot(result, nodes))
    return Section(
        "hierarchy",
        "Class tree",
        (*figures, levels, nodes, _level_classes(result)),
        "At level 0 only the exact class is right, at level 1 also its sister classes, and "
        "so on up the tree; boxes are judged as before.",
        findings=tuple(level_sentences(result)),
    )


def _draw_levels(result: DifficultyResult, table: Table[LevelScores]) -> Spec:
    """One panel per score; at most as many systems as there are colours."""
    colours = system_colours(result)
    found: dict[str, list[Row]] = {}
    for name in DRAWN_SCORES:
        tips = "system", "level", name, "classes accepted"
        rows = coloured(table_rows(table, tips, x="level", y=name, series="system"), colours)
        if not all(is_undefined(row["y"]) for row in rows):
            found[result.label(name)] = rows
    heights = from_zero((row["y"] for rows in found.values() for row in rows), 0.06)
    shown = (one for one in table.rows if one.system in colours)
    of_level: dict[float, LevelScores] = {one.level: one for one in shown}
    levels = sorted(of_level)
    # At most four are named, each with how many classes are accepted below it.
    named = {
        at: (str(at), mean_count(of_level[at].n_accepted)) for at in levels[:: -(-len(levels) // 4)]
    }
    across = Axis("level, classes accepted", around(levels), names=named, grid=False)
    panels = [
        plot(
            rows,
            across,
            Axis(ends=heights, labels=at == 0),
            lines(),
            dots(size=22 if len(levels) < 10 else 12),
            width=92 if len(found) == 3 else 140,
            height=112,
            title=title,
        )
        for at, (title, rows) in enumerate(found.items())
    ]
    return grid(panels, 3, above=system_key(colours))


def _nodes_plot(result: DifficultyResult, table: Table[NodeScores]) -> Plot:
    known = [
        one
        for one in result.nodes
        if any(not math.isnan(one.scores[name] + one.exact_scores[name]) for name in SCORES)
    ]
    nodes = list(dict.fromkeys(one.node for one in known))
    shown = replace(table, rows=[one for one in known if one.node in nodes[:MOST_NODES]])
    n_undefined = len({one.node for one in result.nodes} - set(nodes))
    more = first_of(MOST_NODES, len(nodes), "nodes")
    more += f" Undefined for {n_undefined:,} more." if n_undefined else ""
    why = "its classes have no objects" if result.nodes else "no node was named"
    return Plot(
        "nodes",
        "Nodes of the class tree: exact classes, and as one class",
        "A long line: the object is found, but its exact class is not.",
        partial(_draw_nodes, result, shown),
        legend="Hollow: mean over the classes below a node, each with its exact label. Filled: the "
        f"node as one class, whichever of them is named.{more}",
        absent="" if known else why,
    )


def _draw_nodes(result: DifficultyResult, table: Table[NodeScores]) -> Spec:
    """A line per system, from the mean over exact classes to the node as one class."""
    colours = system_colours(result)
    shown = [one for one in table.rows if one.system in colours]
    systems = list(dict.fromkeys(one.system for one in shown))
    nodes = Names.of((one.node for one in shown), px=11 * (len(systems) + 1), characters=16, gap=0)
    counts = {"classes": "n_classes", "images": "n_images", "objects": "n_objects"}
    found: dict[str, list[Row]] = {}
    for name in DRAWN_SCORES:
        both = {"exact": f"exact_{name}", "as one class": name}
        tips = {"node": "node", "system": "system", **both, **counts}
        ends = {"row": "node", "series": "system", "exact": f"exact_{name}", "whole": name}
        rows = coloured(table_rows(table, tips, **ends), colours)
        known = [row for row in rows if not math.isnan(row["exact"] + row["whole"])]
        if known:
            found[result.label(name)] = known
    panels = [
        name_rows(
            rows,
            replace(nodes, shown=at == 0),
            Axis(ends=(0, 1), values=(0, 0.5, 1)),
            spans("exact", "whole"),
            hollow_dots("exact", size=26),
            dots("whole"),
            width=min(150, (234 - 10 * (len(found) - 1)) // len(found)),
            series=Series(systems, outer=0.5),
            title=title,
        )
        for at, (title, rows) in enumerate(found.items())
    ]
    return grid(panels, 3, above=system_key(colours), gap=10)


def _levels(result: DifficultyResult) -> Table[LevelScores]:
    return Table(
        "levels",
        f"Levels of the class tree ({result.tree})",
        result.levels,
        [
            Column("system", "system", lambda one: one.system, TEXT),
            Column("level", "level", lambda one: one.level, COUNT),
            Column("accepted", "classes accepted", lambda one: one.n_accepted, MEAN_COUNT),
            *score_columns(result, lambda one: one.scores),
        ],
    )


def _nodes(result: DifficultyResult) -> Table[NodeScores]:
    shown = defined_scores(result.systems)
    return Table(
        "nodes",
        "Nodes of the class tree as one class",
        result.nodes,
        [
            Column("node", "node", lambda one: one.node, TEXT),
            Column("system", "system", lambda one: one.system, TEXT),
            Column("n_classes", "classes", lambda one: len(one.classes), COUNT),
            Column("n_images", "images", lambda one: one.n_images, COUNT),
            Column("n_objects", "objects", lambda one: one.n_objects, COUNT),
            *score_columns(result, lambda one: one.scores, shown),
            *score_columns(result, lambda one: one.exact_scores, shown, prefix="exact_"),
        ],
        wide=True,
    )


def _level_classes(result: DifficultyResult) -> Table[Any]:
    forms = {"system": TEXT, "level": COUNT, "class": TEXT}
    forms |= dict.fromkeys(SCORES, SCORE)
    rows = (
        (one.system, one.level, of.name, *(float(one.class_scores[name][row]) for name in SCORES))
        for one in result.levels
        for row, of in enumerate(result.datasets[0].classes)
    )
    return table_of("level_classes", "", forms, rows)
