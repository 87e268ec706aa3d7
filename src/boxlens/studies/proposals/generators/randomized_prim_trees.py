"""Random partial trees over a graph of superpixels: Prim's algorithm, with edges drawn by lot."""

from __future__ import annotations

from bisect import bisect
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np

    from boxlens.data.columns import Floats
    from boxlens.studies.proposals.generators.randomized_prim_graph import SuperpixelGraph

# A superpixel that is reached, and how alike it is to the one it is reached from.
Edge = tuple[int, float]
# Left, top, right, bottom.
Corners = tuple[float, float, float, float]
# Lots drawn for one edge before all edges are looked at.
_TRIES = 64
_UNIFORMS_AT_A_TIME = 4_096


def tree_boxes(
    graph: SuperpixelGraph,
    similarity: Floats,
    size_stop: Sequence[float],
    chance: np.random.Generator,
) -> Iterator[Corners]:
    """Boxes of trees, without end; `similarity` is of pairs, above 0 and at most 1.

    A tree begins at any superpixel. An edge that leads out of it is drawn by similarity; the tree
    stops there if the edge's dissimilarity and the size term exceed its luck, drawn once for each
    tree from 0 to 2. `size_stop` holds the size term for equal steps of area from 0 to 1.
    """
    n = len(graph.area)
    edges = _edges(graph, similarity)
    most = float(similarity.max(initial=0))
    steps = ((len(size_stop) - 1) * graph.area).tolist()
    left, top = graph.box[:, :2].T.tolist()
    right, bottom = (graph.box[:, :2] + graph.box[:, 2:]).T.tolist()
    draw = _uniforms(chance).__next__
    while True:
        start = int(draw() * n)
        inside = {start}
        leading_out = list(edges[start])
        step = steps[start]
        luck = 2 * draw()
        while len(inside) < n:
            reached, alike = _drawn_edge(leading_out, inside, most, draw)
            if size_stop[int(step + 0.5)] + 1 - alike > luck:
                break
            inside.add(reached)
            leading_out += edges[reached]
            step += steps[reached]
        yield (
            min(map(left.__getitem__, inside)),
            min(map(top.__getitem__, inside)),
            max(map(right.__getitem__, inside)),
            max(map(bottom.__getitem__, inside)),
        )


def _edges(graph: SuperpixelGraph, similarity: Floats) -> list[list[Edge]]:
    edges: list[list[Edge]] = [[] for _ in graph.area]
    for (one, other), alike in zip(graph.pair.tolist(), similarity.tolist(), strict=True):
        edges[one].append((other, alike))
        edges[other].append((one, alike))
    return edges


def _uniforms(chance: np.random.Generator) -> Iterator[float]:
    while True:
        yield from chance.random(_UNIFORMS_AT_A_TIME).tolist()


def _drawn_edge(
    leading_out: list[Edge], inside: set[int], most: float, draw: Callable[[], float]
) -> Edge:
    """An edge that leads out, with a chance in proportion to its similarity.

    Any edge is picked and kept with a chance of similarity / `most`: the time that this takes does
    not depend on the size of the tree. Edges that lead out no more are cast out when picked.
    """
    for _ in range(_TRIES):
        # One number picks by its whole part and decides by the rest.
        place = draw() * len(leading_out)
        row = int(place)
        edge = leading_out[row]
        if edge[0] in inside:
            leading_out[row] = leading_out[-1]
            leading_out.pop()
        elif (place - row) * most < edge[1]:
            return edge
    leading_out[:] = [edge for edge in leading_out if edge[0] not in inside]
    sums = list(accumulate(alike for _, alike in leading_out))
    return leading_out[min(bisect(sums, draw() * sums[-1]), len(sums) - 1)]
