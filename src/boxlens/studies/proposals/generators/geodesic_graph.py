"""Superpixels as a graph: what it costs to step from one to the next, from edges and colours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.studies.proposals.edges import find_edges
from boxlens.studies.proposals.segments import in_colours, segment, segment_boxes

if TYPE_CHECKING:
    import numpy.typing as npt

    from boxlens.data.columns import Boxes, Floats, Offsets
    from boxlens.images import Pixels
    from boxlens.studies.proposals.edges import Map
    from boxlens.studies.proposals.segments import Labels

# Distances between all superpixels are kept: larger pictures get larger superpixels.
MOST_SUPERPIXELS = 3000
# Colours this far apart in L*a*b* are as different as can be.
FAR_COLOURS = 50.0
# An edge may lie this many pixels beside the border of two superpixels.
EDGE_REACH_PX = 1


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


def superpixel_graph(
    image: Pixels,
    *,
    sigma: float,
    k: float,
    min_size_px: int,
    edge_weight: float,
    colour_weight: float,
    step: float,
) -> SuperpixelGraph:
    """A step costs `step`, more across an edge and more between different colours."""
    smallest = max(min_size_px, math.ceil(image.shape[0] * image.shape[1] / MOST_SUPERPIXELS))
    labels = segment(in_colours(image, "lab"), sigma=sigma, k=k, min_size=smallest)
    area = np.bincount(labels.ravel()).astype(np.float64)
    pairs, edge = border_strength(labels, find_edges(image).strength)
    colour = _mean_colours(image, labels, area)
    apart = np.linalg.norm(colour[pairs[:, 0]] - colour[pairs[:, 1]], axis=1)
    cost = step + edge_weight * edge + colour_weight * np.minimum(apart / FAR_COLOURS, 1)
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
