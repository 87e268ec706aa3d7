"""Local search: the most similar neighbours become one region, until the picture is one."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.studies.proposals.generators.rantalankila_regions import Regions

if TYPE_CHECKING:
    from boxlens.data.columns import Floats, Offsets


@dataclass(frozen=True, slots=True)
class Merging:
    """Regions of a segmentation and, in the rows below them, the unions in order of merging."""

    regions: Regions
    # The two rows that each union was made of.
    parts: Offsets
    # How alike they were.
    similarity: Floats

    @property
    def n_leaves(self) -> int:
        return len(self.regions) - len(self.parts)

    def stage(self, n_merged: int) -> Regions:
        """The regions that are there after some merges, and which of them touch."""
        n = self.n_leaves + n_merged
        root = np.arange(n)
        for union in range(n - 1, self.n_leaves - 1, -1):
            root[self.parts[union - self.n_leaves]] = root[union]
        rows, renumbered = np.unique(root, return_inverse=True)
        pairs = np.sort(renumbered[self.regions.pairs], axis=1)
        all_regions = self.regions
        return Regions(
            size_px=all_regions.size_px[rows],
            corners=all_regions.corners[rows],
            histogram=all_regions.histogram[rows],
            touches=all_regions.touches[rows],
            pairs=np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0),
        )


def merge_regions(leaves: Regions, *, size_weight: float) -> Merging:
    """Greedy: always the two most alike; among equals those that came first.

    Alike are regions of like histograms, and small ones: `size_weight` against 1 of both
    histograms together.
    """
    growing = _Growing(leaves, size_weight)
    near = growing.near
    first, second = leaves.pairs.T
    heap = list(
        zip(
            (-growing.similarity(first, second)).tolist(),
            first.tolist(),
            second.tolist(),
            strict=True,
        )
    )
    heapq.heapify(heap)
    parts, similarity = [], []
    while heap:
        unlike, a, b = heapq.heappop(heap)
        # Pairs of regions that are gone stay in the heap until they come up.
        if a not in near or b not in near:
            continue
        parts.append((a, b))
        similarity.append(-unlike)
        union = growing.join(a, b)
        around = sorted(near[union])
        if around:
            alike = growing.similarity(np.full(len(around), union), np.array(around))
            for other, value in zip(around, alike.tolist(), strict=True):
                heapq.heappush(heap, (-value, other, union))
    return growing.merging(parts, similarity)


class _Growing:
    """Columns with room for all unions, and who touches whom now."""

    def __init__(self, leaves: Regions, size_weight: float) -> None:
        n = len(leaves)
        self.pairs, self.size_weight, self.n = leaves.pairs, size_weight, n
        self.total_px = float(leaves.size_px.sum())
        self.size, self.corners, self.histogram, self.touches = (
            np.concatenate([column, np.zeros((n - 1, *column.shape[1:]), column.dtype)])
            for column in (leaves.size_px, leaves.corners, leaves.histogram, leaves.touches)
        )
        self.near: dict[int, set[int]] = {row: set() for row in range(n)}
        for a, b in leaves.pairs.tolist():
            self.near[a].add(b)
            self.near[b].add(a)

    def similarity(self, a: Offsets, b: Offsets) -> Floats:
        alike = np.minimum(self.histogram[a], self.histogram[b]).sum(axis=1)
        small = 1 - (self.size[a] + self.size[b]) / self.total_px
        result: Floats = (alike + self.size_weight * small) / (1 + self.size_weight)
        return result

    def join(self, a: int, b: int) -> int:
        """The row of the union; a and b are gone."""
        union, self.n = self.n, self.n + 1
        size_a, size_b = self.size[a], self.size[b]
        self.size[union] = size_a + size_b
        mixed = self.histogram[a] * size_a + self.histogram[b] * size_b
        self.histogram[union] = mixed / self.size[union]
        self.corners[union, :2] = np.minimum(self.corners[a, :2], self.corners[b, :2])
        self.corners[union, 2:] = np.maximum(self.corners[a, 2:], self.corners[b, 2:])
        self.touches[union] = self.touches[a] | self.touches[b]
        around = (self.near.pop(a) | self.near.pop(b)) - {a, b}
        for other in around:
            self.near[other] -= {a, b}
            self.near[other].add(union)
        self.near[union] = around
        return union

    def merging(self, parts: list[tuple[int, int]], similarity: list[float]) -> Merging:
        regions = Regions(self.size, self.corners, self.histogram, self.touches, self.pairs)
        return Merging(
            regions,
            np.array(parts, dtype=np.int64).reshape(-1, 2),
            np.array(similarity, dtype=np.float64),
        )
