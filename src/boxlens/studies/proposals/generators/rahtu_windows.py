"""Windows to choose from: boxes of one to three superpixels that touch, and draws from a prior."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxlens.studies.proposals.generators.gaussian import Gaussian
from boxlens.studies.proposals.generators.ranked import distinct
from boxlens.studies.proposals.segments import neighbours, segment_boxes

if TYPE_CHECKING:
    from boxlens.data.columns import Boxes, Offsets
    from boxlens.images import Pixels
    from boxlens.studies.proposals.segments import Labels

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
