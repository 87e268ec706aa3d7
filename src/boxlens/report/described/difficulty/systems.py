"""Systems in tables and figures of difficulty: their colours, their scores, their accuracy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

from boxlens.report.charts.colours import LINE, SERIES, colours_of
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.study import COUNT, TEXT, Column, Section, Table, columns_of
from boxlens.studies.difficulty.accuracy import (
    SCORE_MEANINGS,
    SCORES,
    ClassAccuracy,
    ScoreName,
    SystemAccuracy,
)
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.studies.difficulty.verdict import accuracy_sentences
from boxlens.wording import listed

Of = TypeVar("Of")

NO_SYSTEMS = "no detections and no guesses were given"


def accuracy_section(result: DifficultyResult) -> Section:
    k, bound = result.choice.top_k, result.upper_bound
    guesses = "the best guess" if k == 1 else f"one of the best {k:,} guesses"
    everyone = result.systems if bound is None else (*result.systems, bound)
    means: Table[SystemAccuracy] = Table(
        "",
        "Accuracy of every system: means over classes",
        everyone,
        [
            Column("", "system", lambda one: one.name, TEXT),
            *score_columns(result, lambda one: one.scores),
        ],
    )
    classes: Table[tuple[SystemAccuracy, ClassAccuracy]] = Table(
        "systems_classes",
        "Accuracy of every system on every class",
        [(system, one) for system in everyone for one in system.classes],
        [
            Column("of", "", lambda row: "together" if row[0] is bound else "system", TEXT),
            Column("class", "class", lambda row: row[1].name, TEXT),
            Column("system", "system", lambda row: row[0].name, TEXT),
            Column("n_images", "images", lambda row: row[1].n_images, COUNT),
            *score_columns(result, lambda row: row[1].scores),
        ],
        folded=True,
        unprinted=True,
    )
    return Section(
        "accuracy",
        "Accuracy",
        (means, classes),
        f"cls: fraction of the images of a class in which {guesses} has the right class; "
        "cls+loc: and its box is on an object of the class; loc|cls: fraction localized of the "
        "images with the right class. Means over classes. Upper bound: right where any system is.",
        findings=tuple(accuracy_sentences(result)),
    )


def score_columns(
    result: DifficultyResult,
    scores: Callable[[Of], Mapping[str, float]],
    shown: Collection[str] = SCORES,
    *,
    pattern: str = "{}",
    further: bool = False,
) -> list[Column[Of]]:
    """Every score in files, those of `shown` for readers; both named after a pattern."""
    heading = pattern.replace("_", " ")
    return columns_of(
        SCORES,
        lambda row, name: scores(row).get(name),
        key=pattern.format,
        heading=lambda name: heading.format(result.label(name)) if name in shown else "",
        further=further,
    )


def titled_score(result: DifficultyResult, score: ScoreName) -> str:
    """Its short name, and what that means."""
    words = result.label(score)
    return words if score == "ap" else f"{words} ({SCORE_MEANINGS[score]})"


def who_is_shown(result: DifficultyResult, score: ScoreName) -> str:
    """Sentences about systems without a colour, and those without the score; empty: none."""
    names = [one.name for one in result.systems if not one.has(score)]
    without = f" Without {result.label(score)}: {listed(names)}." if names else ""
    return first_of(len(SERIES), len(result.systems), "systems") + without


def system_colours(
    result: DifficultyResult, *, bound_by: ScoreName | None = None
) -> dict[str, str]:
    """`bound_by`: with what they reach together, where it has that score."""
    colours = colours_of([one.name for one in result.systems])
    bound = result.upper_bound
    if bound is None or bound_by is None or not bound.has(bound_by):
        return colours
    return {**colours, bound.name: LINE}


def system_key(colours: Mapping[str, str], drawn: Iterable[str] | None = None) -> list[Spec]:
    """Of those that are drawn; None: all."""
    kept = colours.keys() if drawn is None else set(drawn)
    return key({name: colour for name, colour in colours.items() if name in kept}, width=300)
