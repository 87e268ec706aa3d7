"""What recall of proposals says, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator

from boxlens.studies.proposals.recall.groups import BY_SIZE
from boxlens.studies.proposals.recall.result import (
    DatasetRecall,
    MethodRecall,
    ProposalRecallResult,
)
from boxlens.wording import interval, listed, mean_count, number, score

# Recall at this IoU says whether objects are found at all.
LOOSE = 0.5
# Average recall of the same proposals differs by rounding at most.
EQUAL = 1e-9
# Sizes whose average recall is closer are missed alike.
ALIKE_SIZES = 0.05


def recall_sentences(result: ProposalRecallResult) -> list[str]:
    """The best method and how sure that is, who finds objects loosely, and which are missed."""
    first = result.datasets[0]
    if first.n_objects == 0:
        return [f"{first.name} has no countable objects in the images that were searched."]
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
    proposals = "proposal" if row.n_mean == 1 else "proposals"
    found = f"{score(row.ar)} with {mean_count(row.n_mean)} {proposals} per image"
    if not others:
        return f"{best.name} on {dataset.name}: average recall {found}."
    leaders = _leaders(dataset)
    if len(leaders) > 1:
        return (
            f"{listed(leaders)} have the highest average recall on {dataset.name}: {score(row.ar)}."
        )
    leads = f"{best.name} has the highest average recall on {dataset.name}: {found}"
    second = others[0]
    theirs = score(second.chosen[-1].ar)
    lead = dataset.lead
    if lead is None or math.isnan(lead.low):
        return f"{leads}; {second.name} follows with {theirs}."
    if lead.low > 0:
        return (
            f"{leads}, {score(lead.difference)} ahead of {second.name} (95% interval "
            f"{interval(lead.low, lead.high)})."
        )
    return f"{leads}; the difference to {second.name} ({theirs}) is within sampling error."


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
        have = "has" if len(below) == 1 else "have"
        yield (
            f"{listed(below)} {have} a lower average recall than the best baseline, "
            f"{baselines[0].name} ({score(level)})."
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
            f"{leader.name} finds the most objects at IoU {number(LOOSE)} (recall "
            f"{score(row.recall[LOOSE])}), but its boxes are looser: average recall "
            f"{score(row.ar)}."
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
            f"{best.name} misses {worst.value} objects most: average recall {score(worst.ar)}, "
            f"against {score(top.ar)} for {top.value} ones."
        )


def _datasets(result: ProposalRecallResult) -> Iterator[str]:
    """Does the order of methods hold elsewhere? One method has none."""
    first, *others = result.datasets
    leaders = _leaders(first)
    for other in others:
        if not other.n_objects or len(other.methods) < 2:
            continue
        there = _leaders(other)
        verb = "lead" if len(there) > 1 else "leads"
        how = "" if there == leaders or len(leaders) > 1 or len(there) > 1 else " instead"
        too = ", too" if there == leaders else ""
        most = max(one.chosen[-1].ar for one in other.methods)
        yield f"On {other.name}, {listed(there)} {verb}{how}{too} ({score(most)})."
