"""Global search: a region and what is like it, cut out of the picture (max-flow by SciPy).

Each cut is the best of all bipartitions. It pays for regions of the object that are like the
background, for regions of the background that are like the object's seed, and for neighbours that
are alike but parted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Floats, Offsets
from boxlens.studies.proposals.generators.rantalankila_regions import Regions

# More than any other cost: seeds stay on their side.
NEVER = 100.0
# Regions around a seed are held to it so much more, so that few cuts are the seed alone.
AROUND_SEED = 5.0
# SciPy's max-flow counts in whole numbers of 32 bits: so many are a cost of 1.
COST_UNITS = 1_000
# Cuts are found many at a time, in one graph of about so many nodes.
GRAPH_NODES = 10_000


class Branch(NamedTuple):
    """One way to cut: which sides are background, and what seeds and neighbours weigh."""

    # Left, top, right, bottom; none: the whole picture is what an object should differ from.
    sides: tuple[bool, bool, bool, bool]
    seed_weight: float
    pair_weight: float


_ALL, _NONE = (True, True, True, True), (False, False, False, False)
_NOT_BELOW, _BESIDE = (True, True, True, False), (True, False, True, False)
_LEFT_TOP, _TOP_RIGHT = (True, True, False, False), (False, True, True, False)

# The published list was chosen on training pictures so that each branch adds to those before it;
# so was this one, from a coarser grid and on other pictures. The first ten added something.
BRANCHES = (
    Branch(_NOT_BELOW, 0.75, 3.0),
    Branch(_TOP_RIGHT, 0.75, 0.25),
    Branch(_LEFT_TOP, 0.75, 1.0),
    Branch(_NOT_BELOW, 3.0, 3.0),
    Branch(_NONE, 0.75, 1.0),
    Branch(_ALL, 0.75, 0.25),
    Branch(_TOP_RIGHT, 1.5, 3.0),
    Branch(_ALL, 1.5, 0.25),
    Branch(_NOT_BELOW, 1.5, 1.0),
    Branch(_TOP_RIGHT, 0.75, 1.0),
    Branch(_BESIDE, 0.75, 0.25),
    Branch(_LEFT_TOP, 1.5, 3.0),
    Branch(_BESIDE, 1.5, 1.0),
    Branch(_NONE, 1.5, 0.25),
    Branch(_BESIDE, 3.0, 3.0),
)


def cut_objects(stage: Regions, branches: Sequence[Branch]) -> list[Floats]:
    """For every branch, the corners of the object around each region that is not background."""
    first, second = stage.pairs.T
    pair_cost = np.minimum(stage.histogram[first], stage.histogram[second]).sum(axis=1)
    seed_likeness = _likeness_to_seeds(stage)
    found = []
    for branch in branches:
        background: Bools = np.logical_or.reduce(stage.touches[:, branch.sides], axis=1)
        seeds = np.flatnonzero(~background)
        if len(seeds) == 0 or len(stage) == 1:
            found.append(np.zeros((0, 4)))
            continue
        outside = background if background.any() else ~background
        inside_cost = np.where(background, NEVER, _likeness(stage, _mixed(stage, outside[None]))[0])
        gain = branch.seed_weight * seed_likeness[seeds] - inside_cost
        gain[np.arange(len(seeds)), seeds] = NEVER
        objects = best_cuts(gain, stage.pairs, branch.pair_weight * pair_cost)
        found.append(_corners_around(stage, objects))
    return found


def best_cuts(gain: Floats, pairs: Offsets, pair_cost: Floats) -> Bools:
    """Which nodes to take, one row a cut: most gain of taken nodes less cost of parted pairs.

    Gains are [cut, node]; pairs and their costs are those of every cut. Where several choices are
    best it is the one of the fewest nodes.
    """
    n_cuts, n_nodes = gain.shape
    cost = np.rint(pair_cost * COST_UNITS).astype(np.int64)
    around = np.bincount(pairs.ravel(), weights=np.repeat(cost, 2), minlength=n_nodes)
    # A node whose gain is above the cost of all its pairs is taken for certain: more is the same.
    whole = np.clip(np.rint(gain * COST_UNITS), -around - 1, around + 1).astype(np.int32)
    at_once = max(1, GRAPH_NODES // n_nodes)
    parts = [
        _cut_blocks(whole[start : start + at_once], pairs, cost.astype(np.int32))
        for start in range(0, n_cuts, at_once)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, n_nodes), dtype=np.bool_)


def _cut_blocks(gain: npt.NDArray[np.int32], pairs: Offsets, cost: npt.NDArray[np.int32]) -> Bools:
    """Cuts side by side in one graph, where they share nothing but source and sink."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    n_cuts, n_nodes = gain.shape
    source, sink = gain.size, gain.size + 1
    flat = gain.ravel()
    (wanted,), (unwanted,) = np.nonzero(flat > 0), np.nonzero(flat < 0)
    shifted = (pairs[None] + n_nodes * np.arange(n_cuts)[:, None, None]).reshape(-1, 2)
    costs = np.tile(cost, n_cuts)
    start = [np.full(len(wanted), source), unwanted, shifted[:, 0], shifted[:, 1]]
    end = [wanted, np.full(len(unwanted), sink), shifted[:, 1], shifted[:, 0]]
    capacity = np.concatenate([flat[wanted], -flat[unwanted], costs, costs])
    shape = (gain.size + 2, gain.size + 2)
    graph = csr_array((capacity, (np.concatenate(start), np.concatenate(end))), shape=shape)
    left = csr_array(graph - maximum_flow(graph, source, sink).flow)
    left.eliminate_zeros()
    taken = np.zeros(gain.size + 2, dtype=np.bool_)
    taken[breadth_first_order(left, source, return_predecessors=False)] = True
    return taken[: gain.size].reshape(gain.shape)


def _likeness_to_seeds(stage: Regions) -> Floats:
    """[seed, region]: how like a seed with the regions around it every region is."""
    n = len(stage)
    group = np.eye(n, dtype=np.bool_)
    first, second = stage.pairs.T
    group[first, second] = group[second, first] = True
    return _likeness(stage, _mixed(stage, group)) * np.where(group, AROUND_SEED, 1.0)


def _mixed(stage: Regions, group: Bools) -> Floats:
    """The histogram of the union of each group, given as [group, region]."""
    sizes = group * stage.size_px
    result: Floats = sizes @ stage.histogram / sizes.sum(axis=1, keepdims=True)
    return result


def _likeness(stage: Regions, histogram: Floats) -> Floats:
    """[row of histogram, region]"""
    return np.stack([np.minimum(row, stage.histogram).sum(axis=1) for row in histogram])


def _corners_around(stage: Regions, taken: Bools) -> Floats:
    low = np.where(taken[..., None], stage.corners[:, :2], np.inf).min(axis=1)
    high = np.where(taken[..., None], stage.corners[:, 2:], -np.inf).max(axis=1)
    return np.hstack([low, high])
