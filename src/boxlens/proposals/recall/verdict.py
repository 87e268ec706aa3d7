"""What a study of recall says, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.proposals.recall.groups import BY_SIZE
from boxlens.proposals.words import enumerated, fraction, proposals_an_image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boxlens.proposals.recall.result import DatasetRecall, MethodRecall, ProposalRecallResult

# Recall at this IoU says whether objects are found at all.
LOOSE = 0.5
# Average recall of the same proposals differs by rounding at most.
EQUAL = 1e-9
# Sizes whose average recall is closer are missed alike.
ALIKE_SIZES = 0.05


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
    best, *others = ranked
    row = best.chosen[-1]
    with_it = f"average recall {fraction(row.ar)} with {proposals_an_image(row.n_mean)}"
    if not others:
        return f"{best.name} on {dataset.name}: {with_it}."
    leaders = _leaders(dataset)
    if len(leaders) > 1:
        return (
            f"{enumerated(leaders)} find equally much on {dataset.name}: average recall "
            f"{fraction(row.ar)}."
        )
    found = f"{best.name} finds the most on {dataset.name}: {with_it}"
    second = others[0].chosen[-1]
    lead = dataset.lead
    if lead is None or math.isnan(lead.low):
        return f"{found}; {others[0].name} follows with {fraction(second.ar)}."
    if lead.low > 0:
        return (
            f"{found}, beyond chance ahead of {others[0].name} ({fraction(second.ar)}): by "
            f"{fraction(lead.difference)}, 95 % interval {fraction(lead.low)} to "
            f"{fraction(lead.high)}."
        )
    return (
        f"{found}; {others[0].name} ({fraction(second.ar)}) is so near that another draw of images "
        "could turn the order."
    )


def _leaders(dataset: DatasetRecall) -> list[str]:
    """One name, or several that find equally much."""
    most = max(one.chosen[-1].ar for one in dataset.methods)
    return [one.name for one in dataset.methods if one.chosen[-1].ar >= most - EQUAL]


def _baseline(ranked: list[MethodRecall]) -> Iterator[str]:
    """What a method should surpass."""
    baselines = [one for one in ranked if one.baseline]
    if not baselines or len(baselines) == len(ranked):
        return
    level = baselines[0].chosen[-1].ar
    below = [one.name for one in ranked if not one.baseline and one.chosen[-1].ar < level - EQUAL]
    if below:
        worse = "finds" if len(below) == 1 else "find"
        yield (
            f"{enumerated(below)} {worse} less than the best baseline, {baselines[0].name} "
            f"({fraction(level)})."
        )


def _loose(ranked: list[MethodRecall]) -> Iterator[str]:
    """Who finds many objects, but not tightly."""
    known = [one for one in ranked if LOOSE in one.chosen[-1].recall]
    if len(known) < 2:
        return
    leader = max(known, key=lambda one: one.chosen[-1].recall[LOOSE])
    row = leader.chosen[-1]
    if row.ar < ranked[0].chosen[-1].ar - EQUAL:
        yield (
            f"At IoU {fraction(LOOSE, 1)} {leader.name} finds the most objects "
            f"({fraction(row.recall[LOOSE])}), but its boxes are looser: average recall "
            f"{fraction(row.ar)}."
        )


def _sizes(best: MethodRecall) -> Iterator[str]:
    budget = best.chosen[-1].budget
    sizes = [one for one in best.groups if one.by == BY_SIZE and one.budget == budget]
    known = [one for one in sizes if not math.isnan(one.ar)]
    if not known:
        return
    worst, top = min(known, key=lambda one: one.ar), max(known, key=lambda one: one.ar)
    if top.ar - worst.ar >= ALIKE_SIZES:
        yield (
            f"{best.name} misses {worst.value} objects most (average recall {fraction(worst.ar)}, "
            f"against {fraction(top.ar)} of {top.value} ones)."
        )


def _datasets(result: ProposalRecallResult) -> Iterator[str]:
    """Does the order of methods hold elsewhere? One method has none."""
    first, *others = result.datasets
    leaders = _leaders(first)
    for other in others:
        if not other.n_objects or len(other.methods) < 2:
            continue
        there = _leaders(other)
        if len(there) > 1:
            how = "find equally much"
        else:
            how = "leads" if len(leaders) > 1 or there == leaders else "leads instead"
        too = ", too" if there == leaders else ""
        most = max(one.chosen[-1].ar for one in other.methods)
        yield f"On {other.name} {enumerated(there)} {how}{too} ({fraction(most)})."
