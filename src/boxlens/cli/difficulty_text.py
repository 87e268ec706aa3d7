"""Difficulty as text: the data sets, their hardest classes, and what makes classes hard."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING

from boxlens.cli.output import aligned, score
from boxlens.dataset_difficulty.accuracy import SCORES, score_label
from boxlens.dataset_difficulty.measures import MEASURE_NAMES, MEASURES
from boxlens.dataset_difficulty.published import PUBLISHED
from boxlens.dataset_difficulty.verdict import difficulty_sentences, main_score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
}
# Classes shown at either end, where there are more.
MOST_CLASSES = 5
# Classes of a subset that are named.
MOST_NAMES = 12
WIDTH = 95


def difficulty_text(result: DifficultyResult, *, per_class: bool = False) -> str:
    first = result.datasets[0]
    n_classes = first.n_classes
    headline = (
        f"Difficulty | {first.name} | {_counted(first.n_images, 'image')} | "
        f"{_counted(first.n_objects, 'object')} | {_counted(n_classes, 'class', 'classes')}"
    )
    parts = [
        headline,
        "\n".join(fill(sentence, WIDTH) for sentence in difficulty_sentences(result)),
        _datasets(result.datasets),
        _every_class(result) if per_class else _ends(first),
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
        f"{used.n_images:,} of {_counted(one.n_images, 'image')}; published: Objectness"
    )


def _shown_measures(datasets: Iterable[DatasetDifficulty]) -> list[MeasureName]:
    """Clutter only where windows are known."""
    searched = any(one.windows is not None for one in datasets)
    return [name for name in MEASURE_NAMES if name != "clutter" or searched]


def _every_class(result: DifficultyResult) -> str:
    """With the main score of each system."""
    first = result.datasets[0]
    scored = [(one, main) for one in result.systems if (main := main_score(one)) is not None]
    columns = {
        f"{_label(result, main)}, {one.name}": [row.scores[main] for row in one.classes]
        for one, main in scored
    }
    return _class_table("class", first, first.classes, more=columns) if first.classes else ""


def _ends(one: DatasetDifficulty) -> str:
    """The hardest and the easiest to localize by chance."""
    known = [row for row in one.classes if not math.isnan(row.cpl)]
    if not known:
        return ""
    # Of equal CPL, small objects first.
    known.sort(key=lambda row: (row.cpl, row.scale))
    hardest, easiest = known[0], known[-1]
    if len(known) == 1:
        return f"Only {hardest.name} has a CPL, {score(hardest.cpl)}."
    if hardest.cpl == easiest.cpl:
        return f"All {len(known):,} classes with a CPL have the same, {score(hardest.cpl)}."
    title = "hardest classes by CPL"
    if len(known) <= 2 * MOST_CLASSES:
        return _class_table(title, one, known)
    return _class_table(title, one, known[:MOST_CLASSES], known[-MOST_CLASSES:])


def _class_table(
    title: str,
    one: DatasetDifficulty,
    hard: Sequence[ClassDifficulty],
    easy: Sequence[ClassDifficulty] = (),
    more: Mapping[str, Sequence[float]] | None = None,
) -> str:
    """With `easy` classes at the other end; searched images where these are not all.

    `more` columns have a value for each of the `hard` classes.
    """
    shown = _shown_measures([one])
    in_part = one.searched_in_part

    def cells(row: ClassDifficulty) -> list[str]:
        counts = [f"{row.n_images:,}", f"{row.n_objects:,}"]
        searched = [f"{row.n_images_searched:,}"] if in_part else []
        return [row.name, *counts, *(score(row.value(name)) for name in shown), *searched]

    head = [title, "images", "objects", *(HEADINGS[name] for name in shown)]
    head += ["searched"] if in_part else []
    columns = more or {}
    rows = [[*head, *columns]]
    for at, row in enumerate(hard):
        rows.append([*cells(row), *(score(values[at]) for values in columns.values())])
    if easy:
        n_between = sum(not math.isnan(row.cpl) for row in one.classes) - len(hard) - len(easy)
        rows.append([f"... {n_between:,} between ...", *[""] * (len(head) - 1)])
    return aligned([*rows, *map(cells, easy)])


def _systems(result: DifficultyResult) -> str:
    if not result.systems:
        return ""
    systems = [*result.systems, *([result.upper_bound] if result.upper_bound else [])]
    k = result.choice.top_k
    rows = [
        ["by the best guess" if k == 1 else f"of {k} guesses an image", *_score_headings(result)]
    ]
    rows += [[one.name, *(score(one.scores[name]) for name in SCORES)] for one in systems]
    return aligned(rows)


def _score_headings(result: DifficultyResult) -> list[str]:
    return [_label(result, name) for name in SCORES]


def _label(result: DifficultyResult, name: str) -> str:
    return score_label(name, result.choice.iou)


def _levels(result: DifficultyResult) -> str:
    if not result.levels:
        return ""
    rows = [["level of the tree", "accepted", *_score_headings(result)]]
    several = len(result.systems) > 1
    for one in result.levels:
        title = f"{one.level}, {one.system}" if several else f"{one.level}"
        numbers = (score(one.scores[name]) for name in SCORES)
        accepted = "-" if math.isnan(one.n_accepted) else f"{one.n_accepted:.1f}"
        rows.append([title, accepted, *numbers])
    return aligned(rows)


def _nodes(result: DifficultyResult) -> str:
    if not result.nodes:
        return ""
    rows = [["as one class", "classes", "images", *_score_headings(result)]]
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
            rows.append([f"{_label(result, of)}, {system}", *map(score, numbers)])
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
        rows[0] += [f"{_label(result, one.score)} of {one.system} (95 %)" for one in of_systems]
        for at, group in enumerate(of_systems[0].groups):
            means = [_with_interval(one.groups[at]) for one in of_systems]
            rows.append([group.value, f"{len(group.classes)}", *means])
        yield aligned(rows)


def _with_interval(group: GroupScore) -> str:
    return f"{score(group.mean)} ({score(group.low)} to {score(group.high)})"


def _subsets(result: DifficultyResult) -> Iterable[str]:
    for one in result.subsets:
        whose = f"that of {one.target_of}" if one.target_of else "the target"
        begin = f"subset by {MEASURES[one.measure].title}: {whose} is {one.target:.4g}"
        n = len(one.means)
        if not one.classes:
            yield f"{begin}; none of {_counted(n, 'class', 'classes')} is as hard"
        elif not one.reached:
            yield (
                f"{begin}; even all {_counted(n, 'class', 'classes')} together are harder, with "
                f"{score(one.mean)}: no subset matches it"
            )
        else:
            have = "has" if len(one.classes) == 1 else "have"
            names = ", ".join(one.classes[:MOST_NAMES])
            n_more = len(one.classes) - MOST_NAMES
            yield (
                f"{begin}; the {len(one.classes):,} hardest of {_counted(n, 'class', 'classes')} "
                f"{have} {score(one.mean)}: {names}" + (f" and {n_more:,} more" * (n_more > 0))
            )


def _counted(n: int, one: str, many: str = "") -> str:
    """1 image; 1,234 images."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
