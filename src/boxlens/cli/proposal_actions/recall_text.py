"""Recall as text: every method, then sizes and classes of the best."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING

from boxlens.cli.output import aligned, score
from boxlens.proposals.published import PUBLISHED
from boxlens.proposals.recall.groups import BY_CLASS, BY_SIZE
from boxlens.proposals.recall.verdict import recall_sentences
from boxlens.proposals.words import counted, mean_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.proposals.recall.result import (
        DatasetRecall,
        GroupRecall,
        MethodRecall,
        ProposalRecallResult,
    )

WIDTH = 95
# Classes shown at either end, where there are more.
MOST_CLASSES = 5
# Methods beside each other: a line must fit a screen.
MOST_COLUMNS = 6


def recall_text(result: ProposalRecallResult, *, per_class: bool = False) -> str:
    first = result.datasets[0]
    size = f"{counted(first.n_images, 'image')} | {counted(first.n_objects, 'object')}"
    parts = [
        f"Proposals | {first.name} | {size}",
        "\n".join(fill(sentence, WIDTH) for sentence in recall_sentences(result)),
        *(_methods(result, one, titled=len(result.datasets) > 1) for one in result.datasets),
        _published(first),
        _sizes(first),
        *(_table(first, name) for name in result.choice.attributes),
        _classes(first, every=per_class),
        _further(result),
    ]
    return "\n\n".join(part for part in parts if part)


def _methods(result: ProposalRecallResult, dataset: DatasetRecall, *, titled: bool) -> str:
    ious = [f"R@{iou:g}" for iou in result.choice.ious]
    title = dataset.name if titled else "method"
    rows = [[title, "budget", "found", "AR", "95 %", "AR coco", "ABO", *ious, "VUS", "s/image"]]
    for one in _ranked(dataset):
        for row in one.chosen:
            last = row is one.chosen[-1]
            rows.append(
                [
                    one.name,
                    f"{row.budget:,}",
                    mean_count(row.n_mean),
                    score(row.ar),
                    f"{score(row.ar_low)}-{score(row.ar_high)}",
                    score(row.coco_ar),
                    score(row.best_overlap),
                    *(score(row.recall[iou]) for iou in result.choice.ious),
                    score(one.volume) if last else "",
                    _seconds(one.seconds_per_image) if last else "",
                ]
            )
    return aligned(rows)


def _published(dataset: DatasetRecall) -> str:
    """What the study found on other data, for those methods that it had."""
    known = [one.name for one in _ranked(dataset) if one.name in PUBLISHED]
    if not known:
        return ""
    rows = [["published (VOC07 test, 1,000)", "AR", "R@0.5", "s/image"]]
    for name in known:
        one = PUBLISHED[name]
        rows.append([name, score(one.ar), score(one.recall_50), _seconds(one.seconds)])
    return aligned(rows)


def _sizes(dataset: DatasetRecall) -> str:
    return _table(dataset, BY_SIZE)


def _further(result: ProposalRecallResult) -> str:
    """Attributes that nobody asked for are only named."""
    groups = (group for one in result.datasets[0].methods for group in one.groups)
    shown = (BY_CLASS, BY_SIZE, *result.choice.attributes)
    names = dict.fromkeys(group.by for group in groups if group.by not in shown)
    if not names:
        return ""
    told = f"AR by {', '.join(names)}: see --attribute, -o or --json"
    return fill(told, WIDTH)


def _table(dataset: DatasetRecall, by: str) -> str:
    """AR of every method, group by group, at the largest budget."""
    columns = {one.name: _largest(one.groups, by) for one in _shown(dataset)}
    first = next(iter(columns.values()), [])
    if not first:
        return ""
    more = len(dataset.methods) - len(columns)
    best = f" (best {len(columns)} methods)" if more else ""
    rows = [[f"AR by {by}{best}", "objects", *columns]]
    rows += [
        [group.value, f"{group.n_objects:,}", *(score(found[row].ar) for found in columns.values())]
        for row, group in enumerate(first)
    ]
    return aligned(rows)


def _classes(dataset: DatasetRecall, *, every: bool) -> str:
    """By falling AR of the best method; only the ends, unless all are asked for."""
    ranked = _shown(dataset)
    if not ranked:
        return ""
    columns = {one.name: {g.value: g for g in _largest(one.groups, BY_CLASS)} for one in ranked}
    classes = sorted(_largest(ranked[0].groups, BY_CLASS), key=lambda one: -_key(one.ar))
    if len(classes) < 2:
        return ""
    shown = classes
    if not every and len(classes) > 2 * MOST_CLASSES:
        shown = [*classes[:MOST_CLASSES], *classes[-MOST_CLASSES:]]
    rows = [["AR by class", "objects", *columns]]
    for place, group in enumerate(shown):
        if len(shown) < len(classes) and place == MOST_CLASSES:
            rows.append(["...", *[""] * (len(columns) + 1)])
        found = [column[group.value].ar for column in columns.values()]
        rows.append([group.value, f"{group.n_objects:,}", *map(score, found)])
    return aligned(rows)


def _ranked(dataset: DatasetRecall) -> list[MethodRecall]:
    return sorted(dataset.methods, key=lambda one: -_key(one.chosen[-1].ar))


def _shown(dataset: DatasetRecall) -> list[MethodRecall]:
    """The best ones, as many as a line holds; the tables of -o have all."""
    return _ranked(dataset)[:MOST_COLUMNS]


def _largest(groups: Sequence[GroupRecall], by: str) -> list[GroupRecall]:
    budget = max((one.budget for one in groups), default=0)
    return [one for one in groups if one.by == by and one.budget == budget]


def _key(value: float) -> float:
    return -1.0 if math.isnan(value) else value


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"
