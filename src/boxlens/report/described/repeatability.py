"""Repeatability of proposals: whose boxes stay in place when pictures change, and which do not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from boxlens.images.perturbing.families import FAMILIES
from boxlens.report.charts.proposal_methods import line_words
from boxlens.report.charts.repeatability import by_level, by_size, repeatability_chart
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
from boxlens.studies.proposals.repeatability.result import (
    LevelRepeatability,
    MethodRepeatability,
    RepeatabilityResult,
)
from boxlens.studies.proposals.repeatability.verdict import is_blind, repeatability_sentences
from boxlens.wording import counted, listed

MOST_NAMES, MOST_TILES = 3, 4
# Columns of files that say which level a row is about.
LEVEL = {"method": TEXT, "family": TEXT, "level": NUMBER, "label": TEXT}


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
                    _levels(result),
                    _sizes(result),
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


def _every_level(
    result: RepeatabilityResult,
) -> Iterator[tuple[tuple[str, str, float, str], LevelRepeatability]]:
    for method in result.methods:
        for family in method.families:
            for one in family.levels:
                yield (method.name, family.family, one.level, one.label), one


def _levels(result: RepeatabilityResult) -> Table[Any]:
    numbers = {"repeatability": SCORE, "n_boxes": COUNT, "n_outside": COUNT}
    rows = (
        (*level, one.repeatability, sum(one.n_boxes), one.n_outside)
        for level, one in _every_level(result)
    )
    return table_of("levels", "", {**LEVEL, **numbers}, rows)


def _sizes(result: RepeatabilityResult) -> Table[Any]:
    """The numbers of a level, bin by bin."""
    numbers = {"from": SCORE, "to": SCORE, "repeatability": SCORE, "n_boxes": COUNT}
    rows = (
        (*level, at / len(one.bins), (at + 1) / len(one.bins), value, one.n_boxes[at])
        for level, one in _every_level(result)
        for at, value in enumerate(one.bins.tolist())
    )
    return table_of("sizes", "", {**LEVEL, **numbers}, rows)


def _failed(result: RepeatabilityResult) -> Table[Any]:
    forms = {"file": TEXT, "reason": TEXT}
    return table_of("failed", "Pictures that were not searched", forms, result.failed, detail=True)


def _plots(result: RepeatabilityResult) -> tuple[Plot, Plot]:
    known = {
        family.family
        for method in result.methods
        for family in method.families
        if any(not math.isnan(one.repeatability) for one in family.levels)
    }
    families = [name for name in result.choice.families if name in known]
    names = listed([one.name for one in result.methods], 2, "methods")
    about = f"{names} on {_pictures(result)}"
    absent = "" if families else "no proposal could be followed from one picture to the other"
    return (
        Plot(
            "repeatability",
            "Repeatability as the picture changes",
            "A curve that drops right beside the unchanged picture: a change too small to see "
            "moves the proposals, and a detector trained on them gets other boxes than before.",
            partial(repeatability_chart, result, families, by_level),
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
            partial(repeatability_chart, result, families, by_size),
            legend="Each kind of change at the level where methods repeat least. x: √(area / image "
            "area) of the proposals of the original, in ten bins; bins without proposals have no "
            f"point.{line_words(result.methods)}",
            about=about,
            absent=absent,
            wide=True,
        ),
    )
