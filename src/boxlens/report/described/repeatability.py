"""Repeatability of proposals: whose boxes stay in place when pictures change, and which do not."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from boxlens.images.perturbing.families import FAMILIES, Family
from boxlens.report.charts.forms.axes import Axis
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots, lines
from boxlens.report.charts.forms.panels import grid, plot
from boxlens.report.charts.level_axis import level_axis, level_place
from boxlens.report.charts.proposal_methods import line_words, method_styles
from boxlens.report.study import (
    COUNT,
    FLAG,
    NUMBER,
    SCORE,
    TEXT,
    Column,
    Plot,
    Section,
    Study,
    Table,
    columns_of,
    table_of,
)
from boxlens.studies.proposals.repeatability.choice import N_BINS
from boxlens.studies.proposals.repeatability.result import (
    LevelRepeatability,
    MethodRepeatability,
    RepeatabilityResult,
)
from boxlens.studies.proposals.repeatability.verdict import is_blind, repeatability_sentences
from boxlens.wording import count, counted, interval, listed, score

MOST_NAMES, MOST_TILES = 3, 4
# A method, the family of a change, its level and label.
Place = tuple[str, str, float, str]
# By method.
Levels = Mapping[str, tuple[LevelRepeatability, ...]]
# Title, axis and rows of a family of changes.
Panel = tuple[str, Axis, list[Row]]
MakePanel = Callable[[Family, Levels], Panel]


def study(result: RepeatabilityResult) -> Study:
    choice = result.choice
    # Those that do not look at pictures after all others, those without a number last.
    ranked = sorted(
        result.methods, key=lambda one: (math.isnan(one.mean), is_blind(one), -one.mean)
    )
    looking = [one for one in ranked if not is_blind(one)]
    names = listed([one.name for one in result.methods], MOST_NAMES, "methods")
    return Study(
        title=f"Repeatability of {names}",
        data=_pictures(result),
        facts=(
            counted(len(result.methods), "method"),
            f"at most {counted(choice.n_proposals, 'proposal')} per picture",
            counted(len(choice.families), "kind of change", "kinds of change"),
        ),
        sentences=tuple(repeatability_sentences(result)),
        tiles=tuple(
            # Methods that do not look at pictures are not stable: they are blind to the change.
            (f"repeatability, {one.name}", one.mean, SCORE)
            for one in (looking or ranked)[:MOST_TILES]
        ),
        sections=(
            Section(
                "methods",
                "Methods",
                (_methods(result, ranked), _families(result), _failed(result)),
                "Mean over the levels that change something; 1: every proposal comes back in its "
                "place. Mean: over all kinds of change. Methods that do not look at pictures "
                "(blind) stand last.",
            ),
            Section(
                "curves",
                "Level by level",
                (
                    *_plots(result),
                    *(_level_table(ranked, at, name) for at, name in enumerate(choice.families)),
                    *_file_tables(result),
                ),
                "How fast proposals move away from their places, and which ones.",
            ),
        ),
        guide="proposals",
    )


def _pictures(result: RepeatabilityResult) -> str:
    return counted(max((one.n_images for one in result.methods), default=0), "picture")


def _methods(
    result: RepeatabilityResult, ranked: Sequence[MethodRepeatability]
) -> Table[MethodRepeatability]:
    families = result.choice.families
    return Table(
        "",
        "Repeatability of every method",
        ranked,
        [
            Column("", "method", lambda one: one.name + " (blind)" * is_blind(one), TEXT),
            *columns_of(
                range(len(families)),
                lambda one, at: one.families[at].mean,
                heading=lambda at: FAMILIES[families[at]].title,
            ),
            Column("", "mean", lambda one: one.mean),
            Column("", "pictures", lambda one: one.n_images, COUNT),
            Column("", "made by", lambda one: one.made_by or None, TEXT, further=True),
        ],
        wide=True,
    )


def _level_table(
    ranked: Sequence[MethodRepeatability], place: int, family: str
) -> Table[MethodRepeatability]:
    """Of the kind of change at this place: one column per level."""
    levels = ranked[0].families[place].levels if ranked else ()
    return Table(
        "",
        f"{FAMILIES[family].title}, level by level",
        ranked,
        [
            Column("", "method", lambda one: one.name, TEXT),
            *columns_of(
                range(len(levels)),
                lambda one, at: one.families[place].levels[at].repeatability,
                heading=lambda at: levels[at].label,
            ),
        ],
        folded=True,
    )


def _families(result: RepeatabilityResult) -> Table[Any]:
    texts = {"method": TEXT, "made_by": TEXT, "baseline": FLAG, "n_images": COUNT}
    rows = (
        (one.name, one.made_by, one.baseline, one.n_images, of.family, of.mean)
        for one in result.methods
        for of in one.families
    )
    return table_of("families", "", {**texts, "family": TEXT, "mean": SCORE}, rows)


def _failed(result: RepeatabilityResult) -> Table[Any]:
    forms = {"file": TEXT, "reason": TEXT}
    return table_of("failed", "Pictures that were not searched", forms, result.failed, detail=True)


def _every_level(result: RepeatabilityResult) -> list[tuple[Place, LevelRepeatability]]:
    return [
        ((method.name, family.family, one.level, one.label), one)
        for method in result.methods
        for family in method.families
        for one in family.levels
    ]


def _file_tables(result: RepeatabilityResult) -> tuple[Table[Any], Table[Any]]:
    """The numbers of every level, then bin by bin."""
    found = _every_level(result)
    named = {"method": TEXT, "family": TEXT, "level": NUMBER, "label": TEXT}
    levels = ((*place, one.repeatability, sum(one.n_boxes), one.n_outside) for place, one in found)
    bins = (
        (*place, at / N_BINS, (at + 1) / N_BINS, value, one.n_boxes[at])
        for place, one in found
        for at, value in enumerate(one.bins.tolist())
    )
    counts = {"repeatability": SCORE, "n_boxes": COUNT}
    return (
        table_of("levels", "", {**named, **counts, "n_outside": COUNT}, levels),
        table_of("sizes", "", {**named, "from": SCORE, "to": SCORE, **counts}, bins),
    )


def _plots(result: RepeatabilityResult) -> tuple[Plot, Plot]:
    known = {place[1] for place, one in _every_level(result) if not math.isnan(one.repeatability)}
    families = [name for name in result.choice.families if name in known]
    names = listed([one.name for one in result.methods], 2, "methods")

    def figure(name: str, title: str, reading: str, legend: str, panel: MakePanel) -> Plot:
        return Plot(
            name,
            title,
            reading,
            partial(_chart, result, families, panel),
            legend + line_words(result.methods),
            f"{names} on {_pictures(result)}",
            "" if families else "no proposal could be followed from one picture to the other",
            wide=True,
        )

    return (
        figure(
            "repeatability",
            "Repeatability as the picture changes",
            "A curve that drops right beside the unchanged picture: a change too small to see "
            "moves the proposals, and a detector trained on them gets other boxes than before.",
            "Mean IoU of proposals of the original with those of the changed picture, all sizes "
            "weighted equally; 1: every proposal comes back.",
            _by_level,
        ),
        figure(
            "repeatability_by_size",
            "Repeatability by size of proposals",
            "Low on the left: small boxes move. Large ones are also met again by chance, since "
            "there is room for few.",
            "Each kind of change at the level where methods repeat least. x: √(area / image area) "
            "of the proposals of the original, in ten bins; bins without proposals have no point.",
            _by_size,
        ),
    )


def _chart(result: RepeatabilityResult, families: Sequence[str], make_panel: MakePanel) -> Spec:
    """One panel per family of changes."""
    styles = method_styles(result.methods)
    panels = []
    for name in families:
        title, x, rows = make_panel(FAMILIES[name], levels_by_method(result, name, styles))
        known = [{**row, **styles[row["series"]].look} for row in rows if not math.isnan(row["y"])]
        y, marks = Axis(ends=(0, 1)), (lines(), dots(size=9))
        panels.append(plot(known, x, y, *marks, title=title, width=300, height=150))
    return grid(panels, 2, above=key(styles, width=640), gap=16)


def levels_by_method(result: RepeatabilityResult, family: str, shown: Collection[str]) -> Levels:
    """Of the methods shown; the levels of the published figure, or those asked for."""
    asked_for = (result.choice.levels or {}).get(family)
    levels = FAMILIES[family].plotted if asked_for is None else asked_for
    return {
        method.name: tuple(one for one in found.levels if one.level in levels)
        for method in result.methods
        for found in method.families
        if found.family == family and method.name in shown
    }


def _by_level(family: Family, found: Levels) -> Panel:
    """From one level of change to the next."""
    levels = sorted({one.level for of in found.values() for one in of})
    rows = [
        {
            "x": level_place(family, levels, one.level),
            "y": one.repeatability,
            "series": method,
            "tip": {
                "method": method,
                "level": one.label,
                "repeatability": score(one.repeatability),
            },
        }
        for method, of in found.items()
        for one in of
    ]
    return family.title, level_axis(family, levels), rows


def _by_size(family: Family, found: Levels) -> Panel:
    """By size of proposals, at the level where methods repeat least on average."""
    strongest = strongest_level(found)
    shown = [(method, one) for method, of in found.items() for one in of if one.level == strongest]
    rows = [
        {
            "x": (at + 0.5) / N_BINS,
            "y": value,
            "series": method,
            "tip": {
                "method": method,
                "size": interval(at / N_BINS, (at + 1) / N_BINS, 1),
                "repeatability": score(value),
                "proposals": count(one.n_boxes[at]),
            },
        }
        for method, one in shown
        for at, value in enumerate(one.bins.tolist())
    ]
    return f"{family.title}: {shown[0][1].label}", Axis(ends=(0, 1), grid=False), rows


def strongest_level(found: Levels) -> float:
    """The lowest mean over methods; of equal ones the first."""
    every = [one for of in found.values() for one in of if not math.isnan(one.repeatability)]
    values: dict[float, list[float]] = {}
    for one in sorted(every, key=lambda one: one.level):
        values.setdefault(one.level, []).append(one.repeatability)
    return min(values, key=lambda level: fmean(values[level]))
