"""Scores as labels are relaxed up a class tree (METHODS 3.3), and of its nodes as one class."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from boxlens.report.charts.forms.axes import Axis, Names, from_zero
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.marks import dots, hollow_dots, lines, spans
from boxlens.report.charts.forms.panels import Series, grid, name_rows, plot
from boxlens.report.charts.system_colours import system_colours
from boxlens.wording import count, mean_count, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.difficulty.accuracy import ScoreName
    from boxlens.studies.difficulty.levels import LevelScores, NodeScores
    from boxlens.studies.difficulty.result import DifficultyResult

SCORES: Final[tuple[ScoreName, ...]] = ("cls", "cls_loc", "ap")
KEY_PX: Final = 300
MOST_LABELS: Final = 4
FEW_LEVELS: Final = 10


def level_scores_chart(result: DifficultyResult) -> Spec:
    """One panel per score; at most as many systems as there are colours."""
    colours = system_colours(result)
    known = [one for one in result.levels if one.system in colours]
    scores = [name for name in SCORES if any(map(math.isfinite, _values(known, name)))]
    ends = from_zero((value for name in scores for value in _values(known, name)), 0.06)
    panels = [
        plot(
            [_level_row(one, name, result.label(name), colours[one.system]) for one in known],
            _level_axis(known),
            Axis(ends=ends, labels=at == 0),
            lines(),
            dots(size=22 if len({one.level for one in known}) < FEW_LEVELS else 12),
            width=92 if len(scores) == 3 else 140,
            height=112,
            title=result.label(name),
        )
        for at, name in enumerate(scores)
    ]
    return grid(panels, 3, above=key(colours, width=KEY_PX))


def _values(known: Sequence[LevelScores], name: ScoreName) -> list[float]:
    return [one.scores.get(name, math.nan) for one in known]


def _level_row(one: LevelScores, name: ScoreName, words: str, colour: str) -> Row:
    value = one.scores.get(name, math.nan)
    tip = {
        "system": one.system,
        "level": count(one.level),
        words: score(value),
        "classes accepted": mean_count(one.n_accepted),
    }
    return {"x": one.level, "y": value, "series": one.system, "colour": colour, "tip": tip}


def _level_axis(known: Sequence[LevelScores]) -> Axis:
    """A few levels are named, each with how many classes are accepted below it."""
    names = {one.level: (str(one.level), mean_count(one.n_accepted)) for one in known}
    levels = sorted(names)
    room = 0.06 * max(levels[-1] - levels[0], 1)
    return Axis(
        "level, classes accepted",
        (levels[0] - room, levels[-1] + room),
        names={level: names[level] for level in levels[:: -(-len(levels) // MOST_LABELS)]},
        grid=False,
    )


def node_scores_chart(result: DifficultyResult, nodes: Sequence[NodeScores]) -> Spec:
    """A line per system, from the mean over exact classes to the node as one class."""
    colours = system_colours(result)
    shown = [one for one in nodes if one.system in colours]
    scores = [name for name in SCORES if any(_known(one, name) for one in shown)]
    systems = list(dict.fromkeys(one.system for one in shown))
    look: dict[str, Any] = {"px": 11 * (len(systems) + 1), "characters": 16, "gap": 0}
    panels = [
        name_rows(
            [_node_row(one, name, colours[one.system]) for one in shown if _known(one, name)],
            Names.of(dict.fromkeys(one.node for one in shown), **look, shown=at == 0),
            Axis(ends=(0, 1), values=(0, 0.5, 1)),
            spans("exact", "whole"),
            hollow_dots("exact", size=26),
            dots("whole"),
            width=min(150, (234 - 10 * (len(scores) - 1)) // len(scores)),
            series=Series(systems, outer=0.5),
            title=result.label(name),
        )
        for at, name in enumerate(scores)
    ]
    return grid(panels, 3, above=key(colours, width=KEY_PX), gap=10)


def _known(one: NodeScores, name: ScoreName) -> bool:
    both = one.scores.get(name, math.nan), one.exact_scores.get(name, math.nan)
    return all(map(math.isfinite, both))


def _node_row(one: NodeScores, name: ScoreName, colour: str) -> Row:
    exact, whole = one.exact_scores[name], one.scores[name]
    tip = {
        "node": one.node,
        "system": one.system,
        "exact": score(exact),
        "as one class": score(whole),
        "classes": count(len(one.classes)),
        "images": count(one.n_images),
        "objects": count(one.n_objects),
    }
    place = {"row": one.node, "series": one.system, "colour": colour}
    return {**place, "exact": exact, "whole": whole, "tip": tip}
