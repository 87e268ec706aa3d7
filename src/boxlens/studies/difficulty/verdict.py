"""What an analysis of difficulty comes to, in sentences: the answer, then one question each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from boxlens.studies.difficulty.class_groups import GroupScore, PropertyScores
from boxlens.studies.difficulty.class_measures import DatasetDifficulty
from boxlens.studies.difficulty.correlations import Correlation
from boxlens.studies.difficulty.matched_subset import MatchedSubset
from boxlens.studies.difficulty.measures import (
    MEASURE_NAMES,
    MEASURES,
    MeasureName,
    measure_text,
    measure_words,
)
from boxlens.studies.difficulty.published import PUBLISHED
from boxlens.studies.difficulty.result import DifficultyResult
from boxlens.wording import count, counted, interval, listed, score

N_NAMED = 3
# A class with fewer is not named: its CPL is mostly chance itself.
FEW_OBJECTS = 10
# Classes of a subset that are named.
MOST_NAMES = 12


def answer_sentences(result: DifficultyResult) -> Iterator[str]:
    """How hard the first data set is, and what makes its classes hard."""
    first = result.datasets[0]
    yield _how_hard(first)
    cpl = first.means["cpl"]
    if not math.isnan(cpl):
        # By CPL alone: published clutter is that of other windows.
        others = [
            (_relation("cpl", cpl, means["cpl"]), f"{name} ({measure_text(means['cpl'])})")
            for name, means in PUBLISHED.items()
        ]
        yield f"By CPL it is {_by_relation(others)}."
    yield from _what_makes_hard(result)


def _how_hard(one: DatasetDifficulty) -> str:
    if not one.n_objects:
        return f"{one.name} has no objects that count, so its difficulty is undefined."
    parts = {
        "instances_per_image": "{} instances per image",
        "neighbours": "{} neighbours per instance",
        "scale": "a scale of {} (fraction of the image)",
        "cpl": "a CPL of {} (chance performance of localization: how often the box of another "
        "object of the class fits)",
    }
    means = [
        text.format(measure_text(one.means[name]))
        for name, text in parts.items()
        if not math.isnan(one.means[name])
    ]
    text = f"Mean over the {_classes(one.n_classes)} of {one.name}: {listed(means)}"
    clutter = one.means["clutter"]
    if not math.isnan(clutter):
        text += f"; the first window on an object has rank {count(round(2**clutter))} (clutter "
        text += f"{measure_text(clutter)})"
    return f"{text}."


def _what_makes_hard(result: DifficultyResult) -> Iterator[str]:
    """One sentence for all systems that agree."""
    found: dict[tuple[str, str, str], list[Correlation]] = {}
    for system in result.systems:
        rows = [
            row
            for row in result.correlations
            if (row.system, row.score) == (system.name, system.main_score) and _sure(row)
        ]
        if rows:
            best = max(rows, key=lambda row: abs(row.pearson))
            direction = "rises" if best.pearson > 0 else "falls"
            found.setdefault((best.score, direction, best.measure), []).append(best)
    for (of, direction, measure), rows in found.items():
        told = [
            f"r = {score(row.pearson)} ({interval(row.pearson_low, row.pearson_high)}) for "
            f"{row.system}"
            for row in rows
        ]
        yield (
            f"{result.label(of)} {direction} most clearly with {measure_words(measure)}: "
            f"{listed(told)}."
        )


def _sure(row: Correlation) -> bool:
    """The interval excludes zero."""
    return row.pearson_low > 0 or row.pearson_high < 0


def dataset_sentences(result: DifficultyResult) -> Iterator[str]:
    first, *others = result.datasets
    for other in others:
        known = [
            (_relation(name, first.means[name], other.means[name]), measure_words(name))
            for name in MEASURE_NAMES
            if not math.isnan(first.means[name] + other.means[name])
        ]
        groups = _grouped(known)
        words = [f"{how} {other.name} by {listed(by)}" for how, by in groups.items()]
        if words:
            yield f"{first.name} is {', and '.join(words)}."


def class_sentences(one: DatasetDifficulty) -> Iterator[str]:
    known = one.hardest_first("cpl")
    if known and known[0].cpl == known[-1].cpl:
        cpl = measure_text(known[0].cpl)
        who = known[0].name if len(known) == 1 else f"Each of {_classes(len(known))}"
        yield f"{who} has a CPL of {cpl}: there is no hardest class."
    sure = [row for row in known if row.n_objects >= FEW_OBJECTS]
    hard, easy = sure[:N_NAMED], sure[: -N_NAMED - 1 : -1]
    if len(sure) >= 2 * N_NAMED and hard[-1].cpl < easy[-1].cpl:
        yield (
            f"Hardest to localize by chance: {listed([row.name for row in hard])}; easiest: "
            f"{listed([row.name for row in easy])}."
        )


def accuracy_sentences(result: DifficultyResult) -> Iterator[str]:
    bound = result.upper_bound
    known = [one for one in result.systems if one.has("cls_loc")]
    if bound is None or not known:
        return
    best = max(known, key=lambda one: one.scores["cls_loc"])
    yield (
        f"{best.name} has the best {result.label('cls_loc')}, {score(best.scores['cls_loc'])}; a "
        f"perfect choice between the systems would reach {score(bound.scores['cls_loc'])}."
    )


def level_sentences(result: DifficultyResult) -> Iterator[str]:
    for system in result.systems:
        of = system.main_score
        rows = [row for row in result.levels if row.system == system.name]
        if of is None or len(rows) < 2:
            continue
        exact, sisters, top = (rows[at].scores[of] for at in (0, 1, -1))
        if top == exact:
            continue
        text = f"If sister classes are accepted, {result.label(of)} of {system.name} is "
        text += f"{score(sisters)} instead of {score(exact)}"
        yield text + (f"; at the top of the tree, {score(top)}." if len(rows) > 2 else ".")


def group_sentences(result: DifficultyResult) -> Iterator[str]:
    for system in result.systems:
        of = system.main_score
        rows = [
            row
            for row in result.properties
            if (row.system, row.score, row.within_property) == (system.name, of, "")
        ]
        apart = [(gap, row) for row in rows if (gap := _gap(row)) > 0]
        if of is None or not apart:
            continue
        _, row = max(apart, key=lambda pair: pair[0])
        worst, *_, best = _ranked(row)
        yield (
            f"{result.label(of)} of {system.name} is highest for classes with {row.property} "
            f"{best.value} ({score(best.mean)}, {_classes(best.n_classes)}) and lowest for "
            f"{worst.value} ({score(worst.mean)}, {_classes(worst.n_classes)})."
        )


def _ranked(row: PropertyScores) -> list[GroupScore]:
    return sorted((one for one in row.groups if one.n_classes > 1), key=lambda one: one.mean)


def _gap(row: PropertyScores) -> float:
    """How far the intervals of the best and the worst group are apart; 0 where they meet."""
    known = _ranked(row)
    return max(known[-1].low - known[0].high, 0.0) if len(known) > 1 else 0.0


def subset_sentences(result: DifficultyResult) -> Iterator[str]:
    for one in result.subsets:
        yield _subset(one)


def _subset(one: MatchedSubset) -> str:
    words = measure_words(one.measure)
    wanted = f"{one.target_of or 'the target'} ({words} {measure_text(one.target)})"
    n = len(one.means)
    if not one.classes:
        return f"No class of {one.dataset} is as hard as {wanted}."
    if not one.reached:
        return (
            f"All {_classes(n)} of {one.dataset} together are still harder than {wanted}: "
            f"their {words} is {measure_text(one.mean)}, so no subset matches."
        )
    n_more = len(one.classes) - MOST_NAMES
    names = [*one.classes[:MOST_NAMES], *([f"{n_more:,} more"] if n_more > 0 else [])]
    alone = len(one.classes) == 1
    hardest, are = ("hardest", "is") if alone else (f"{len(one.classes):,} hardest", "are together")
    return (
        f"The {hardest} of {_classes(n)} of {one.dataset} {are} as hard as {wanted}: "
        f"{listed(names)}."
    )


def _classes(n: int) -> str:
    return counted(n, "class", "classes")


def _relation(measure: MeasureName, own: float, other: float) -> str:
    if own == other:
        return "as hard as"
    low = MEASURES[measure].harder == "low"
    return "harder than" if (own < other) == low else "easier than"


def _by_relation(pairs: Iterable[tuple[str, str]]) -> str:
    return " and ".join(f"{how} {listed(names)}" for how, names in _grouped(pairs).items())


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, Sequence[str]]:
    groups: dict[str, list[str]] = {}
    for how, name in pairs:
        groups.setdefault(how, []).append(name)
    return dict(groups)
