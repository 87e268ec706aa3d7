"""Scores by what classes are like: by their properties, and by a class tree (METHODS 3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from boxlens.report.charts.colours import INK, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names, from_zero
from boxlens.report.charts.forms.keys import LETTER_PX, key
from boxlens.report.charts.forms.layers import Row, Spec
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
from boxlens.report.charts.forms.tables import coloured, table_rows
from boxlens.report.charts.system_colours import KEY_PX, system_colours, system_key
from boxlens.report.study import Table
from boxlens.studies.difficulty.accuracy import ScoreName
from boxlens.studies.difficulty.levels import LevelScores, NodeScores
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.wording import is_undefined, mean_count

WIDTH: Final = 200
LABEL_CHARACTERS: Final = 18
# Of a tree, each in a panel.
TREE_SCORES: Final[tuple[ScoreName, ...]] = ("cls", "cls_loc", "ap")
MOST_LABELS: Final = 4
FEW_LEVELS: Final = 10


def property_scores_chart(table: Table[Any], label: str, colours: Mapping[str, str]) -> Spec:
    """Bars of the groups of a table by system; those within one value of another share a panel."""
    tips = "group", "system", "mean", "95%", "classes"
    place = {"row": "group", "series": "system", "of": "within_property", "in": "within_value"}
    found = table_rows(table, tips, **place, mean="mean", low="low", high="high")
    rows = coloured(found, colours)
    for row in rows:
        row["text"] = f"{row['tip']['mean']}, n = {row['tip']['classes']}"
    ends = from_zero([0.05, *(row[end] for row in rows for end in ("mean", "high"))], 0.02)
    panels: dict[str, list[Row]] = {}
    for row in rows:
        panels.setdefault(f"within {row['of']}: {row['in']}" if row["of"] else "", []).append(row)
    # As much room for the names in each panel.
    longest = max(min(len(row["row"]), LABEL_CHARACTERS) for row in rows)
    drawn = []
    for title, of_panel in panels.items():
        systems = list(dict.fromkeys(row["series"] for row in of_panel))
        # Numbers stand below the last panel only.
        last = title == list(panels)[-1]
        panel = name_rows(
            of_panel,
            Names.of(
                dict.fromkeys(row["row"] for row in of_panel),
                px=11 * len(systems) + 8,
                characters=LABEL_CHARACTERS,
                gap=0,
                room_px=round(LETTER_PX * longest) + 10,
            ),
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


def level_scores_chart(result: DifficultyResult, table: Table[LevelScores]) -> Spec:
    """One panel per score of a table of levels; at most as many systems as there are colours."""
    colours = system_colours(result)
    found: dict[str, list[Row]] = {}
    for name in TREE_SCORES:
        tips = "system", "level", name, "classes accepted"
        rows = coloured(table_rows(table, tips, x="level", y=name, series="system"), colours)
        if not all(is_undefined(row["y"]) for row in rows):
            found[result.label(name)] = rows
    ends = from_zero((row["y"] for rows in found.values() for row in rows), 0.06)
    known = [one for one in result.levels if one.system in colours]
    panels = [
        plot(
            rows,
            _level_axis(known),
            Axis(ends=ends, labels=at == 0),
            lines(),
            dots(size=22 if len({one.level for one in known}) < FEW_LEVELS else 12),
            width=92 if len(found) == 3 else 140,
            height=112,
            title=title,
        )
        for at, (title, rows) in enumerate(found.items())
    ]
    return grid(panels, 3, above=key(colours, width=KEY_PX))


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


def node_scores_chart(result: DifficultyResult, table: Table[NodeScores]) -> Spec:
    """A line per system, from the mean over exact classes to the node as one class."""
    colours = system_colours(result)
    shown = [one for one in table.rows if one.system in colours]
    systems = list(dict.fromkeys(one.system for one in shown))
    look: dict[str, Any] = {"px": 11 * (len(systems) + 1), "characters": 16, "gap": 0}
    counts = {"classes": "n_classes", "images": "n_images", "objects": "n_objects"}
    found: dict[str, list[Row]] = {}
    for name in TREE_SCORES:
        both = {"exact": f"exact_{name}", "as one class": name}
        tips = {"node": "node", "system": "system", **both, **counts}
        ends = {"row": "node", "series": "system", "exact": f"exact_{name}", "whole": name}
        rows = coloured(table_rows(table, tips, **ends), colours)
        known = [row for row in rows if not any(map(is_undefined, (row["exact"], row["whole"])))]
        if known:
            found[result.label(name)] = known
    panels = [
        name_rows(
            rows,
            Names.of(dict.fromkeys(one.node for one in shown), **look, shown=at == 0),
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
    return grid(panels, 3, above=key(colours, width=KEY_PX), gap=10)
