"""Regions of a picture as Rantalankila's search sees them, and how they merge.

Histograms are shares of a region's pixels, so that those of a union are means weighted by size.
Substituted are the published dictionaries, of 150 colours and of 500 SIFT words learnt from other
pictures: here colours are cells of a fixed grid, and a texture word is the direction and the
strength of the gradient, fine and coarse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Floats, Offsets
from boxlens.images import Pixels
from boxlens.studies.proposals.segments import (
    Labels,
    RowOrRows,
    merge_most_alike,
    neighbours,
    segment_boxes,
)

Words = npt.NDArray[np.int64]

COLOUR_LEVELS = 8
DIRECTIONS = 8
# Gradients of a grey from 0 to 255, per pixel: below the first there is no direction to tell.
STRENGTHS = (2.0, 8.0, 24.0)
# Blur before the gradients, in pixels.
TEXTURE_SIGMAS = (1.0, 3.0)


@dataclass(frozen=True, slots=True)
class Regions:
    """One row per region; every histogram adds up to 1."""

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
        every = self.regions
        return Regions(
            size_px=every.size_px[rows],
            corners=every.corners[rows],
            histogram=every.histogram[rows],
            touches=every.touches[rows],
            pairs=np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0),
        )


def merge_regions(leaves: Regions, *, size_weight: float) -> Merging:
    """Alike are regions of like histograms, and small ones.

    `size_weight` is against 1 of both histograms together.
    """
    n = len(leaves)
    total_px = float(leaves.size_px.sum())
    size, corners, histogram, touches = (
        np.concatenate([column, np.zeros((n - 1, *column.shape[1:]), column.dtype)])
        for column in (leaves.size_px, leaves.corners, leaves.histogram, leaves.touches)
    )

    def similarity(a: RowOrRows, b: RowOrRows) -> Floats:
        alike = np.minimum(histogram[a], histogram[b]).sum(axis=1)
        small = 1 - (size[a] + size[b]) / total_px
        result: Floats = (alike + size_weight * small) / (1 + size_weight)
        return result

    def join(a: int, b: int, union: int) -> None:
        size[union] = size[a] + size[b]
        histogram[union] = (histogram[a] * size[a] + histogram[b] * size[b]) / size[union]
        corners[union, :2] = np.minimum(corners[a, :2], corners[b, :2])
        corners[union, 2:] = np.maximum(corners[a, 2:], corners[b, 2:])
        touches[union] = touches[a] | touches[b]

    merged = merge_most_alike(leaves.pairs, n, similarity, join)
    return Merging(
        Regions(size, corners, histogram, touches, leaves.pairs),
        np.array([(a, b) for a, b, _ in merged], dtype=np.int64).reshape(-1, 2),
        np.array([alike for _, _, alike in merged], dtype=np.float64),
    )
