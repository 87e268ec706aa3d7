"""Geodesic-style: regions around seeds, cut where they grow slowly. An approximation.

After Krahenbuhl and Koltun, "Geodesic Object Proposals" (ECCV 2014). Faithful are the graph of
superpixels, seeds placed far from one another, signed geodesic distances and their critical levels.
Substituted are what the authors learn: boundaries are gradients and colour differences, seeds come
from the heuristic that they compare with, and the background is the frame or none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Boxes, Floats, Offsets
from boxlens.detectors.suppression import suppress
from boxlens.images import Pixels
from boxlens.studies.proposals.edges import Map, find_edges
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.ranked import Ranked, identity_of, nothing, ranked
from boxlens.studies.proposals.segments import Labels, in_colours, segment, segment_boxes

# Distances between all superpixels are kept: larger pictures get larger superpixels.
MOST_SUPERPIXELS = 3000
# Colours this far apart in L*a*b* are as different as can be.
FAR_COLOURS = 50.0
# An edge may lie this many pixels beside the border of two superpixels.
EDGE_REACH_PX = 1
# A large region has many neighbours, so its next step is short: gaps count by this power of area.
AREA_POWER = 0.15
# A region that covers more of the picture is the picture.
LARGEST_SHARE = 0.98


@dataclass(frozen=True, slots=True)
class Geodesic:
    """How fine superpixels are, what a step costs, how many seeds and levels, what is too alike."""

    nested: ClassVar[bool] = True

    name: str = "geodesic"
    sigma: float = 0.5
    k: float = 40.0
    min_size_px: int = 100
    # A step between superpixels: by the edge along their border, their colours, and at least this.
    edge_weight: float = 0.5
    colour_weight: float = 1.0
    step: float = 0.01
    n_seeds: int = 300
    n_levels: int = 5
    # Levels around one seed, and boxes of all seeds, that overlap more are one.
    level_overlap: float = 0.7
    box_overlap: float = 0.9
    min_side_px: int = 8

    def __post_init__(self) -> None:
        contributed("ximgproc")

    @property
    def identity(self) -> str:
        told = "heuristic seeds, colour gradients"
        return identity_of(self, versions(), approximation=told)

    def propose(self, image: Pixels, limit: int) -> Ranked:
        graph = superpixel_graph(image, self)
        if len(graph) < 2:
            return nothing()
        distance = all_distances(graph)
        seeds = place_seeds(distance, self.n_seeds)
        signed = signed_distances(distance, seeds, graph.at_frame)
        levels = critical_levels(
            signed.reshape(-1, len(graph)), graph, self.n_levels, self.level_overlap
        )
        place = _places(len(signed), len(seeds), self.n_levels)
        return self._ranked(levels, place, limit)

    def _ranked(self, levels: Levels, place: Floats, limit: int) -> Ranked:
        shown = levels.exists.ravel() & (
            levels.box[..., 2:].min(axis=-1).ravel() >= self.min_side_px
        )
        boxes, place = levels.box.reshape(-1, 4)[shown], place[shown]
        if len(boxes) == 0:
            return nothing()
        return ranked(boxes[suppress(boxes, -place, iou=self.box_overlap, limit=limit)], limit)


def _places(n_backgrounds: int, n_seeds: int, n_levels: int) -> Floats:
    """Where each level stands in the order: seed times level, both counted from 1.

    So the clearest level of a late seed comes beside the faintest of an early one, and few
    proposals are spread over the picture already.
    """
    background, seed, level = np.indices((n_backgrounds, n_seeds, n_levels))
    places: Floats = (seed + 1.0) * (level * n_backgrounds + background + 1.0)
    return places.ravel()


@dataclass(frozen=True, slots=True)
class SuperpixelGraph:
    """Superpixels with box and area; pairs that touch, with the cost of a step between them."""

    box: Boxes
    area: Floats
    pairs: Offsets
    cost: Floats
    # Superpixels at the frame of the picture.
    at_frame: Offsets

    def __len__(self) -> int:
        return len(self.area)


def superpixel_graph(image: Pixels, of: Geodesic) -> SuperpixelGraph:
    """A step costs `step`, more across an edge and more between different colours."""
    smallest = max(of.min_size_px, math.ceil(image.shape[0] * image.shape[1] / MOST_SUPERPIXELS))
    labels = segment(in_colours(image, "lab"), sigma=of.sigma, k=of.k, min_size=smallest)
    area = np.bincount(labels.ravel()).astype(np.float64)
    pairs, edge = border_strength(labels, find_edges(image).strength)
    colour = _mean_colours(image, labels, area)
    apart = np.linalg.norm(colour[pairs[:, 0]] - colour[pairs[:, 1]], axis=1)
    far = np.minimum(apart / FAR_COLOURS, 1)
    cost = of.step + of.edge_weight * edge + of.colour_weight * far
    frame = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    return SuperpixelGraph(
        segment_boxes(labels), area, pairs, cost, np.unique(frame).astype(np.int64)
    )


def border_strength(labels: Labels, strength: Map) -> tuple[Offsets, Floats]:
    """Pairs (a < b) of labels that touch, and the mean strength of edges along their border."""
    import cv2

    side = 2 * EDGE_REACH_PX + 1
    near = cv2.dilate(strength, np.ones((side, side), dtype=np.uint8)).astype(np.float64)
    n = int(labels.max()) + 1
    keys: list[npt.NDArray[np.int64]] = []
    values: list[Floats] = []
    for here, there in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:])):
        apart = labels[here] != labels[there]
        one, other = labels[here][apart].astype(np.int64), labels[there][apart]
        keys.append(np.minimum(one, other) * n + np.maximum(one, other))
        values.append((near[here][apart] + near[there][apart]) / 2)
    found, pair_of = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.bincount(pair_of, weights=np.concatenate(values), minlength=len(found))
    mean = total / np.bincount(pair_of, minlength=len(found))
    return np.stack([found // n, found % n], axis=1), mean


def _mean_colours(image: Pixels, labels: Labels, area: Floats) -> Floats:
    import cv2

    colours = cv2.cvtColor(image.astype(np.float32) / np.float32(255), cv2.COLOR_RGB2LAB)
    flat = labels.ravel()
    means = [np.bincount(flat, weights=colours[..., c].ravel()) / area for c in range(3)]
    return np.stack(means, axis=1)


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


@dataclass(frozen=True, slots=True)
class Levels:
    """Boxes of regions [seed, level], the clearest first; some seeds have fewer levels."""

    box: Boxes
    exists: Bools


def critical_levels(signed: Floats, graph: SuperpixelGraph, n: int, overlap: float) -> Levels:
    """Level sets of signed distances [seed, superpixel] whose growth is slow.

    A region holds every superpixel up to a distance; it is clear when the next distance is far off.
    Of regions around one seed that overlap (IoU) more than `overlap`, the clearest stays.
    """
    order = np.argsort(signed, axis=1, kind="stable")
    area = np.cumsum(graph.area[order], axis=1)
    low = np.minimum.accumulate(graph.box[order, :2], axis=1)
    high = np.maximum.accumulate((graph.box[:, :2] + graph.box[:, 2:])[order], axis=1)
    clear = _clearness(np.take_along_axis(signed, order, axis=1), area)
    row = np.arange(len(signed))
    boxes, exists = np.zeros((len(row), n, 4)), np.zeros((len(row), n), dtype=np.bool_)
    for level in range(n):
        best = clear.argmax(axis=1)
        exists[:, level] = clear[row, best] > 0
        boxes[:, level, :2] = low[row, best]
        boxes[:, level, 2:] = high[row, best] - low[row, best]
        # Regions around one seed are nested: their overlap is the quotient of their areas.
        ratio = area / area[row, best][:, None]
        clear[np.minimum(ratio, 1 / ratio) > overlap] = 0
    return Levels(boxes, exists)


def _clearness(sorted_distance: Floats, area: Floats) -> Floats:
    """The gap after each superpixel in order; none after the last."""
    gap = np.diff(sorted_distance, axis=1, append=sorted_distance[:, -1:])
    small = area <= LARGEST_SHARE * area[:, -1:]
    clear: Floats = gap * area**AREA_POWER * small
    return clear
