"""Greedy non-maximum suppression: of boxes that overlap, the best-scored one stays."""

from __future__ import annotations

import numpy as np

from boxlens.data.boxes import areas, corners_from_xywh
from boxlens.data.columns import Bools, Boxes, Floats, Offsets, Rows

# Boxes compared at a time: enough for NumPy to be quick, few enough to stay in the cache.
_BLOCK = 128


def suppress(
    boxes_xywh: Boxes,
    scores: Floats,
    *,
    iou: float,
    groups: Rows | None = None,
    limit: int | None = None,
) -> Rows:
    """Rows that stay, by descending score, ties in input order.

    A box goes where its IoU with a better one that stays is above `iou`; only boxes of one group
    (a class, say) compete. `limit` keeps the best of all groups together.
    """
    order = np.argsort(-scores, kind="stable")
    group = np.zeros(len(scores), dtype=np.int32) if groups is None else groups
    # Whether a box stays depends on better ones only: the best few often fill the limit.
    n_looked_at = len(order) if limit is None else 8 * limit
    while True:
        ranked = order[:n_looked_at]
        kept = _survivors(boxes_xywh[ranked], group[ranked], iou)
        if limit is None or len(kept) >= limit or n_looked_at >= len(order):
            rows: Rows = ranked[kept[:limit]].astype(np.int32)
            return rows
        n_looked_at *= 4


def _survivors(boxes: Boxes, group: Rows, iou: float) -> Offsets:
    """Positions that stay, ascending, of boxes that come best first."""
    # One row per side (left, top, right, bottom, area): pairs are then compared along memory.
    sides = np.vstack([corners_from_xywh(boxes).T, areas(boxes)])
    by_group = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[by_group])) + 1
    return np.sort(
        np.concatenate([_walk_group(sides, rivals, iou) for rivals in np.split(by_group, starts)])
    )


def _walk_group(sides: Floats, rivals: Offsets, iou: float) -> Offsets:
    """Those of the rivals (columns of sides, best first) that stay."""
    kept = rivals[:0]
    for begin in range(0, len(rivals), _BLOCK):
        block = rivals[begin : begin + _BLOCK]
        block = block[~_overlapping(sides[:, kept], sides[:, block], iou).any(axis=0)]
        kept = np.concatenate(
            [kept, block[_walk(_overlapping(sides[:, block], sides[:, block], iou))]]
        )
    return kept


def _walk(overlapping: Bools) -> Bools:
    """Which of a few boxes stay, given which overlap; the earlier box wins."""
    stays = np.ones(len(overlapping), dtype=np.bool_)
    for row in np.flatnonzero(np.triu(overlapping, k=1).any(axis=1)):
        if stays[row]:
            stays[row + 1 :] &= ~overlapping[row, row + 1 :]
    return stays


def _overlapping(one: Floats, other: Floats, iou: float) -> Bools:
    """Which pairs have an IoU above `iou`; boxes without area have none with any."""
    left, top, right, bottom, area = one[:, :, None]
    width = np.minimum(right, other[2]) - np.maximum(left, other[0])
    height = np.minimum(bottom, other[3]) - np.maximum(top, other[1])
    shared = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    union = area + other[4] - shared
    ratio = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    over: Bools = ratio > iou
    return over
