"""Geodesic distances between superpixels, and seeds that lie far from one another by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from boxlens.data.columns import Floats, Offsets
    from boxlens.studies.proposals.generators.geodesic_graph import SuperpixelGraph


def all_distances(graph: SuperpixelGraph) -> Floats:
    """The cheapest way between any two superpixels, [from, to]."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    n = len(graph)
    steps = coo_array((graph.cost, (graph.pairs[:, 0], graph.pairs[:, 1])), shape=(n, n))
    distance: Floats = dijkstra(steps.tocsr(), directed=False)
    return distance


def place_seeds(distance: Floats, n: int) -> Offsets:
    """First the superpixel that is nearest to all others, then always the farthest from all seeds.

    A picture with fewer superpixels has as many seeds.
    """
    seeds = [int(distance.mean(axis=1).argmin())]
    to_seeds = distance[seeds[0]].copy()
    for _ in range(min(n, len(distance)) - 1):
        farthest = int(to_seeds.argmax())
        seeds.append(farthest)
        np.minimum(to_seeds, distance[farthest], out=to_seeds)
    return np.array(seeds, dtype=np.int64)


def signed_distances(distance: Floats, seeds: Offsets, at_frame: Offsets) -> Floats:
    """How much nearer the background is than the seed, [background, seed, superpixel].

    The first background is empty: these are plain distances. The second is the frame of the
    picture.
    """
    from_seeds = distance[seeds]
    return np.stack([from_seeds, from_seeds - distance[at_frame].min(axis=0)])
