"""What a study of recall says, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.proposals.recall.groups import BY_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.proposals.recall.result import DatasetRecall, MethodRecall, ProposalRecallResult

# Recall at this IoU says whether objects are found at all.
LOOSE = 0.5


def recall_sentences(result: ProposalRecallResult) -> list[str]:
    """The best method, how sure that is, who finds objects but loosely, and which are missed."""
    first = result.datasets[0]
    if first.n_objects == 0:
        return [f"{first.name} has no objects that count in the images that were searched."]
    ranked = sorted(first.methods, key=lambda one: -one.chosen[-1].ar)
    return [
        _best(first, ranked),
        *_baseline(ranked),
        *_loose(ranked),
        *_sizes(ranked[0]),
        *_datasets(result),
    ]


def _best(dataset: DatasetRecall, ranked: list[MethodRecall]) -> str:
    best = ranked[0]
    row = best.chosen[-1]
    with_it = f"average recall {_number(row.ar)} with {row.n_mean:,.0f} proposals an image"
    if len(ranked) == 1:
        return f"{best.name} on {dataset.name}: {with_it}."
    found = f"{best.name} finds the most on {dataset.name}: {with_it}"
    second = ranked[1].chosen[-1]
    if row.ar_low > second.ar_high:
        return f"{found}, clearly ahead of {ranked[1].name} ({_number(second.ar)})."
    return (
        f"{found}; {ranked[1].name} ({_number(second.ar)}) is so near that another draw of images "
        "could turn the order."
    )


def _baseline(ranked: list[MethodRecall]) -> Iterator[str]:
    """What a method should surpass."""
    baselines = [one for one in ranked if one.baseline]
    if not baselines or len(baselines) == len(ranked):
        return
    level = baselines[0].chosen[-1].ar
    below = [one.name for one in ranked if not one.baseline and one.chosen[-1].ar < level]
    if below:
        worse = "finds" if len(below) == 1 else "find"
        yield (
            f"{_listed(below)} {worse} less than the best baseline, {baselines[0].name} "
            f"({_number(level)})."
        )


def _loose(ranked: list[MethodRecall]) -> Iterator[str]:
    """Who finds many objects, but not tightly."""
    known = [one for one in ranked if LOOSE in one.chosen[-1].recall]
    if len(known) < 2:
        return
    leader = max(known, key=lambda one: one.chosen[-1].recall[LOOSE])
    if leader is not ranked[0]:
        row = leader.chosen[-1]
        yield (
            f"At IoU {LOOSE:g} {leader.name} finds the most objects "
            f"({_number(row.recall[LOOSE])}), but its boxes are looser: average recall "
            f"{_number(row.ar)}."
        )


def _sizes(best: MethodRecall) -> Iterator[str]:
    budget = best.chosen[-1].budget
    sizes = [one for one in best.groups if one.by == BY_SIZE and one.budget == budget]
    known = [one for one in sizes if not math.isnan(one.ar)]
    if len(known) < 2:
        return
    worst, top = min(known, key=lambda one: one.ar), max(known, key=lambda one: one.ar)
    yield (
        f"It misses {worst.value} objects most (average recall {_number(worst.ar)}, against "
        f"{_number(top.ar)} of {top.value} ones)."
    )


def _datasets(result: ProposalRecallResult) -> Iterator[str]:
    """Does the order of methods hold elsewhere?"""
    first, *others = result.datasets
    leader = max(first.methods, key=lambda one: one.chosen[-1].ar).name
    for other in others:
        if not other.n_objects:
            continue
        there = max(other.methods, key=lambda one: one.chosen[-1].ar)
        ahead = "leads, too" if there.name == leader else "leads instead"
        yield f"On {other.name} {there.name} {ahead} ({_number(there.chosen[-1].ar)})."


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _number(value: float) -> str:
    return f"{value:.3f}"
