"""What an analysis of difficulty comes to, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.dataset_difficulty.accuracy import score_label
from boxlens.dataset_difficulty.measures import MEASURES
from boxlens.dataset_difficulty.published import PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.dataset_difficulty.accuracy import SystemAccuracy
    from boxlens.dataset_difficulty.class_groups import PropertyScores
    from boxlens.dataset_difficulty.class_measures import DatasetDifficulty
    from boxlens.dataset_difficulty.correlations import Correlation
    from boxlens.dataset_difficulty.result import DifficultyResult

# What a system is judged by: the first of these that it has.
MAIN_SCORES = ("ap", "cls_loc", "cls")
NAMED = 3
# A class with fewer is not named: its CPL is mostly chance itself.
FEW_OBJECTS = 10


def difficulty_sentences(result: DifficultyResult) -> list[str]:
    """The most important first."""
    found = [
        _how_hard(result.datasets[0]),
        _against_published(result.datasets[0]),
        *_against_others(result),
        *_hardest(result.datasets[0]),
        *_together(result),
        *_what_makes_hard(result),
        *_levels(result),
        *_groups(result),
        *_subsets(result),
    ]
    return [sentence for sentence in found if sentence]


def main_score(system: SystemAccuracy) -> str | None:
    """The score that tells most of a system; None where it has none."""
    known = (name for name in MAIN_SCORES if not math.isnan(system.scores.get(name, math.nan)))
    return next(known, None)


def _how_hard(one: DatasetDifficulty) -> str:
    means = one.means
    if not one.n_objects:
        return f"{one.name} has no objects that count, so nothing can be said about its difficulty."
    parts = [
        f"{means['instances_per_image']:.2f} objects of a class in an image that has the class",
        f"{means['neighbours']:.2f} neighbours each",
    ]
    if not math.isnan(means["scale"]):
        parts.append(f"{means['scale']:.1%} of the image each")
    text = f"{one.name}: {', '.join(parts)}"
    if not math.isnan(means["cpl"]):
        text += (
            f"; the box of another object of the class, put into the image, is right "
            f"{means['cpl']:.1%} of the time (CPL)"
        )
    if not math.isnan(means["clutter"]):
        text += f"; the first window on an object comes at about rank {2 ** means['clutter']:.0f}"
    return f"{text}."


def _against_published(one: DatasetDifficulty) -> str:
    """By CPL alone: published clutter is that of other windows."""
    own = one.means["cpl"]
    if math.isnan(own):
        return ""
    words = [
        f"{_relation('cpl', own, means['cpl'])} {name} ({means['cpl']:.1%})"
        for name, means in PUBLISHED.items()
    ]
    return f"By CPL it is {' and '.join(words)}."


def _against_others(result: DifficultyResult) -> Iterator[str]:
    first, *others = result.datasets
    for other in others:
        by_relation: dict[str, list[str]] = {}
        for name in MEASURES:
            own, its = first.means[name], other.means[name]
            if not math.isnan(own + its):
                by_relation.setdefault(_relation(name, own, its), []).append(_short(name))
        words = [f"{how} {other.name} by {', '.join(by)}" for how, by in by_relation.items()]
        if words:
            yield f"{first.name} is {', and '.join(words)}."


def _relation(measure: str, own: float, other: float) -> str:
    if own == other:
        return "as hard as"
    low = MEASURES[measure].harder == "low"
    return "harder than" if (own < other) == low else "easier than"


def _short(measure: str) -> str:
    return {"cpl": "CPL", "instances_per_image": "instances per image"}.get(measure, measure)


def _hardest(one: DatasetDifficulty) -> Iterator[str]:
    known = [row for row in one.classes if not math.isnan(row.cpl) and row.n_objects >= FEW_OBJECTS]
    # Of equal CPL, small objects first.
    known.sort(key=lambda row: (row.cpl, row.scale))
    if len(known) < 2 * NAMED:
        return
    hard, easy = known[:NAMED], known[: -NAMED - 1 : -1]
    if hard[-1].cpl < easy[-1].cpl:
        yield (
            f"Hardest to localize by chance: {', '.join(row.name for row in hard)}; "
            f"easiest: {', '.join(row.name for row in easy)}."
        )


def _together(result: DifficultyResult) -> Iterator[str]:
    bound = result.upper_bound
    known = [one for one in result.systems if not math.isnan(one.scores["cls_loc"])]
    if bound is None or not known:
        return
    best = max(known, key=lambda one: one.scores["cls_loc"])
    yield (
        f"The best system names and localizes {best.scores['cls_loc']:.1%} ({best.name}); all of "
        f"them together would reach {bound.scores['cls_loc']:.1%}."
    )


def _what_makes_hard(result: DifficultyResult) -> Iterator[str]:
    for system in result.systems:
        score = main_score(system)
        rows = [
            row
            for row in result.correlations
            if row.system == system.name and row.score == score and _sure(row)
        ]
        if score is None or not rows:
            continue
        best = max(rows, key=lambda row: abs(row.pearson))
        direction = "rises" if best.pearson > 0 else "falls"
        words = score_label(score, result.choice.iou)
        yield (
            f"The {words} of {system.name} {direction} most clearly with {_short(best.measure)}: "
            f"r = {best.pearson:.2f} ({best.pearson_low:.2f} to {best.pearson_high:.2f}) "
            f"over {best.n_classes} classes."
        )


def _sure(row: Correlation) -> bool:
    """The interval leaves zero out."""
    return row.pearson_low > 0 or row.pearson_high < 0


def _levels(result: DifficultyResult) -> Iterator[str]:
    for system in result.systems:
        score = main_score(system)
        rows = [row for row in result.levels if row.system == system.name]
        if score is None or len(rows) < 2:
            continue
        exact, sisters, top = (rows[at].scores[score] for at in (0, 1, -1))
        if top == exact:
            continue
        text = f"With sister classes taken for right, {system.name} has {sisters:.3f} instead of "
        text += f"{exact:.3f} ({score_label(score, result.choice.iou)})"
        yield text + (f", at the top of the tree {top:.3f}." if len(rows) > 2 else ".")


def _groups(result: DifficultyResult) -> Iterator[str]:
    for system in result.systems:
        score = main_score(system)
        rows = [
            row
            for row in result.properties
            if row.system == system.name and row.score == score and not row.within_property
        ]
        apart = [(gap, row) for row in rows if (gap := _gap(row)) > 0]
        if not apart:
            continue
        _, row = max(apart, key=lambda pair: pair[0])
        known = sorted((one for one in row.groups if one.n_classes > 1), key=lambda one: one.mean)
        yield (
            f"{system.name} does best on classes with {row.property} {known[-1].value} "
            f"({known[-1].mean:.3f}, {known[-1].n_classes} classes) and worst on {known[0].value} "
            f"({known[0].mean:.3f}, {known[0].n_classes} classes)."
        )


def _gap(row: PropertyScores) -> float:
    """How far the intervals of the best and the worst group are apart; 0 where they meet."""
    known = sorted((one for one in row.groups if one.n_classes > 1), key=lambda one: one.mean)
    return max(known[-1].low - known[0].high, 0.0) if len(known) > 1 else 0.0


def _subsets(result: DifficultyResult) -> Iterator[str]:
    for one in result.subsets:
        wanted = one.target_of or "wished"
        how = f"{_short(one.measure)} {one.target:.3g}"
        if not one.classes:
            yield f"No class of {one.dataset} is as hard as {wanted} ({how})."
        elif not one.reached:
            yield (
                f"Even all classes of {one.dataset} together are harder than {wanted} ({how} "
                f"against {one.mean:.3g}): no subset matches it."
            )
        else:
            yield (
                f"The {len(one.classes):,} hardest of {len(one.means):,} classes of {one.dataset} "
                f"are together as hard as {wanted} ({how})."
            )
