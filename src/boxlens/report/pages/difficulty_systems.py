"""Tables of what systems do on hard classes: accuracy, correlations, levels, nodes, properties."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.dataset_difficulty.measures import MEASURE_NAMES
from boxlens.report.charts.level_scores import accepted_text
from boxlens.report.charts.system_lines import (
    MEASURE_WORDS,
    SHOWN_SCORES,
    defined_scores,
    measure_words,
    score_words,
)
from boxlens.report.pages.markup import NOTHING, Cell, count_cell, score_cell, table, text_cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.dataset_difficulty.class_groups import PropertyScores
    from boxlens.dataset_difficulty.result import DifficultyResult


def _score_cells(scores: Mapping[str, float]) -> list[Cell]:
    return [score_cell(scores.get(name, math.nan)) for name in SHOWN_SCORES]


def _score_headings(result: DifficultyResult) -> list[str]:
    return [score_words(result, name) for name in SHOWN_SCORES]


def accuracy_table(result: DifficultyResult) -> str:
    """Systems, and what they reach together."""
    if not result.systems:
        return ""
    rows = [[text_cell(one.name), *_score_cells(one.scores)] for one in result.systems]
    if result.upper_bound is not None:
        rows.append([text_cell(result.upper_bound.name), *_score_cells(result.upper_bound.scores)])
    return table(
        ["system", *_score_headings(result)],
        rows,
        caption="Means over classes",
    )


def correlations_table(result: DifficultyResult) -> str:
    """The main score first; those of no class are left out."""
    order = list(SHOWN_SCORES)
    known = [one for one in result.correlations if one.n_classes]
    rows = [
        [
            text_cell(measure_words(one.measure)),
            text_cell(score_words(result, one.score)),
            text_cell(one.system),
            count_cell(one.n_classes),
            *map(score_cell, (one.pearson, one.pearson_low, one.pearson_high, one.spearman)),
            *map(score_cell, (one.slope, one.intercept)),
        ]
        for one in sorted(known, key=lambda row: order.index(row.score))
    ]
    headings = ["measure", "score", "system", "classes", "r", "low", "high", "Spearman"]
    headings += ["slope", "intercept"]
    caption = "Scores of classes against their difficulty"
    return table(headings, rows, caption=caption, wide=True) if rows else ""


def levels_table(result: DifficultyResult) -> str:
    rows = [
        [
            text_cell(one.system),
            count_cell(one.level),
            Cell(NOTHING)
            if math.isnan(one.n_accepted)
            else Cell(accepted_text(one.n_accepted), one.n_accepted),
            *_score_cells(one.scores),
        ]
        for one in result.levels
    ]
    headings = [
        "system",
        "level",
        "classes accepted",
        *(score_words(result, name) for name in SHOWN_SCORES),
    ]
    return table(headings, rows, caption=f"Levels of the tree: {result.tree}") if rows else ""


def nodes_table(result: DifficultyResult) -> str:
    scores = defined_scores(result)
    rows = [
        [
            text_cell(one.node),
            text_cell(one.system),
            count_cell(len(one.classes)),
            count_cell(one.n_images),
            count_cell(one.n_objects),
            *(
                score_cell(found.get(name, math.nan))
                for name in scores
                for found in (one.exact_scores, one.scores)
            ),
        ]
        for one in result.nodes
    ]
    headings = ["node", "system", "classes", "images", "objects"]
    headings += [
        f"{score_words(result, name)}, {how}" for name in scores for how in ("exact", "as one")
    ]
    caption = "Nodes of the tree, exact and as one class"
    return table(headings, rows, caption=caption, wide=True) if rows else ""


def properties_tables(result: DifficultyResult) -> str:
    """Of the main score; the others at a click."""
    parts: list[str] = []
    for score in defined_scores(result):
        found = [one for one in result.properties if one.score == score]
        if not found:
            continue
        caption = f"Groups of classes: {score_words(result, score)}"
        shown = _properties(found, caption)
        parts.append(
            f"<details><summary>{caption}</summary>{shown}</details>\n" if parts else shown
        )
    return "".join(parts)


def _properties(found: Sequence[PropertyScores], caption: str) -> str:
    measures = [
        name
        for name in MEASURE_NAMES
        if any(
            not math.isnan(group.measures.get(name, math.nan))
            for one in found
            for group in one.groups
        )
    ]
    rows = [
        [
            text_cell(one.property),
            text_cell(
                f"{one.within_property}: {one.within_value}" if one.within_property else None
            ),
            text_cell(group.value),
            text_cell(one.system),
            count_cell(group.n_classes),
            *map(score_cell, (group.mean, group.low, group.high)),
            *(score_cell(group.measures.get(name, math.nan)) for name in measures),
        ]
        for one in found
        for group in one.groups
    ]
    headings = ["property", "within", "group", "system", "classes", "mean", "low", "high"]
    headings += [MEASURE_WORDS[name] for name in measures]
    return table(headings, rows, caption=caption, wide=True)
