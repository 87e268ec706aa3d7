"""Repeatability of proposals: whose boxes stay in place when pictures change, and which do not."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from boxlens.images.perturbing.families import FAMILIES
from boxlens.report.charts.method_words import line_words
from boxlens.report.charts.repeatability import (
    repeatability_curves_chart,
    repeatability_sizes_chart,
)
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
)
from boxlens.studies.proposals.repeatability.verdict import is_blind, repeatability_sentences
from boxlens.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.studies.proposals.repeatability.result import (
        FamilyRepeatability,
        LevelRepeatability,
        MethodRepeatability,
        RepeatabilityResult,
    )

GUIDE = "proposals"
MOST_NAMES, MOST_TILES = 3, 4


def study(result: RepeatabilityResult) -> Study:
    choice = result.choice
    ranked = _most_stable_first(result)
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
                reading="Mean over the levels that change something; 1: every proposal comes back "
                "in its place. Mean: over all kinds of change. Methods that do not look at "
                "pictures (blind) stand last.",
                guide=GUIDE,
            ),
            Section(
                "curves",
                "Level by level",
                (
                    *_plots(result),
                    *(
                        _level_table(ranked, place, name)
                        for place, name in enumerate(choice.families)
                    ),
                    _levels(result),
                    _sizes(result),
                ),
                reading="How fast proposals move away from their places, and which ones.",
                guide=GUIDE,
            ),
        ),
    )


def _pictures(result: RepeatabilityResult) -> str:
    return counted(max((one.n_images for one in result.methods), default=0), "picture")


def _most_stable_first(result: RepeatabilityResult) -> list[MethodRepeatability]:
    """Those that do not look at pictures after all others, those without a number last."""
    return sorted(result.methods, key=lambda one: (math.isnan(one.mean), is_blind(one), -one.mean))


def _methods(
    result: RepeatabilityResult, ranked: list[MethodRepeatability]
) -> Table[MethodRepeatability]:
    return Table(
        "",
        "Repeatability of every method",
        ranked,
        [
            Column("", "method", _name, TEXT),
            *(
                Column("", FAMILIES[name].title, partial(_mean, place))
                for place, name in enumerate(result.choice.families)
            ),
            Column("", "mean", lambda one: one.mean),
            Column("", "pictures", lambda one: one.n_images, COUNT),
            Column("", "made by", lambda one: one.made_by or None, TEXT, further=True),
        ],
        wide=True,
    )


def _name(method: MethodRepeatability) -> str:
    return f"{method.name} (blind)" if is_blind(method) else method.name


def _mean(place: int, method: MethodRepeatability) -> float:
    return method.families[place].mean


def _level_table(
    ranked: list[MethodRepeatability], place: int, family: str
) -> Table[MethodRepeatability]:
    """One column per level."""
    levels = ranked[0].families[place].levels if ranked else ()
    return Table(
        "",
        f"{FAMILIES[family].title}, level by level",
        ranked,
        [
            Column("", "method", lambda one: one.name, TEXT),
            *(Column("", one.label, partial(_at, place, row)) for row, one in enumerate(levels)),
        ],
        folded=True,
    )


def _at(place: int, row: int, method: MethodRepeatability) -> float:
    return method.families[place].levels[row].repeatability


class _Row(NamedTuple):
    """A method and a kind of change."""

    method: MethodRepeatability
    family: FamilyRepeatability


class _Level(NamedTuple):
    """One level of a kind of change; `place` is a bin of sizes, where there is one."""

    method: str
    family: str
    at: LevelRepeatability
    place: int = 0


def _families(result: RepeatabilityResult) -> Table[_Row]:
    return Table(
        "families",
        "",
        [_Row(method, family) for method in result.methods for family in method.families],
        [
            Column("method", "", lambda row: row.method.name, TEXT),
            Column("made_by", "", lambda row: row.method.made_by, TEXT),
            Column("baseline", "", lambda row: row.method.baseline, FLAG),
            Column("n_images", "", lambda row: row.method.n_images, COUNT),
            Column("family", "", lambda row: row.family.family, TEXT),
            Column("mean", "", lambda row: row.family.mean),
        ],
    )


def _every_level(result: RepeatabilityResult) -> Iterator[_Level]:
    for method in result.methods:
        for family in method.families:
            yield from (_Level(method.name, family.family, at) for at in family.levels)


def _level_columns() -> list[Column[_Level]]:
    return [
        Column("method", "", lambda row: row.method, TEXT),
        Column("family", "", lambda row: row.family, TEXT),
        Column("level", "", lambda row: row.at.level, NUMBER),
        Column("label", "", lambda row: row.at.label, TEXT),
    ]


def _levels(result: RepeatabilityResult) -> Table[_Level]:
    return Table(
        "levels",
        "",
        list(_every_level(result)),
        [
            *_level_columns(),
            Column("repeatability", "", lambda row: row.at.repeatability),
            Column("n_boxes", "", lambda row: sum(row.at.n_boxes), COUNT),
            Column("n_outside", "", lambda row: row.at.n_outside, COUNT),
        ],
    )


def _sizes(result: RepeatabilityResult) -> Table[_Level]:
    """The numbers of a level, bin by bin."""
    return Table(
        "sizes",
        "",
        [
            row._replace(place=place)
            for row in _every_level(result)
            for place in range(len(row.at.bins))
        ],
        [
            *_level_columns(),
            Column("from", "", lambda row: row.place / len(row.at.bins)),
            Column("to", "", lambda row: (row.place + 1) / len(row.at.bins)),
            Column("repeatability", "", lambda row: float(row.at.bins[row.place])),
            Column("n_boxes", "", lambda row: row.at.n_boxes[row.place], COUNT),
        ],
    )


def _failed(result: RepeatabilityResult) -> Table[tuple[str, str]]:
    return Table(
        "failed",
        "Pictures that were not searched",
        result.failed,
        [
            Column("file", "file", lambda pair: pair[0], TEXT),
            Column("reason", "reason", lambda pair: pair[1], TEXT),
        ],
        detail=True,
    )


def _plots(result: RepeatabilityResult) -> tuple[Plot, Plot]:
    families = [name for name in result.choice.families if _is_known(result, name)]
    names = listed([one.name for one in result.methods], 2, "methods")
    about = f"{names} on {_pictures(result)}"
    absent = "" if families else "no proposal could be followed from one picture to the other"
    return (
        Plot(
            "repeatability",
            "Repeatability as the picture changes",
            "A curve that drops right beside the unchanged picture: a change too small to see "
            "moves the proposals, and a detector trained on them gets other boxes than before.",
            partial(repeatability_curves_chart, result, families),
            legend="Mean IoU of proposals of the original with those of the changed picture, all "
            f"sizes weighted equally; 1: every proposal comes back.{line_words(result.methods)}",
            about=about,
            absent=absent,
            wide=True,
        ),
        Plot(
            "repeatability_by_size",
            "Repeatability by size of proposals",
            "Low on the left: small boxes move. Large ones are also met again by chance, since "
            "there is room for few.",
            partial(repeatability_sizes_chart, result, families),
            legend="Each kind of change at the level where methods repeat least. x: √(area / image "
            "area) of the proposals of the original, in ten bins; bins without proposals have no "
            f"point.{line_words(result.methods)}",
            about=about,
            absent=absent,
            wide=True,
        ),
    )


def _is_known(result: RepeatabilityResult, name: str) -> bool:
    """Has any method a number for it?"""
    return any(
        not math.isnan(level.repeatability)
        for method in result.methods
        for family in method.families
        if family.family == name
        for level in family.levels
    )
