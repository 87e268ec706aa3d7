"""RandomizedPrim's: boxes of random trees over superpixels that look like one object.

Faithful to Manen, Guillaumin and Van Gool (ICCV 2013) are the four segmentations, the three
features of neighbours and their logistic, the drawing of trees and their two stopping terms, and
the order: as drawn, the colour spaces taking turns. Substituted are the learnt numbers (ours, from
boxes), segmentation and colours (OpenCV's), and the number of trees: as many are drawn as it takes
to have the boxes asked for, each of them once.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, cycle
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Boxes, Floats
from boxlens.images import Pixels
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.randomized_prim_tables import PrimTables, shipped_tables
from boxlens.studies.proposals.generators.ranked import Ranked, identity_of, key_of, ranked
from boxlens.studies.proposals.segments import (
    SUPERPIXEL_SPACES,
    Labels,
    check_segmentation,
    in_colours,
    neighbours,
    segment,
    segment_boxes,
)

# Drawing ends where new boxes have become rare: so many trees, and so many for each box found.
# The rule looks at what was drawn alone, so that fewer boxes are the first of more.
FREE_TREES = 400
TREES_A_BOX = 4
# Of a colour histogram, for each channel: 16 x 16 x 16 together.
BINS = 16
# A superpixel that is reached, and how alike it is to the one it is reached from.
Edge = tuple[int, float]
# Left, top, right, bottom.
Corners = tuple[float, float, float, float]
# Lots drawn for one edge before all edges are looked at.
_TRIES = 64
_UNIFORMS_AT_A_TIME = 4_096


@dataclass(frozen=True, slots=True)
class RandomizedPrim:
    """Blur before the segmentation, its coarseness, the fewest pixels of a piece; learnt tables."""

    nested: ClassVar[bool] = True

    name: str = "randomized-prim"
    seed: int = 0
    sigma: float = 0.8
    k: float = 100.0
    min_size_px: int = 100
    tables: PrimTables = field(default_factory=shipped_tables)

    def __post_init__(self) -> None:
        contributed("ximgproc")
        check_segmentation(sigma=self.sigma, k=self.k, min_size=self.min_size_px)

    @property
    def identity(self) -> str:
        return f"{identity_of(self, versions())}; tables={self.tables.digest}"

    def propose(self, image: Pixels, limit: int) -> Ranked:
        picture = key_of(image)
        size_stop = self.tables.size_stop()
        graphs = superpixel_graphs(image, sigma=self.sigma, k=self.k, min_size_px=self.min_size_px)
        trees = [
            tree_boxes(
                graph,
                self.tables.similarity(graph.features),
                size_stop,
                np.random.default_rng([self.seed, picture, number]),
            )
            for number, graph in enumerate(graphs)
        ]
        found: dict[tuple[float, float, float, float], None] = {}
        for n_drawn, source in enumerate(cycle(trees)):
            if len(found) >= limit or n_drawn >= FREE_TREES + TREES_A_BOX * len(found):
                break
            found[next(source)] = None
        corners = np.array(list(found), dtype=np.float64).reshape(-1, 4)
        return ranked(np.hstack([corners[:, :2], corners[:, 2:] - corners[:, :2]]), limit)


class SuperpixelGraph(NamedTuple):
    """One row per superpixel; one row per pair (a < b) of superpixels that touch."""

    # Which superpixel each pixel is of.
    labels: Labels
    box: Boxes
    # Fraction of the picture.
    area: Floats
    pair: npt.NDArray[np.int64]
    # For each pair, each from 0 to 1: common colours, common border, smallness.
    features: Floats


def superpixel_graphs(
    image: Pixels, *, sigma: float = 0.8, k: float = 100.0, min_size_px: int = 100
) -> Iterator[SuperpixelGraph]:
    """One graph a colour space."""
    lab = in_colours(image, "lab")
    for space in SUPERPIXEL_SPACES:
        colours = in_colours(image, space)
        yield superpixel_graph(segment(colours, sigma=sigma, k=k, min_size=min_size_px), lab)


def superpixel_graph(labels: Labels, lab: Pixels) -> SuperpixelGraph:
    """The graph of a segmentation; colours are compared in Lab, wherever the labels come from."""
    pair, border = neighbours(labels)
    area = np.bincount(labels.ravel()) / labels.size
    first, second = pair.T
    shorter = np.minimum(*_perimeters(labels, pair, border)[pair.T])
    features = np.column_stack(
        [_common_colours(labels, lab, pair), border / shorter, 1 - area[first] - area[second]]
    )
    return SuperpixelGraph(labels, segment_boxes(labels), area, pair, features)


def _perimeters(
    labels: Labels, pair: npt.NDArray[np.int64], border: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Pixel sides around each superpixel, those at the end of the picture included."""
    ends = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    perimeter = np.bincount(ends, minlength=int(labels.max()) + 1)
    for side in pair.T:
        np.add.at(perimeter, side, border)
    return perimeter


def _common_colours(labels: Labels, lab: Pixels, pair: npt.NDArray[np.int64]) -> Floats:
    """How much two normalized colour histograms have in common."""
    from scipy.sparse import csr_array

    binned = lab // (256 // BINS)
    colour = (binned[..., 0].astype(np.int64) * BINS + binned[..., 1]) * BINS + binned[..., 2]
    flat = labels.ravel()
    weight = 1 / np.bincount(flat)
    shape = (len(weight), BINS**3)
    # Equal places are added up: few of the 4,096 colours occur in a superpixel.
    histogram = csr_array((weight[flat], (flat, colour.ravel())), shape=shape)
    common = histogram[pair[:, 0]].minimum(histogram[pair[:, 1]])
    return np.asarray(common.sum(axis=1), dtype=np.float64).reshape(-1)


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
