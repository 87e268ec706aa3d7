"""Boxes that overlap a given box by exactly a wished IoU, in closed form."""

from __future__ import annotations

import numpy as np

from boxlens.data.columns import Bools, Boxes, Floats


def boxes_at_iou(
    rng: np.random.Generator,
    box: Boxes,
    iou: Floats,
    low: Floats,
    high: Floats,
    nested_share: float,
) -> Boxes:
    """One box for each box and IoU, inside low to high where its size allows.

    Sides are scaled by a and b and then shifted until the common part, p of the width times q of
    the height, gives the IoU: pq = iou (1 + ab) / (1 + iou), which at a = b = 1 is METHODS 4.2.
    A share of the boxes is nested instead: all inside the object, or all around it.
    """
    nested = rng.random(len(box)) < nested_share
    scale = _scales(rng, iou, nested)
    common = iou * (1 + scale.prod(axis=1)) / (1 + iou)
    reach = np.minimum(scale, 1.0)
    left_over = np.minimum(common / reach.prod(axis=1), 1.0)
    split = rng.random(len(box))
    part = reach * left_over[:, None] ** np.stack([split, 1 - split], axis=1)
    part[nested] = reach[nested]
    size = box[:, 2:] * scale
    first = box[:, :2] + box[:, 2:] * (part - scale)
    last = box[:, :2] + box[:, 2:] * (1 - part)
    corner = _corners(rng, first, last, low, high - size, nested)
    return np.hstack([corner, size])


def _scales(rng: np.random.Generator, iou: Floats, nested: Bools) -> Floats:
    """Scales iou**v and iou**w with |v| + |w| <= 1: the IoU can be reached for all of these.

    Nested boxes have v + w = 1 (within the object) or -1 (around it).
    """
    radius = np.where(nested, 1.0, rng.random(len(iou)))
    split = rng.random(len(iou))
    sign = rng.choice((-1.0, 1.0), (len(iou), 2))
    sign[nested, 1] = sign[nested, 0]
    exponent = np.stack([split, 1 - split], axis=1) * radius[:, None] * sign
    return np.asarray(iou[:, None] ** exponent, dtype=np.float64)


def _corners(
    rng: np.random.Generator,
    first: Floats,
    last: Floats,
    low: Floats,
    high: Floats,
    nested: Bools,
) -> Floats:
    """First or last place, whichever stays inside, at random if both do; between, if nested."""
    u = rng.random(first.shape)
    fits_first, fits_last = first >= low, last <= high
    at_last = np.where(fits_first == fits_last, u < 0.5, fits_last)
    corner = np.where(at_last, last, first)
    begin, end = np.maximum(first, low), np.minimum(last, high)
    return np.where(nested[:, None], begin + u * np.maximum(end - begin, 0), corner)
