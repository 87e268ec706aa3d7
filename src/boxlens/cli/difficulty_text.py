"""Difficulty as text: the data sets, their hardest classes, and what makes classes hard."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING

from boxlens.cli.evaluate_table import score
from boxlens.cli.output import aligned
from boxlens.dataset_difficulty.accuracy import SCORES
from boxlens.dataset_difficulty.measures import MEASURE_NAMES, MEASURES
from boxlens.dataset_difficulty.published import PUBLISHED
from boxlens.dataset_difficulty.verdict import difficulty_sentences, main_score

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boxlens.dataset_difficulty import DifficultyResult
    from boxlens.dataset_difficulty.class_groups import GroupScore, PropertyScores
    from boxlens.dataset_difficulty.class_measures import ClassDifficulty, DatasetDifficulty
    from boxlens.dataset_difficulty.measures import MeasureName

HEADINGS = {
    "instances_per_image": "instances",
    "neighbours": "neighbours",
    "scale": "scale",
    "cpl": "CPL",
    "clutter": "clutter",
    "cls": "cls",
    "cls_loc": "cls+loc",
    "loc_given_cls": "loc|cls",
    "ap": "AP",
}
# Classes shown at either end, where there are more.
MOST_CLASSES = 5
WIDTH = 95


def difficulty_text(result: DifficultyResult, *, per_class: bool = False) -> str:
    first = result.datasets[0]
    n_classes = sum(one.n_objects > 0 for one in first.classes)
    headline = (
        f"Difficulty | {first.name} | {first.n_images:,} images | {first.n_objects:,} objects | "
        f"{n_classes:,} classes"
    )
    parts = [
        headline,
        "\n".join(fill(sentence, WIDTH) for sentence in difficulty_sentences(result)),
        _datasets(result.datasets),
        _classes(first, per_class=per_class),
        _systems(result),
        _levels(result),
        _nodes(result),
        _correlations(result),
        *_properties(result),
        *_subsets(result),
    ]
    return "\n\n".join(part for part in parts if part)


def _datasets(datasets: Sequence[DatasetDifficulty]) -> str:
    """Means over classes, with the published ones below."""
    shown = _shown_measures(datasets)
    rows = [["mean over classes", *(HEADINGS[name] for name in shown)]]
    rows += [[one.name, *(score(one.means[name]) for name in shown)] for one in datasets]
    rows += [
        [f"{name} (published)", *(score(means.get(measure, math.nan)) for measure in shown)]
        for name, means in PUBLISHED.items()
    ]
    windows = [_windows(one) for one in datasets if one.windows is not None]
    return "\n".join([aligned(rows), *windows])


def _windows(one: DatasetDifficulty) -> str:
    """Clutter is nothing without the windows it was counted with."""
    used = one.windows
    if used is None:
        return ""
    return (
        f"clutter of {one.name}: the best {used.limit:,} windows of {used.name}, in "
        f"{used.n_images:,} of {one.n_images:,} images; published: Objectness"
    )


def _shown_measures(datasets: Iterable[DatasetDifficulty]) -> list[MeasureName]:
    """Clutter only where windows are known."""
    searched = any(one.windows is not None for one in datasets)
    return [name for name in MEASURE_NAMES if name != "clutter" or searched]


def _classes(one: DatasetDifficulty, *, per_class: bool) -> str:
    """All, or the hardest and the easiest to localize by chance."""
    shown = _shown_measures([one])
    known = sorted((row for row in one.classes if not math.isnan(row.cpl)), key=lambda row: row.cpl)
    if per_class:
        title, chosen = "class", list(one.classes)
    else:
        title, chosen = "hardest classes by CPL", known[: 2 * MOST_CLASSES]
    if not chosen:
        return ""
    head = [title, "images", "objects", *(HEADINGS[name] for name in shown)]
    rows = [_class_row(row, shown) for row in chosen]
    if not per_class and len(known) > 2 * MOST_CLASSES:
        n_between = len(known) - 2 * MOST_CLASSES
        gap = [f"... {n_between} between ...", *[""] * (len(head) - 1)]
        ends = (known[:MOST_CLASSES], known[-MOST_CLASSES:])
        hard, easy = ([_class_row(row, shown) for row in end] for end in ends)
        rows = [*hard, gap, *easy]
    return aligned([head, *rows])


def _class_row(row: ClassDifficulty, shown: Sequence[MeasureName]) -> list[str]:
    counts = [f"{row.n_images:,}", f"{row.n_objects:,}"]
    return [row.name, *counts, *(score(row.value(name)) for name in shown)]


def _systems(result: DifficultyResult) -> str:
    if not result.systems:
        return ""
    systems = [*result.systems, *([result.upper_bound] if result.upper_bound else [])]
    guesses = "guess" if result.choice.top_k == 1 else f"{result.choice.top_k} guesses"
    rows = [[f"of {guesses} an image", *(HEADINGS[name] for name in SCORES)]]
    rows += [[one.name, *(score(one.scores[name]) for name in SCORES)] for one in systems]
    return aligned(rows)


def _levels(result: DifficultyResult) -> str:
    if not result.levels:
        return ""
    rows = [["level of the tree", "accepted", *(HEADINGS[name] for name in SCORES)]]
    several = len(result.systems) > 1
    for one in result.levels:
        title = f"{one.level}, {one.system}" if several else f"{one.level}"
        numbers = (score(one.scores[name]) for name in SCORES)
        rows.append([title, f"{one.n_accepted:.1f}", *numbers])
    return aligned(rows)


def _nodes(result: DifficultyResult) -> str:
    if not result.nodes:
        return ""
    rows = [["as one class", "classes", "images", *(HEADINGS[name] for name in SCORES)]]
    several = len(result.systems) > 1
    for one in result.nodes:
        title = f"any {one.node}, {one.system}" if several else f"any {one.node}"
        numbers = (score(one.scores[name]) for name in SCORES)
        rows.append([title, f"{len(one.classes):,}", f"{one.n_images:,}", *numbers])
    return aligned(rows)


def _correlations(result: DifficultyResult) -> str:
    """Pearson's r; the whole is in the JSON and in the report."""
    found = {(one.system, one.score, one.measure): one.pearson for one in result.correlations}
    measures = list(dict.fromkeys(one.measure for one in result.correlations))
    known = [
        measure
        for measure in measures
        if any(key[2] == measure and not math.isnan(r) for key, r in found.items())
    ]
    if not known:
        return ""
    rows = [["r of classes", *(HEADINGS.get(name, name) for name in known)]]
    for system, of in dict.fromkeys((system, of) for system, of, _ in found):
        numbers = [found.get((system, of, name), math.nan) for name in known]
        if not all(map(math.isnan, numbers)):
            rows.append([f"{HEADINGS[of]}, {system}", *map(score, numbers)])
    return aligned(rows)


def _properties(result: DifficultyResult) -> Iterable[str]:
    """One table a property: how many classes a group has, and each system's mean with interval."""
    main = {one.name: main_score(one) for one in result.systems}
    tables: dict[tuple[str, str, str], list[PropertyScores]] = {}
    for one in result.properties:
        if one.score == main.get(one.system):
            key = (one.property, one.within_property, one.within_value)
            tables.setdefault(key, []).append(one)
    for (name, outer, value), of_systems in tables.items():
        within = f" within {outer} {value}" if outer else ""
        rows = [[f"by {name}{within}", "classes"]]
        rows[0] += [f"{HEADINGS[one.score]} of {one.system} (95 %)" for one in of_systems]
        for at, group in enumerate(of_systems[0].groups):
            means = [_with_interval(one.groups[at]) for one in of_systems]
            rows.append([group.value, f"{len(group.classes)}", *means])
        yield aligned(rows)


def _with_interval(group: GroupScore) -> str:
    return f"{score(group.mean)} ({score(group.low)} to {score(group.high)})"


def _subsets(result: DifficultyResult) -> Iterable[str]:
    for one in result.subsets:
        whose = f"that of {one.target_of}" if one.target_of else "the target"
        title = MEASURES[one.measure].title
        text = (
            f"subset by {title}: {whose} is {one.target:.4g}; the {len(one.classes)} hardest of "
            f"{len(one.means)} classes have {score(one.mean)}"
        )
        names = ", ".join(one.classes[:12])
        more = f" and {len(one.classes) - 12} more" if len(one.classes) > 12 else ""
        yield f"{text}: {names}{more}" if names else text
