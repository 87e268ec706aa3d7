"""Scores by what classes are like: by their properties, and by a class tree (METHODS 3.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from boxlens.report.charts.colours import INK, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names, from_zero
from boxlens.report.charts.forms.keys import LETTER_PX, key
from boxlens.report.charts.forms.marks import (
    SMALL_PX,
    bars,
    dots,
    hollow_dots,
    lines,
    spans,
    words,
)
from boxlens.report.charts.forms.panels import Series, below, grid, name_rows, plot
from boxlens.report.charts.system_colours import KEY_PX, system_colours, system_key
from boxlens.wording import count, interval, mean_count, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.difficulty.accuracy import ScoreName
    from boxlens.studies.difficulty.class_groups import GroupScore, PropertyScores
    from boxlens.studies.difficulty.levels import LevelScores, NodeScores
    from boxlens.studies.difficulty.result import DifficultyResult

WIDTH: Final = 200
LABEL_CHARACTERS: Final = 18
# Of a tree, each in a panel.
TREE_SCORES: Final[tuple[ScoreName, ...]] = ("cls", "cls_loc", "ap")
MOST_LABELS: Final = 4
FEW_LEVELS: Final = 10


def property_scores_chart(
    result: DifficultyResult, name: ScoreName, found: Sequence[PropertyScores]
) -> Spec:
    """Bars in one panel; of nested properties one for each value of the outer one."""
    colours = system_colours(result, bound_by=name)
    known = [one for one in found if one.system in colours]
    groups = [group for one in known for group in one.groups]
    ends = from_zero([0.05, *(end for one in groups for end in (one.mean, one.high))], 0.02)
    within = list(dict.fromkeys((one.within_property, one.within_value) for one in known))
    # As much room for the names in each panel.
    longest = max(min(len(one.value), LABEL_CHARACTERS) for one in groups)
    panels = [
        _panel(
            {one.system: one.groups for one in known if one.within_value == value},
            colours,
            # Numbers stand below the last panel only.
            Axis(result.label(name) * (at == len(within)), ends, labels=at == len(within)),
            room_px=round(LETTER_PX * longest) + 10,
            title=f"within {outer}: {value}" if outer else "",
        )
        for at, (outer, value) in enumerate(within, start=1)
    ]
    return below(*system_key(colours, (one.system for one in known)), *panels)


def _panel(
    systems: dict[str, Sequence[GroupScore]],
    colours: dict[str, str],
    across: Axis,
    *,
    room_px: int,
    title: str,
) -> Spec:
    rows = [
        _group_row(group, system, colours[system])
        for system, groups in systems.items()
        for group in groups
    ]
    names = dict.fromkeys(row["row"] for row in rows)
    place = {"px": 11 * len(systems) + 8, "gap": 0, "room_px": room_px}
    return name_rows(
        rows,
        Names.of(names, characters=LABEL_CHARACTERS, **place),
        across,
        bars("mean", opacity=0.75),
        spans(color=INK, strokeWidth=1, clip=True),
        words(value=WIDTH + 6, align="left", color=SOFT_INK, fontSize=SMALL_PX),
        width=WIDTH,
        series=Series(list(systems), outer=0.36, inner=0.1),
        title=title,
    )


def _group_row(group: GroupScore, system: str, colour: str) -> Row:
    tip = {
        "group": group.value,
        "system": system,
        "mean": score(group.mean),
        "95%": interval(group.low, group.high),
        "classes": count(group.n_classes),
    }
    return {
        "row": group.value,
        "series": system,
        "colour": colour,
        "mean": group.mean,
        "low": group.low,
        "high": group.high,
        "text": f"{score(group.mean)}, n = {count(group.n_classes)}",
        "tip": tip,
    }


def level_scores_chart(result: DifficultyResult) -> Spec:
    """One panel per score; at most as many systems as there are colours."""
    colours = system_colours(result)
    known = [one for one in result.levels if one.system in colours]
    scores = [name for name in TREE_SCORES if any(map(math.isfinite, _values(known, name)))]
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
    scores = [name for name in TREE_SCORES if any(_known(one, name) for one in shown)]
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
