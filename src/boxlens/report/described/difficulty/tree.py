"""Scores as labels are relaxed up the class tree, and of its nodes as one class."""

from __future__ import annotations

import math
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from boxlens.report.charts.tree_scores import level_scores_chart, node_scores_chart
from boxlens.report.described.difficulty.columns import (
    GUIDE,
    NO_OBJECTS,
    NO_SYSTEMS,
    first_of,
    plot,
    score_columns,
)
from boxlens.report.study import COUNT, MEAN_COUNT, TEXT, Column, Plot, Section, Table
from boxlens.studies.difficulty.accuracy import SCORES, defined_scores
from boxlens.studies.difficulty.verdict import level_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boxlens.studies.difficulty.levels import LevelScores, NodeScores
    from boxlens.studies.difficulty.result import DifficultyResult

MOST_NODES: Final = 15


def hierarchy_section(result: DifficultyResult) -> Section:
    without = "no class tree was given" if result.systems else NO_SYSTEMS
    absent = "" if result.systems and result.tree else without
    return Section(
        "hierarchy",
        "Class tree",
        (
            _levels_plot(result, absent),
            *([] if absent else [_nodes_plot(result)]),
            _levels(result),
            _nodes(result),
            _level_classes(result),
        ),
        reading="At level 0 only the exact class is right, at level 1 also its sister classes, and "
        "so on up the tree; boxes are judged as before.",
        guide=GUIDE,
        findings=tuple(level_sentences(result)),
    )


def _levels_plot(result: DifficultyResult, absent: str) -> Plot:
    known = (value for one in result.levels for value in one.scores.values())
    if not absent and all(math.isnan(value) for value in known):
        absent = NO_OBJECTS
    if not absent and all(one.level == 0 for one in result.levels):
        absent = "the tree joins no classes"
    return plot(
        result,
        "levels",
        "Scores as labels are relaxed up the class tree",
        "A curve that rises early: the system confuses classes with their sisters. One that stays "
        "flat: its errors have nothing to do with similar classes.",
        partial(level_scores_chart, result),
        legend="Level 0: the exact class; 1: also its sisters; and so on up. Below each level: "
        "mean number of classes that are accepted for one.",
        absent=absent,
    )


def _nodes_plot(result: DifficultyResult) -> Plot:
    known = [
        one
        for one in result.nodes
        if any(not math.isnan(one.scores[name] + one.exact_scores[name]) for name in SCORES)
    ]
    nodes = list(dict.fromkeys(one.node for one in known))
    n_undefined = len({one.node for one in result.nodes} - set(nodes))
    more = first_of(MOST_NODES, len(nodes), "nodes")
    more += f" Undefined for {n_undefined:,} more." if n_undefined else ""
    why = "its classes have no objects" if result.nodes else "no node was named"
    return plot(
        result,
        "nodes",
        "Nodes of the class tree: exact classes, and as one class",
        "A long line: the object is found, but its exact class is not.",
        partial(
            node_scores_chart, result, [one for one in known if one.node in nodes[:MOST_NODES]]
        ),
        legend="Hollow: mean over the classes below a node, each told exactly. Filled: the node as "
        f"one class, whichever of them is named.{more}",
        absent="" if known else why,
    )


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
    shown, exact = defined_scores(result.systems), {"key": "exact_{}", "heading": "exact {}"}
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
            *score_columns(result, attrgetter("exact_scores"), shown, **exact, further=True),
        ],
        wide=True,
    )


class _ClassAtLevel(NamedTuple):
    scored: LevelScores
    name: str
    scores: Mapping[str, float]


def _level_classes(result: DifficultyResult) -> Table[_ClassAtLevel]:
    names = [one.name for one in result.datasets[0].classes]
    return Table(
        "level_classes",
        "",
        [
            _ClassAtLevel(one, name, {of: float(one.class_scores[of][row]) for of in SCORES})
            for one in result.levels
            for row, name in enumerate(names)
        ],
        [
            Column("system", "", lambda row: row.scored.system, TEXT),
            Column("level", "", lambda row: row.scored.level, COUNT),
            Column("class", "", lambda row: row.name, TEXT),
            *score_columns(result, lambda row: row.scores),
        ],
    )
