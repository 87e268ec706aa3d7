"""Rahtu-style: windows of superpixels and of a prior, ranked by their sides. An approximation.

After Rahtu, Kannala and Blaschko, "Learning a category independent object detection cascade" (ICCV
2011). Faithful are the initial windows (one to three superpixels, and draws from a prior), the
features (superpixel borders along the sides, edges around them, symmetry) and that the best windows
are spread. Substituted are the prior (METHODS 7.2), the cascade's learnt ranking (one linear score
with the weights below) and its rule of spreading (suppression at one overlap).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boxlens.data.columns import Boxes, Floats, Offsets
from boxlens.detectors.suppression import suppress
from boxlens.images import Pixels
from boxlens.studies.proposals.edges import Edges, find_edges
from boxlens.studies.proposals.generators.drawn_boxes import Gaussian
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.ranked import Ranked, distinct, identity_of, nothing
from boxlens.studies.proposals.segments import Labels, neighbours, segment, segment_boxes

# Larger pictures get larger superpixels, so that their triplets stay few.
MOST_SUPERPIXELS = 3000
# A superpixel that touches very many others is in a triplet with any two of them: of more groups
# than this, an even share is looked at.
MOST_GROUPS = 30_000
# A border counts on a side that it misses by fewer pixels than this, the less the farther it is.
REACH_PX = 3
# Bands along a side, by how far they are inside, as shares of the window: outside, on, in, deep.
BAND_CUTS = (-1 / 8, -1 / 24, 1 / 24, 1 / 8, 1 / 3)
N_ORIENTATIONS = 4
# The symmetry compares cells of a grid of this many rows and columns.
N_CELLS = 4
FEATURES = (
    "border_mean",
    "border_least",
    "edges_outside",
    "edges_on",
    "edges_in",
    "edges_deep",
    "symmetry",
)


@dataclass(frozen=True, slots=True)
class Rahtu:
    """How fine superpixels are, how many windows are drawn, and what each feature weighs.

    The weights are those of a logistic regression that tells windows with an IoU of at least .6 to
    an object from those below .4, each picture and each side weighing the same, on the boxes of 97
    photographs of LVIS.
    """

    nested: ClassVar[bool] = True

    name: str = "rahtu"
    seed: int = 0
    sigma: float = 0.5
    k: float = 100.0
    min_size_px: int = 100
    n_drawn: int = 5_000
    min_side_px: int = 8
    box_overlap: float = 0.75
    border_mean: float = 0.39
    border_least: float = 3.07
    edges_outside: float = -0.97
    edges_on: float = 2.27
    edges_in: float = 1.5
    edges_deep: float = -0.26
    symmetry: float = -0.47

    def __post_init__(self) -> None:
        contributed("ximgproc")

    @property
    def identity(self) -> str:
        told = "one linear score, Gaussian prior, colour gradients"
        return identity_of(self, versions(), approximation=told)

    @property
    def weights(self) -> Floats:
        """In the order of the features."""
        return np.array([getattr(self, name) for name in FEATURES], dtype=np.float64)

    def propose(self, image: Pixels, limit: int) -> Ranked:
        smallest = max(self.min_size_px, math.ceil(image[..., 0].size / MOST_SUPERPIXELS))
        labels = segment(image, sigma=self.sigma, k=self.k, min_size=smallest)
        windows = initial_windows(
            image, labels, n_drawn=self.n_drawn, seed=self.seed, min_side_px=self.min_side_px
        )
        if len(windows) == 0:
            return nothing()
        scores = window_features(windows, labels, find_edges(image)) @ self.weights
        best = suppress(windows, scores, iou=self.box_overlap, limit=limit)
        return windows[best], scores[best]


def initial_windows(
    image: Pixels, labels: Labels, *, n_drawn: int, seed: int, min_side_px: int
) -> Boxes:
    """Distinct windows in whole pixels, none narrower than `min_side_px`."""
    drawn, _ = Gaussian(seed=seed).propose(image, n_drawn)
    boxes = distinct(np.concatenate([superpixel_windows(labels), drawn]))
    wide: Boxes = boxes[boxes[:, 2:].min(axis=1) >= min_side_px]
    return wide


def superpixel_windows(labels: Labels) -> Boxes:
    """Boxes around superpixels, then around pairs, then around triplets."""
    single = segment_boxes(labels)
    pairs, _ = neighbours(labels)
    triplets = connected_triplets(pairs, len(single))
    return np.concatenate([single, _around(single, pairs), _around(single, triplets)])


def connected_triplets(pairs: Offsets, n: int) -> Offsets:
    """Three superpixels, of which one touches both others; each triplet once."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    start = np.searchsorted(both[:, 0], np.arange(n + 1))
    # Every neighbour is joined with those that come after it around the same superpixel.
    place = np.arange(len(both))
    n_after = start[both[:, 0] + 1] - place - 1
    first = np.repeat(place, n_after)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(n_after) - n_after, n_after)
    found = np.column_stack([both[first, 0], both[first, 1], both[second, 1]])
    found.sort(axis=1)
    # One number a triplet sorts faster than three.
    key = np.unique((found[:, 0] * n + found[:, 1]) * n + found[:, 2])
    return np.column_stack([key // (n * n), key // n % n, key % n])


def _around(boxes: Boxes, groups: Offsets) -> Boxes:
    """One box around each group of boxes."""
    shown = groups[:: -(-len(groups) // MOST_GROUPS) or 1]
    low = boxes[shown, :2].min(axis=1)
    high = (boxes[:, :2] + boxes[:, 2:])[shown].max(axis=1)
    return np.hstack([low, high - low])


@dataclass(frozen=True, slots=True)
class _Corners:
    """Whole-pixel sides of windows, one value per window."""

    left: Offsets
    top: Offsets
    right: Offsets
    bottom: Offsets

    @classmethod
    def of(cls, boxes: Boxes) -> _Corners:
        x, y, w, h = boxes.astype(np.int64).T
        return cls(x, y, x + w, y + h)


def window_features(boxes: Boxes, labels: Labels, edges: Edges) -> Floats:
    """One row per window (x, y, w, h in whole pixels, inside the picture), columns as FEATURES."""
    border = border_sides(boxes, labels)
    bands = edge_bands(boxes, edges)
    return np.column_stack([border.mean(axis=1), border.min(axis=1), bands, symmetry(boxes, edges)])


def border_sides(boxes: Boxes, labels: Labels) -> Floats:
    """The share of each side (left, top, right, bottom) that lies on borders of superpixels."""
    at = _Corners.of(boxes)
    # Lines between columns and between rows, the frame of the picture included.
    beside, below = _near_borders(labels.T), _near_borders(labels)
    along_y, along_x = (
        np.pad(np.cumsum(near, axis=1), ((0, 0), (1, 0))) for near in (beside, below)
    )
    width, height = boxes[:, 2], boxes[:, 3]
    return np.column_stack(
        [
            (along_y[at.left, at.bottom] - along_y[at.left, at.top]) / height,
            (along_x[at.top, at.right] - along_x[at.top, at.left]) / width,
            (along_y[at.right, at.bottom] - along_y[at.right, at.top]) / height,
            (along_x[at.bottom, at.right] - along_x[at.bottom, at.left]) / width,
        ]
    )


def _near_borders(labels: Labels) -> Floats:
    """For each line between rows, and each pixel along it: 1 on a border, less beside one."""
    n_rows, n_columns = labels.shape
    border = np.ones((n_rows + 1, n_columns))
    border[1:-1] = labels[1:] != labels[:-1]
    near = border.copy()
    for away in range(1, min(REACH_PX, n_rows + 1)):
        fainter = border * (1 - away / REACH_PX)
        np.maximum(near[away:], fainter[:-away], out=near[away:])
        np.maximum(near[:-away], fainter[away:], out=near[:-away])
    return near


def edge_bands(boxes: Boxes, edges: Edges) -> Floats:
    """Edges that run along the sides, per pixel of side, in each band; mean of the four sides."""
    across_x = integral(edges.strength * np.cos(edges.normal) ** 2)
    across_y = integral(edges.strength * np.sin(edges.normal) ** 2)
    at = _Corners.of(boxes)
    cut = np.multiply.outer(np.array(BAND_CUTS), boxes[:, 2:])
    x_in, y_in = np.round(cut[..., 0]).astype(np.int64), np.round(cut[..., 1]).astype(np.int64)
    columns = []
    for near, far in zip(range(len(BAND_CUTS) - 1), range(1, len(BAND_CUTS)), strict=True):
        x_sum = rectangle_sums(
            across_x, at.left + x_in[near], at.top, at.left + x_in[far], at.bottom
        )
        x_sum += rectangle_sums(
            across_x, at.right - x_in[far], at.top, at.right - x_in[near], at.bottom
        )
        y_sum = rectangle_sums(across_y, at.left, at.top + y_in[near], at.right, at.top + y_in[far])
        y_sum += rectangle_sums(
            across_y, at.left, at.bottom - y_in[far], at.right, at.bottom - y_in[near]
        )
        columns.append((x_sum / boxes[:, 3] + y_sum / boxes[:, 2]) / 4)
    return np.column_stack(columns)


def symmetry(boxes: Boxes, edges: Edges) -> Floats:
    """The share of edges that have a counterpart, turned over, in the other half; 0 without edges.

    Left and right halves are compared cell by cell and orientation by orientation.
    """
    at = _Corners.of(boxes)
    step = np.arange(N_CELLS + 1)[:, None] / N_CELLS
    x = np.round(at.left + step * boxes[:, 2]).astype(np.int64)
    y = np.round(at.top + step * boxes[:, 3]).astype(np.int64)
    # Normals are in [0, pi): bin b is around b * pi / 4, and its mirror image around -b * pi / 4.
    bins = np.round(edges.normal * (N_ORIENTATIONS / np.pi)).astype(np.int64) % N_ORIENTATIONS
    cells = np.empty((N_ORIENTATIONS, N_CELLS, N_CELLS, len(boxes)))
    for orientation in range(N_ORIENTATIONS):
        table = integral(edges.strength * (bins == orientation))
        corners = table[y[:, None], x[None]]
        cells[orientation] = np.diff(np.diff(corners, axis=0), axis=1)
    turned = cells[-np.arange(N_ORIENTATIONS) % N_ORIENTATIONS, :, ::-1]
    total = cells.sum(axis=(0, 1, 2))
    common = np.minimum(cells, turned).sum(axis=(0, 1, 2))
    share: Floats = np.divide(common, total, out=np.zeros_like(total), where=total > 0)
    return share


def integral(values: Floats) -> Floats:
    """Sums over all rectangles from the top left corner, with a row and a column of zeros."""
    rows = np.cumsum(values, axis=0, dtype=np.float64)
    return np.pad(np.cumsum(rows, axis=1), ((1, 0), (1, 0)))


def rectangle_sums(
    table: Floats, left: Offsets, top: Offsets, right: Offsets, bottom: Offsets
) -> Floats:
    """Sums over rectangles, as far as they lie in the picture."""
    height, width = table.shape[0] - 1, table.shape[1] - 1
    left, right = np.clip(left, 0, width), np.clip(right, 0, width)
    top, bottom = np.clip(top, 0, height), np.clip(bottom, 0, height)
    sums: Floats = table[bottom, right] - table[top, right] - table[bottom, left] + table[top, left]
    return sums
