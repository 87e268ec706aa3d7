"""A picture in pieces of one colour: graph segmentation, in several colour spaces, and merging.

OpenCV's segmentation by Felzenszwalb and Huttenlocher; what pieces touch, and their boxes, is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Literal

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Boxes
from boxlens.errors import ParameterError
from boxlens.images import Pixels
from boxlens.studies.proposals.generators.opencv import contributed

Labels = npt.NDArray[np.int32]
RowOrRows = int | list[int] | npt.NDArray[np.int64]
ColourSpace = Literal["rgb", "lab", "opponent", "rg", "hsv"]
# Those that methods over superpixels join, in this order (METHODS 7.4).
SUPERPIXEL_SPACES: tuple[ColourSpace, ...] = ("lab", "opponent", "rg", "hsv")


def in_colours(image: Pixels, space: ColourSpace) -> Pixels:
    """Three channels from 0 to 255; "rg" is the normalized red and green, and brightness."""
    import cv2

    if space == "rgb":
        return image
    if space in {"lab", "hsv"}:
        # Of HSV, hue goes once around, over the whole range.
        conversion = cv2.COLOR_RGB2LAB if space == "lab" else cv2.COLOR_RGB2HSV_FULL
        return np.asarray(cv2.cvtColor(np.ascontiguousarray(image), conversion), dtype=np.uint8)
    red, green, blue = np.moveaxis(image.astype(np.float64), 2, 0)
    total = red + green + blue
    if space == "opponent":
        channels = [(red - green + 255) / 2, (red + green - 2 * blue + 510) / 4, total / 3]
    else:
        whole = np.maximum(total, 1)
        channels = [255 * red / whole, 255 * green / whole, total / 3]
    return np.stack(channels, axis=2).round().astype(np.uint8)


def check_segmentation(*, sigma: float, k: float, min_size: int) -> None:
    """OpenCV takes any number in silence."""
    for name, value in (("sigma", sigma), ("k", k), ("min_size", min_size)):
        if not 0 <= value < np.inf:
            raise ParameterError(f"{name} of a segmentation is 0 or more, got {value}")


def segment(image: Pixels, *, sigma: float, k: float, min_size: int) -> Labels:
    """One label per pixel, from 0 without gaps; larger `k`: larger pieces."""
    check_segmentation(sigma=sigma, k=k, min_size=min_size)
    graph = contributed("ximgproc").segmentation.createGraphSegmentation(sigma, k, min_size)
    labels = np.asarray(graph.processImage(np.ascontiguousarray(image)), dtype=np.int32)
    used = np.bincount(labels.ravel()) > 0
    without_gaps: Labels = (np.cumsum(used, dtype=np.int32) - 1)[labels]
    return without_gaps


def segment_boxes(labels: Labels) -> Boxes:
    """The box (x, y, w, h) around each label, in order of the labels."""
    n = int(labels.max()) + 1
    row, column = (axis.ravel() for axis in np.indices(labels.shape))
    flat = labels.ravel()
    low, high = np.full((n, 2), np.iinfo(np.int64).max), np.full((n, 2), -1)
    for axis, place in enumerate((column, row)):
        np.minimum.at(low[:, axis], flat, place)
        np.maximum.at(high[:, axis], flat, place)
    return np.hstack([low, high - low + 1]).astype(np.float64)


def neighbours(labels: Labels) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pairs (a < b) of labels that touch, and the pixels of border that they share."""
    n = int(labels.max()) + 1
    beside = [(labels[:, :-1], labels[:, 1:]), (labels[:-1], labels[1:])]
    first, second = (np.concatenate([pair[side].ravel() for pair in beside]) for side in (0, 1))
    apart = first != second
    low = np.minimum(first[apart], second[apart]).astype(np.int64)
    high = np.maximum(first[apart], second[apart]).astype(np.int64)
    keys, border = np.unique(low * n + high, return_counts=True)
    return np.stack([keys // n, keys % n], axis=1), border.astype(np.int64)


def merge_most_alike(
    pairs: npt.NDArray[np.int64],
    n: int,
    alike: Callable[[RowOrRows, RowOrRows], npt.NDArray[np.floating]],
    join: Callable[[int, int, int], None],
) -> list[tuple[int, int, float]]:
    """The two neighbours most alike become one, until none touch; of equals those that came first.

    `join` is told which two of the `n` pieces and of their unions become which union, counted on
    from `n`; the merges are given in order, with how alike the two were.
    """
    near: dict[int, set[int]] = {row: set() for row in range(n)}
    for a, b in pairs.tolist():
        near[a].add(b)
        near[b].add(a)
    heap = list(zip((-alike(*pairs.T)).tolist(), *pairs.T.tolist(), strict=True))
    heapify(heap)
    merged: list[tuple[int, int, float]] = []
    while heap:
        unlike, a, b = heappop(heap)
        # Pairs of pieces that are gone stay in the heap until they come up.
        if a not in near or b not in near:
            continue
        union = n + len(merged)
        join(a, b, union)
        merged.append((a, b, -unlike))
        near[union] = around = near.pop(a) | near.pop(b)
        around -= {a, b}
        if not around:
            continue
        beside = sorted(around)
        for other in beside:
            near[other].discard(a)
            near[other].discard(b)
            near[other].add(union)
        for value, other in zip(alike(union, beside).tolist(), beside, strict=True):
            heappush(heap, (-value, other, union))
    return merged
