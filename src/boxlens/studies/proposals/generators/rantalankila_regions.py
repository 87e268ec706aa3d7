"""Regions of a picture as Rantalankila's search sees them, and how they merge.

Histograms are shares of a region's pixels, so that those of a union are means weighted by size.
Substituted are the published dictionaries, of 150 colours and of 500 SIFT words learnt from other
pictures: here colours are cells of a fixed grid, and a texture word is the direction and the
strength of the gradient, fine and coarse.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from boxlens.studies.proposals.segments import neighbours, segment_boxes

if TYPE_CHECKING:
    from boxlens.data.columns import Bools, Floats, Offsets
    from boxlens.images import Pixels
    from boxlens.studies.proposals.segments import Labels

Words = npt.NDArray[np.int64]

COLOUR_LEVELS = 8
DIRECTIONS = 8
# Gradients of a grey from 0 to 255, per pixel: below the first there is no direction to tell.
STRENGTHS = (2.0, 8.0, 24.0)
# Blur before the gradients, in pixels.
TEXTURE_SIGMAS = (1.0, 3.0)


@dataclass(frozen=True, slots=True)
class Regions:
    """One row a region; every histogram adds up to 1."""

    size_px: Floats
    # Left, top, right, bottom.
    corners: Floats
    # Colours and texture, each half of the row: the sum of least values of two rows is in 0..1.
    histogram: Floats
    # Left, top, right, bottom of the picture.
    touches: Bools
    # Rows a < b that share a border.
    pairs: Offsets

    def __len__(self) -> int:
        return len(self.size_px)


def find_regions(labels: Labels, words: list[tuple[Words, int]]) -> Regions:
    """The regions of a segmentation of the picture that the words are from."""
    n = int(labels.max()) + 1
    size = np.bincount(labels.ravel(), minlength=n).astype(np.float64)
    boxes = segment_boxes(labels)
    corners = np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
    height, width = labels.shape
    colour, *textures = (_histogram(labels, size, *column) for column in words)
    return Regions(
        size_px=size,
        corners=corners,
        histogram=np.hstack([colour, *(part / len(textures) for part in textures)]) / 2,
        touches=corners == np.array([0, 0, width, height]),
        pairs=neighbours(labels)[0],
    )


def find_words(image: Pixels) -> list[tuple[Words, int]]:
    """Colour and texture words of every pixel, and how many words there are; in this order."""
    import cv2

    level = cv2.cvtColor(image, cv2.COLOR_RGB2LAB).astype(np.int64) * COLOUR_LEVELS // 256
    colour = (level[..., 0] * COLOUR_LEVELS + level[..., 1]) * COLOUR_LEVELS + level[..., 2]
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.float32)
    n_textures = 1 + DIRECTIONS * len(STRENGTHS)
    return [(colour.ravel(), COLOUR_LEVELS**3)] + [
        (_gradient_words(grey, sigma), n_textures) for sigma in TEXTURE_SIGMAS
    ]


def _gradient_words(grey: npt.NDArray[np.float32], sigma: float) -> Words:
    """0 where there is hardly a gradient after the blur, else its direction and strength."""
    import cv2

    smooth = cv2.GaussianBlur(grey, (0, 0), sigma)
    # Scharr's weights add up to 32.
    across, down = (
        cv2.Scharr(smooth, cv2.CV_32F, 1, 0) / 32,
        cv2.Scharr(smooth, cv2.CV_32F, 0, 1) / 32,
    )
    strength = np.digitize(np.hypot(across, down), STRENGTHS)
    turn = np.arctan2(down, across) / (2 * np.pi) + 0.5
    direction = np.minimum((turn * DIRECTIONS).astype(np.int64), DIRECTIONS - 1)
    words = np.where(strength > 0, (strength - 1) * DIRECTIONS + direction + 1, 0)
    return words.ravel().astype(np.int64)


def _histogram(labels: Labels, size: Floats, words: Words, n_words: int) -> Floats:
    n = len(size)
    counts = np.bincount(labels.ravel() * np.int64(n_words) + words, minlength=n * n_words)
    return counts.reshape(n, n_words) / size[:, None]


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
