"""What it would help to tell "any dog" only: nodes of a class tree, exact and as one class."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from boxlens.report.charts.detector_pair import short
from boxlens.report.charts.panels import message, panel_title
from boxlens.report.charts.system_lines import (
    key_lines,
    score_words,
    system_colours,
)
from boxlens.report.charts.theme import DECIMAL_AXIS, GRID, WIDTH, decimal, inline, themed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.dataset_difficulty.accuracy import ScoreName
    from boxlens.dataset_difficulty.levels import NodeScores
    from boxlens.dataset_difficulty.result import DifficultyResult

SCORES: Final[tuple[ScoreName, ...]] = ("cls", "cls_loc", "ap")
MOST_NODES: Final = 15
ROW_PX: Final = 11
LABEL_CHARACTERS: Final = 16
PANELS_PX: Final = 234


def node_scores_chart(result: DifficultyResult, *, about: str = "") -> alt.VConcatChart | alt.Chart:
    """A line a system, from the mean over exact classes to the node as one class."""
    title = "Nodes of the class tree, exact and as one class"
    colours = system_colours(result)
    known = [
        one
        for one in result.nodes
        if one.system in colours and any(_known(one, name) for name in SCORES)
    ]
    nodes = list(dict.fromkeys(one.node for one in known))
    shown = [one for one in known if one.node in nodes[:MOST_NODES]]
    scores = [name for name in SCORES if any(_known(one, name) for one in shown)]
    if not scores:
        empty = message("every score is undefined", width=WIDTH, height=80)
        return themed(empty, title=title, about=about)
    width = min(150, (PANELS_PX - 10 * (len(scores) - 1)) // len(scores))
    panels = [
        _panel(shown, name, score_words(result, name), colours, width=width, first=at == 0)
        for at, name in enumerate(scores)
    ]
    reading = (
        "Hollow: the mean over the classes below a node, each told exactly. Filled: the node as "
        "one class, whichever of them is said."
    )
    if len(nodes) > MOST_NODES:
        reading += f" The first {MOST_NODES} of {len(nodes)} nodes."
    n_empty = len({one.node for one in result.nodes} - set(nodes))
    if n_empty:
        reading += f" Undefined for {n_empty} more."
    return themed(
        alt.vconcat(*key_lines(colours), alt.hconcat(*panels, spacing=10), spacing=6),
        title=title,
        about=about,
        reading=reading,
    )


def _known(one: NodeScores, score: ScoreName) -> bool:
    values = (one.scores.get(score, math.nan), one.exact_scores.get(score, math.nan))
    return not any(math.isnan(value) for value in values)


def _panel(
    shown: Sequence[NodeScores],
    score: ScoreName,
    words: str,
    colours: Mapping[str, str],
    *,
    width: int,
    first: bool,
) -> alt.LayerChart:
    nodes = list(dict.fromkeys(one.node for one in shown))
    systems = list(dict.fromkeys(one.system for one in shown))
    # A place a node and system; between nodes one is left free.
    places = [f"{at}:{line}" for at in range(len(nodes)) for line in range(len(systems) + 1)][:-1]
    rows = [
        _record(one, score, f"{nodes.index(one.node)}:{systems.index(one.system)}", colours)
        for one in shown
        if _known(one, score)
    ]
    plot = alt.Chart(inline(rows), width=width, height=ROW_PX * len(places)).encode(
        # All places, those without a mark too.
        y=alt.Y(
            "place:N",
            sort=places,
            scale=alt.Scale(domain=places),
            title=None,
            axis=_names_axis(nodes, len(systems), labels=first),
        ),
        tooltip=[
            alt.Tooltip("node:N"),
            alt.Tooltip("system:N"),
            alt.Tooltip("exact_text:N", title="exact"),
            alt.Tooltip("whole_text:N", title="as one class"),
            alt.Tooltip("classes:Q", format=","),
            alt.Tooltip("images:Q", format=","),
            alt.Tooltip("objects:Q", format=","),
        ],
    )
    titled: alt.LayerChart = _dumbbells(plot).properties(
        title=panel_title(words), view=alt.ViewConfig(stroke=GRID)
    )
    return titled


def _names_axis(nodes: Sequence[str], n_systems: int, *, labels: bool) -> alt.Axis:
    """A node is named once, in the middle of its systems."""
    names = {
        f"{at}:{(n_systems - 1) // 2}": short(node, LABEL_CHARACTERS)
        for at, node in enumerate(nodes)
    }
    return alt.Axis(
        ticks=False,
        domain=False,
        grid=False,
        labels=labels,
        labelExpr=f"{json.dumps(names)}[datum.value] || ''",
        labelPadding=6,
        # Of two systems: between them.
        labelOffset=0 if n_systems % 2 else ROW_PX / 2,
    )


def _dumbbells(plot: alt.Chart) -> alt.LayerChart:
    """Hollow where classes are told exactly, filled where they are one."""

    def at(field: str) -> alt.X:
        return alt.X(
            f"{field}:Q",
            scale=alt.Scale(domain=[0, 1], nice=False),
            axis=alt.Axis(title=None, values=[0, 0.5, 1], labelExpr=DECIMAL_AXIS),
        )

    colour = alt.Color("colour:N", scale=None)
    dot: dict[str, Any] = {"filled": True, "opacity": 1}
    return alt.LayerChart(
        layer=[
            plot.mark_rule(strokeWidth=1.5).encode(x=at("exact"), x2="whole:Q", color=colour),
            plot.mark_point(**dot, fill="white", size=26, strokeWidth=1.25).encode(
                x=at("exact"), stroke=alt.Stroke("colour:N", scale=None)
            ),
            plot.mark_point(**dot, size=34).encode(x=at("whole"), color=colour),
        ]
    )


def _record(
    one: NodeScores, score: ScoreName, place: str, colours: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "place": place,
        "node": one.node,
        "system": one.system,
        "colour": colours[one.system],
        "exact": one.exact_scores[score],
        "whole": one.scores[score],
        "exact_text": decimal(one.exact_scores[score]),
        "whole_text": decimal(one.scores[score]),
        "classes": len(one.classes),
        "images": one.n_images,
        "objects": one.n_objects,
    }
