"""Scores as labels are relaxed up the class tree, and of its nodes as one class."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any, Final

from boxlens.report.charts.difficulty_groups import level_scores_chart, node_scores_chart
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.described.difficulty.columns import (
    NO_OBJECTS,
    NO_SYSTEMS,
    score_columns,
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
from boxlens.studies.difficulty.accuracy import SCORES, defined_scores
from boxlens.studies.difficulty.levels import LevelScores, NodeScores
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import level_sentences

MOST_NODES: Final = 15


def hierarchy_section(result: DifficultyResult) -> Section:
    without = "no class tree was given" if result.systems else NO_SYSTEMS
    absent = "" if result.systems and result.tree else without
    levels, nodes = _levels(result), _nodes(result)
    return Section(
        "hierarchy",
        "Class tree",
        (
            _levels_plot(result, levels, absent),
            *([] if absent else [_nodes_plot(result, nodes)]),
            levels,
            nodes,
            _level_classes(result),
        ),
        "At level 0 only the exact class is right, at level 1 also its sister classes, and "
        "so on up the tree; boxes are judged as before.",
        findings=tuple(level_sentences(result)),
    )


def _levels_plot(result: DifficultyResult, table: Table[LevelScores], absent: str) -> Plot:
    known = (value for one in result.levels for value in one.scores.values())
    if not absent and all(math.isnan(value) for value in known):
        absent = NO_OBJECTS
    if not absent and all(one.level == 0 for one in result.levels):
        absent = "the tree joins no classes"
    return Plot(
        "levels",
        "Scores as labels are relaxed up the class tree",
        "A curve that rises early: the system confuses classes with their sisters. One that stays "
        "flat: its errors have nothing to do with similar classes.",
        partial(level_scores_chart, result, table),
        legend="Level 0: the exact class; 1: also its sisters; and so on up. Below each level: "
        "mean number of classes that are accepted for one.",
        absent=absent,
    )


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
        partial(node_scores_chart, result, shown),
        legend="Hollow: mean over the classes below a node, each with its exact label. Filled: the "
        f"node as one class, whichever of them is named.{more}",
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
            *score_columns(
                result, lambda one: one.exact_scores, shown, pattern="exact_{}", further=True
            ),
        ],
        wide=True,
    )


def _level_classes(result: DifficultyResult) -> Table[Any]:
    scores = dict.fromkeys(map(str, SCORES), SCORE)
    forms = {"system": TEXT, "level": COUNT, "class": TEXT, **scores}
    rows = (
        (one.system, one.level, of.name, *(float(one.class_scores[name][row]) for name in SCORES))
        for one in result.levels
        for row, of in enumerate(result.datasets[0].classes)
    )
    return table_of("level_classes", "", forms, rows)
