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
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from boxlens.detectors.suppression import suppress
from boxlens.studies.proposals.edges import find_edges
from boxlens.studies.proposals.generators.drawn_boxes import Gaussian
from boxlens.studies.proposals.generators.opencv import contributed, versions
from boxlens.studies.proposals.generators.rahtu_features import FEATURES, window_features
from boxlens.studies.proposals.generators.ranked import distinct, identity_of, nothing
from boxlens.studies.proposals.segments import neighbours, segment, segment_boxes

if TYPE_CHECKING:
    from boxlens.data.columns import Boxes, Floats, Offsets
    from boxlens.images import Pixels
    from boxlens.studies.proposals.generators.ranked import Ranked
    from boxlens.studies.proposals.segments import Labels

# Larger pictures get larger superpixels, so that their triplets stay few.
MOST_SUPERPIXELS = 3000


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


# A superpixel that touches very many others is in a triplet with any two of them: of more groups
# than this, an even share is looked at.
MOST_GROUPS = 30_000


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
