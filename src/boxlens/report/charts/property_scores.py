"""A score by what classes are like: bars of the groups of a property, perhaps within another's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boxlens.report.charts.colours import INK, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names, from_zero
from boxlens.report.charts.forms.keys import LETTER_PX, key
from boxlens.report.charts.forms.marks import SMALL_PX, bars, spans, words
from boxlens.report.charts.forms.panels import Series, below, name_rows
from boxlens.report.charts.system_colours import system_colours
from boxlens.wording import count, interval, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.report.charts.forms.layers import Row, Spec
    from boxlens.studies.difficulty.accuracy import ScoreName
    from boxlens.studies.difficulty.class_groups import GroupScore, PropertyScores
    from boxlens.studies.difficulty.result import DifficultyResult

WIDTH: Final = 200
LABEL_CHARACTERS: Final = 18


def property_scores_chart(
    result: DifficultyResult, name: ScoreName, found: Sequence[PropertyScores]
) -> Spec:
    """One panel; of nested properties one for each value of the outer one."""
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
    drawn = {one.system for one in known}
    shown = {system: colour for system, colour in colours.items() if system in drawn}
    return below(*key(shown, width=300), *panels)


def _panel(
    systems: dict[str, Sequence[GroupScore]],
    colours: dict[str, str],
    across: Axis,
    *,
    room_px: int,
    title: str,
) -> Spec:
    rows = [
        _row(group, system, colours[system])
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


def _row(group: GroupScore, system: str, colour: str) -> Row:
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
